"""Nine languages, each read by its own package; one that is missing is named.

misaki itself is not in the test environment (its English needs a tagger of spaCy's). Fakes
stand for its modules here; the real ones are tried where they are installed.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from speech.errors import UsageError
from speech.kokoro.engine import KokoroEngine
from speech.kokoro.g2p import VOCABULARY, Phonemizer
from speech.kokoro.languages import BY_LETTER, check_language, language_of

needs_no_misaki = pytest.mark.skipif(
    importlib.util.find_spec("misaki") is not None, reason="misaki is installed"
)


@pytest.fixture
def own() -> Phonemizer:
    """Not the shared one: it remembers what it loaded."""
    return Phonemizer()


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def install(name: str, **attributes: Any) -> None:
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)

    return install


def test_each_letter_has_its_language() -> None:
    assert {letter: language.name for letter, language in BY_LETTER.items()} == {
        "a": "American English", "b": "British English", "e": "Spanish", "f": "French",
        "h": "Hindi", "i": "Italian", "j": "Japanese", "p": "Brazilian Portuguese",
        "z": "Mandarin Chinese",
    }  # fmt: skip
    assert language_of("jf_alpha") == "ja"
    assert language_of("mine") == "en-us"
    assert language_of("af_x:0.2+jf_alpha:0.8") == "ja"


@needs_no_misaki
@pytest.mark.parametrize(
    ("voice", "line"),
    [
        ("jf_alpha", "voice jf_alpha speaks Japanese, which needs misaki[ja]: "
         "pip install 'misaki[ja]'"),
        ("zm_yunxi", "voice zm_yunxi speaks Mandarin Chinese, which needs misaki[zh]: "
         "pip install 'misaki[zh]'"),
        ("zf_x:2+af_heart", "voice zf_x:2+af_heart speaks Mandarin Chinese, which needs "
         "misaki[zh]: pip install 'misaki[zh]'"),
    ],
)  # fmt: skip
async def test_a_missing_package_is_named_when_the_voice_is_opened(
    tmp_path: Path, own: Phonemizer, voice: str, line: str
) -> None:
    for name in ("jf_alpha", "zm_yunxi", "zf_x", "af_heart"):
        np.zeros(510 * 256, "<f4").tofile(tmp_path / f"{name}.bin")
    engine = KokoroEngine("test", _never, tmp_path, tmp_path)
    for attempt in (engine.open, engine.calibrate):
        with pytest.raises(UsageError) as caught:
            await attempt(voice)
        assert str(caught.value) == line
    await engine.aclose()
    with pytest.raises(UsageError, match="pip install 'misaki"):
        own.phonemes("你好", language_of(voice))


def _never() -> Any:
    raise AssertionError("no model is loaded for a voice that cannot be spoken")


@pytest.mark.parametrize("letter", "abefhip")
def test_the_others_are_read_without_misaki(letter: str) -> None:
    check_language(f"{letter}f_x")


class FakeEnglish:
    """Stands for ``misaki.en.G2P``: a letter for each text, "W" before it without the tagger."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.nlp = SimpleNamespace(make_doc=None)

    def __call__(self, text: str, preprocess: bool) -> tuple[str, None]:
        assert preprocess is False
        if "?" in text:
            raise AssertionError("a text it cannot read")
        alone = "" if isinstance(self.nlp, SimpleNamespace) else "W"
        return f"{alone}{'b' if self.options['british'] else 'A'}", None


def install_english(install: Callable[..., None], g2p: Any = FakeEnglish) -> None:
    for name in ("misaki", "spacy", "num2words", "en_core_web_sm"):
        install(name)
    install("misaki.en", G2P=g2p)
    install("misaki.espeak", EspeakFallback=lambda british: None)


