"""URLs, e-mail, domains, file names, IP addresses, hashtags and handles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, alternatives, rule
from speech.spoken.words import words

_LABEL = r"[^\W_](?:[\w-]{0,62}[^\W_])?"
_DOMAINS = words(
    "com org net edu gov mil int info io ai dev app biz tv eu uk de fr ch nl br jp cn example test"
)
_FILES = words(
    "pdf doc docx odt rtf txt md csv tsv xls xlsx ppt pptx json yaml yml toml xml html htm css js "
    "ts tsx jsx py ipynb rs go java kt cpp hpp cs php rb sh bat exe dll log ini cfg conf env sql "
    "db zip tar gz 7z rar png jpg jpeg gif svg webp bmp mp3 mp4 wav flac ogg opus mov avi mkv onnx"
)
_READ_AS_WORDS = words(
    "doc zip log java go json yaml toml gif rar env int info dev app com org net test "
    "example gov edu biz"
)  # fmt: skip
_LONGEST_PATH = 40
"""Characters of a URL's path that are worth hearing; of a longer one the site is enough."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]|[0-9]+|[^\W_]")
_END = r"(?<![.,;:!?'\-])"


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    read = _Reader(lexicon)
    yield rule("a", rf"(?i:https?|ftp|wss?)://[^\s<>\"()\[\]{{}}|]{{1,2000}}{_END}", read.url)
    yield rule("a", rf"(?i:www)\.[^\s<>\"()\[\]{{}}|]{{1,2000}}{_END}", read.url)
    yield rule(
        "a0_", rf"(?:mailto:)?(?P<user>\w[\w.%+-]{{0,63}})@(?P<host>{_LABEL}(?:\.{_LABEL}){{1,6}})",
        read.email,
    )  # fmt: skip
    yield rule(
        "0", r"(?<![\d.])(?P<host>[0-9]{1,3}(?:\.[0-9]{1,3}){3})(?::(?P<port>[0-9]{1,5}))?"
        r"(?:/(?P<mask>[0-9]{1,2}))?(?![\w]|\.\d)", read.ip,
    )  # fmt: skip
    yield rule(
        "a0_", r"(?P<path>(?:[\w-]{1,60}/){0,8})(?P<stem>[\w-]{1,80}(?:\.[\w-]{1,40}){0,3})"
        rf"\.(?P<ending>(?i:{alternatives(_FILES)}))(?![\w-])(?!\.\w)", read.file,
    )  # fmt: skip
    yield rule(
        "a0", rf"(?P<host>{_LABEL}(?:\.{_LABEL}){{0,4}}\.(?:co\.)?(?:{alternatives(_DOMAINS)}))"
        rf"(?![\w-]|\.\w)(?:/[\w\-./%~]{{0,200}}{_END})?", read.url,
    )  # fmt: skip
    yield rule("a", r"localhost(?=:[0-9])(?P<rest>:[0-9]{1,5}[\w/.-]{0,100})", read.url)
    yield rule("#", r"(?<![\w&#])#(?P<tag>[^\W\d_]\w{0,99})", read.hashtag)
    yield rule("@", r"(?<![\w.])@(?P<name>\w{1,60})(?!@)", read.handle)
    yield rule("a", r"(?P<name>[^\W_]{1,60}(?:_{1,3}[^\W_]{1,60}){1,12})_{0,3}", read.identifier)
    yield rule(
        "/~.", r"(?<![\w)/.])(?:~|\.{1,2})?/(?P<name>\.?[\w-][\w.-]{0,60}(?:/[\w.-]{1,60}){0,8})/?",
        read.path,
    )  # fmt: skip


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, self._signs = lexicon, lexicon.signs

    def url(self, match: re.Match[str]) -> str:
        """The site, and its path while that is short; never the query."""
        address = match.group().partition("://")[2] or match.group()
        address = re.split("[?#]", address, maxsplit=1)[0]
        site, _, path = address.partition("/")
        host, _, port = site.rpartition("@")[2].partition(":")
        is_ip = bool(re.fullmatch(r"[0-9.]{7,15}", host))
        said = self._ip(host) if is_ip else self._host(host.removeprefix("www."))
        if port.isdecimal():
            said += f" port {self._lexicon.digits(port)}"
        if 0 < len(path.strip("/")) <= _LONGEST_PATH:
            said += f" {self._signs.slash} {self._path(path.strip('/'))}"
        return said

    def email(self, match: re.Match[str]) -> str:
        """jane.doe@example.org → "jane dot doe at example dot org"."""
        names = {"+": self._signs.plus, "-": self._signs.hyphen, "_": self._signs.underscore,
                 ".": self._signs.dot, "%": self._signs.percent}  # fmt: skip
        parts = re.split(r"([.%+_-])", match["user"])
        user = " ".join(names.get(part) or self._words(part) for part in parts if part)
        return f"{user} {self._signs.at} {self._host(match['host'])}"

    def ip(self, match: re.Match[str]) -> str:
        """192.168.0.1 → "one nine two dot one six eight dot zero dot one"."""
        said = self._ip(match["host"])
        if match["port"]:
            said += f" port {self._lexicon.digits(match['port'])}"
        if match["mask"]:
            said += f" {self._signs.slash} {self._lexicon.cardinal(int(match['mask']))}"
        return said

    def _ip(self, host: str) -> str:
        return f" {self._signs.dot} ".join(map(self._lexicon.digits, host.split(".")))

    def file(self, match: re.Match[str]) -> str:
        """report_v2.pdf → "report v two dot PDF"."""
        dot = f" {self._signs.dot} "
        stem = dot.join(map(self._words, match["stem"].split(".")))
        folders = [self._words(folder) for folder in match["path"].split("/") if folder]
        named = f" {self._signs.slash} ".join([*folders, stem])
        return f"{named}{dot}{_ending(match['ending'])}"

    def path(self, match: re.Match[str]) -> str:
        """/etc/hosts → "slash etc slash hosts"."""
        return f"{self._signs.slash} {self._path(match['name'])}"

    def hashtag(self, match: re.Match[str]) -> str:
        """#ClimateAction → "hashtag Climate Action"."""
        return f"{self._signs.hashtag} {self._words(match['tag'])}"

    def handle(self, match: re.Match[str]) -> str:
        """@jane_doe → "at jane doe"."""
        return f"{self._signs.at} {self._words(match['name'])}"

    def identifier(self, match: re.Match[str]) -> str:
        """file_name_v2 → "file name v two"."""
        return self._words(match["name"])

    def _host(self, host: str) -> str:
        labels = host.split(".")
        hyphen = f" {self._signs.hyphen} "
        said = [hyphen.join(map(self._words, label.split("-"))) for label in labels[:-1]]
        said += [_ending(labels[-1])] if len(labels) > 1 else [self._words(host)]
        return f" {self._signs.dot} ".join(said)

    def _path(self, path: str) -> str:
        folders = [
            f" {self._signs.dot} ".join(map(self._words, filter(None, part.split("."))))
            for part in path.split("/")
        ]
        return f" {self._signs.slash} ".join(filter(None, folders))

    def _words(self, run: str) -> str:
        """The words of a name that is written as one."""
        return " ".join(map(self._part, _PARTS.findall(run)))

    def _part(self, part: str) -> str:
        if not part.isdecimal() or not part.isascii():
            return part
        if len(part) > 4 or (part[0] == "0" and len(part) > 1):
            return self._lexicon.digits(part)
        number = int(part)
        is_year = len(part) == 4 and 1900 <= number <= 2099
        return self._lexicon.year(number) if is_year else self._lexicon.cardinal(number)


def _ending(label: str) -> str:
    """The last part of a name: "com" is a word, "pdf" is letters."""
    lower = label.lower()
    if lower in _READ_AS_WORDS or len(lower) > 4:
        return lower
    if lower.isalpha():
        return lower.upper()
    return " ".join(_PARTS.findall(lower.upper()))
