"""Whatever a text holds becomes phonemes and words, or nothing; it never fails or hangs.

The parts of the cases B05 to B09 and A22 that lie between text and phonemes.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.errors import ModelFileError, UnknownVoiceError, UsageError
from speech.kokoro.alignment import WordAligner
from speech.kokoro.engine import KokoroEngine
from speech.kokoro.g2p import VOCABULARY, Phonemizer, split
from speech.kokoro.written import written_words

MAX_PHONEMES = 510
LANGUAGES = ["en-us", "en-gb", "es", "fr-fr", "hi", "it", "pt-br"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\n\t\r ", "\u200b", "\ufeff", "...", "…", "—", "*", "()", "!?", "**__**", "[]()",
        "😊", "👍🏽", "👨\u200d👩\u200d👧",
        '😊"', "❤️!", "🇫🇷", "\x00\x1b\x7f", "\ud800", "\udfff\ud800",
        "\u0301", "<break/>", "<speak> </speak>", "![😊](http://a.b/c)",
    ],
    ids=ascii,
)  # fmt: skip
def test_nothing_is_said_where_there_is_nothing(
    phonemizer: Phonemizer, text: str, language: str
) -> None:
    assert phonemizer.phonemes(text, language) == ""
    assert split("") == []


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("8...", "ˈeɪt..."),
        ("9", "nˈaɪn"),
        ("Step ➀: press start.", "stˈɛp wˈʌn : pɹˈɛs stˈɑːɹt."),
        ("Option ❷ is free.", "ˈɑːpʃən tˈuː ɪz fɹˈiː."),
        ("Option ⑵ is free.", "ˈɑːpʃən tˈuː ɪz fɹˈiː."),
        ("Option ٢ is free.", "ˈɑːpʃən tˈuː ɪz fɹˈiː."),
        ("⑳ Ⓐ ㊿ ⓬ ➓", "twˈɛnti ɐ fˈɪfti twˈɛlv tˈɛn"),
        ("x² + ½ cup", "ˈɛks tˈuː plˈʌs ɐ hˈæf kˈʌp"),
        ("Hel\x00lo\x07 wor\x1b[0mld", None),
        ("\ud800\udc00 hi \udfff", "hˈaɪ"),
        ("Hello Привет 你好 مرحبا नमस्ते", None),
        ("<speak>Hi <break time='1s'/>you</speak>", "hˈaɪ juː"),
        ("<script>alert(1)</script> & <b>bold</b>", None),
        ("a\u202eb\u2066c\u200fd", None),
        ("Z̸̢͎a̷l̶g̵o̸ text", None),
        ("ﬁne ﷺ Ǆ", None),
        ("1" * 400, None),
        ("$" * 400 + "5", None),
        ("-" * 5_000 + "x", None),
        ("(" * 5_000 + "x" + ")" * 5_000, None),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_odd_texts_are_spoken(phonemizer: Phonemizer, text: str, phonemes: str | None) -> None:
    spoken = phonemizer.phonemes(text, "en-us")
    assert spoken
    assert phonemes is None or spoken == phonemes
    assert set(spoken) <= set(VOCABULARY)
    assert all(0 < len(piece) <= MAX_PHONEMES for piece in split(spoken))
    assert written_words(text)


@pytest.mark.parametrize("unit", ["a", "é", "7", "你", "ab-", "x.", "[a](/b/)", "[", "<s>a"])
def test_100_kb_without_a_space(phonemizer: Phonemizer, unit: str) -> None:
    """All of it is cut into pieces, the first of them aligned at once; a stop is heeded."""
    text = unit * (100_000 // len(unit.encode()))
    stops = iter(range(40))
    spoken = phonemizer.phonemes(text, "en-us", lambda: next(stops, None) is None)
    pieces = split(spoken)
    assert all(0 < len(piece) <= MAX_PHONEMES for piece in pieces)
    if pieces:
        aligner = WordAligner(text, lambda words: [phonemizer.phonemes(w, "en-us") for w in words])
        assert aligner.take(pieces[0], is_last=False).places


@settings(deadline=None, max_examples=100)
@given(
    st.text(st.characters(codec=None) | st.sampled_from("[](/)<>ˈ,. \n"), max_size=150),
    st.sampled_from(LANGUAGES),
)
def test_no_text_raises(text: str, language: str) -> None:
    spoken = SHARED.phonemes(text, language)
    assert set(spoken) <= set(VOCABULARY)
    aligner = WordAligner(text, lambda words: [SHARED.phonemes(w, language) for w in words])
    pieces = split(spoken)
    for number, piece in enumerate(pieces, start=1):
        aligner.take(piece, is_last=number == len(pieces))


SHARED = Phonemizer()


@pytest.mark.parametrize("speed", [math.nan, math.inf, -math.inf, 0.0, -1.0, 0.49, 2.01, 1e300])
async def test_a_speed_that_is_none_is_refused_at_open(tmp_path: Path, speed: float) -> None:
    engine = an_engine(tmp_path)
    with pytest.raises(UsageError, match=r"give 0\.5 to 2"):
        await engine.open("af_good", speed)
    await engine.aclose()


@pytest.mark.parametrize(
    ("voice", "kind", "fault"),
    [
        (
            "ballad",
            UnknownVoiceError,
            "no voice 'ballad'; choose one of: af_good, af_nan, af_short",
        ),
        ("", UnknownVoiceError, "no voice ''"),
        ("../af_good", UnknownVoiceError, "no voice '../af_good'"),
        ("af_good+ballad", UnknownVoiceError, "no voice 'ballad'"),
        ("af_good:nan", UsageError, "'af_good' weighs nan"),
        ("af_nan", ModelFileError, "values that are not numbers"),
        ("af_good+af_nan", ModelFileError, "values that are not numbers"),
        ("af_short", ModelFileError, "it has 400 bytes"),
    ],
)
async def test_a_voice_that_is_none_is_refused_at_open(
    tmp_path: Path, voice: str, kind: type[Exception], fault: str
) -> None:
    engine = an_engine(tmp_path)
    for attempt in (engine.open, engine.calibrate):
        with pytest.raises(kind, match=fault) as caught:
            await attempt(voice)
        assert "\n" not in str(caught.value)
    await engine.aclose()


def an_engine(folder: Path) -> KokoroEngine:
    """With three voice files, and no model, as none is reached."""
    np.zeros(510 * 256, "<f4").tofile(folder / "af_good.bin")
    np.full(510 * 256, np.nan, "<f4").tofile(folder / "af_nan.bin")
    np.zeros(100, "<f4").tofile(folder / "af_short.bin")
    return KokoroEngine("test", _no_model, folder, folder)


def _no_model() -> Any:
    raise AssertionError("refused before a model is loaded")