def test_english_is_read_by_misaki_sentences_at_a_time(
    install: Callable[..., None], own: Phonemizer
) -> None:
    install_english(install)
    assert own.phonemes("It is. It was.", "en-us") == "A"
    sentence = "it was the best of times. "
    assert own.phonemes(sentence * 12, "en-us") == "A A"
    assert own.phonemes("x " * 400, "en-us") == "A A A"
    assert own.phonemes("It is.", "en-gb") == "b"
    assert own.phonemes("Yes!", "en-us") == "WA!"


def test_what_misaki_cannot_read_espeak_reads(
    install: Callable[..., None], own: Phonemizer
) -> None:
    install_english(install)
    assert own.phonemes("Who are you? ", "en-us") == "hˈuː ɑːɹ juː?"
    assert own.phonemes("a [word](/wˈɜːd/)? No?", "en-us") == "ɐ wˈɜːd? nˈoʊ?"


def test_a_hint_goes_by_misaki_too(install: Callable[..., None], own: Phonemizer) -> None:
    install_english(install)
    assert own.phonemes("I say [Siobhan](/ʃɪvˈɔn/) is here.", "en-us") == "A ʃɪvˈɔn A"


def test_a_broken_misaki_leaves_english_to_espeak(
    install: Callable[..., None], own: Phonemizer
) -> None:
    def broken(**_options: Any) -> None:
        raise OSError("[E050] can't find\nthe tagger")

    install_english(install, broken)
    assert own.phonemes("Hello!", "en-us") == "həlˈoʊ!"


@pytest.mark.parametrize(
    ("code", "modules", "reader", "text", "expected"),
    [
        ("ja", ("pyopenjtalk", "fugashi", "jaconv", "mojimoji"), ("misaki.ja", "JAG2P"),
         "はい、Taxi Driver は。", "z, tˈæksi dɹˈaɪvɚ z."),
        ("cmn", ("jieba", "pypinyin", "cn2an"), ("misaki.zh", "ZHG2P"),
         "你好，apple。", "z, ˈæpəl."),
    ],
)  # fmt: skip
def test_japanese_and_chinese_by_misaki_and_latin_words_by_espeak(
    install: Callable[..., None], own: Phonemizer,
    code: str, modules: tuple[str, ...], reader: tuple[str, str], text: str, expected: str,
) -> None:  # fmt: skip
    class FakeReader:
        def __init__(self, unk: str) -> None:
            assert unk == ""

        def __call__(self, text: str) -> tuple[str, None]:
            assert not any("a" <= c.lower() <= "z" for c in text)
            plain = "".join(c for c in text if c <= "\u3000")
            return "z" * (len(plain) < len(text)) + plain, None

    for name in ("misaki", *modules):
        install(name, setLogLevel=lambda level: None)
    install(reader[0], **{reader[1]: FakeReader})
    assert own.phonemes(text, code) == expected


def test_a_package_half_installed_is_named_with_its_fault(
    install: Callable[..., None], own: Phonemizer
) -> None:
    for name in ("misaki", "jieba", "pypinyin", "cn2an"):
        install(name, setLogLevel=lambda level: None)

    def broken(unk: str) -> None:
        raise RuntimeError("no\ndictionary")

    install("misaki.zh", ZHG2P=broken)
    with pytest.raises(UsageError) as caught:
        own.prepare("cmn")
    assert str(caught.value) == (
        "Mandarin Chinese needs misaki[zh]: pip install 'misaki[zh]' "
        "(now: RuntimeError: no dictionary)"
    )


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en-us", "I read it for $5.20.", "fˈIv dˈɑləɹz"),
        ("en-gb", "the water", "wˈɔːtə"),
        ("ja", "こんにちは、世界。", "sekai"),
        ("cmn", "你好，apple。", "xau↓, ˈæpəl."),
    ],
)
def test_the_real_misaki(own: Phonemizer, code: str, text: str, expected: str) -> None:
    if not {language.code: language for language in BY_LETTER.values()}[code].has_misaki:
        pytest.skip("misaki with this language is no dependency of ours")
    phonemes = own.phonemes(text, code)
    assert expected in phonemes
    assert set(phonemes) <= set(VOCABULARY)
