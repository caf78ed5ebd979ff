"""Every text becomes phonemes Kokoro knows, none lost, and none where nothing is said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.kokoro.g2p import VOCABULARY, Phonemizer, split
from speech.kokoro.languages import LANGUAGES, language_of
from speech.kokoro.speakable import speakable

MAX_PHONEMES = 510


@pytest.fixture(scope="module")
def phonemizer() -> Phonemizer:
    return Phonemizer()


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("Hello, world!", "həlˈoʊ, wˈɜːld!"),
        ("It's 3.14.", "ɪts θɹˈiː pɔɪnt wˈʌn fˈɔːɹ."),
        ("At 9:30, e.g. now.", "æt nˈaɪn θˈɜːɾi, ˌiːdʒˈiː. nˈaʊ."),
        ("“Quoted.” (Yes)", "“kwˈoʊɾᵻd.” (jˈɛs)"),
        ("wait—what?", "wˈeɪt—wˌʌt?"),
        ("one\ntwo\tthree", "wˈʌn tˈuː θɹˈiː"),
        ("a\x00b", "ɐ bˈiː"),
        ("①②", "wˈʌn tˈuː"),
        ("20°C", "twˈɛnti dᵻɡɹˈiːz sˈiː"),
        ("hi 😀👍🏽", "hˈaɪ"),
        ("\ud800hi\udfff", "hˈaɪ"),
        ("𝐇𝐞𝐥𝐥𝐨 ｆｕｌｌ", "həlˈoʊ fˈʊl"),
    ],
)
def test_english(phonemizer: Phonemizer, text: str, phonemes: str) -> None:
    assert phonemizer.phonemes(text, "en-us") == phonemes


@pytest.mark.parametrize(
    ("curly", "plain"),
    [
        ("I’m sure it’s fine.", "I'm sure it's fine."),
        ("They’re here, aren’t they?", "They're here, aren't they?"),
        ("rock ʼnʼ roll", "rock 'n' roll"),
    ],
)
def test_typographic_apostrophes(phonemizer: Phonemizer, curly: str, plain: str) -> None:
    """Case B08."""
    assert phonemizer.phonemes(curly, "en-us") == phonemizer.phonemes(plain, "en-us")


@pytest.mark.parametrize("language", ["en-us", "it", "ja"])
@pytest.mark.parametrize(
    "text", ["😊", "👍🏽", "👨‍👩‍👧", '😊"', "❤️!", "...", "** --", "&", "", " "]
)
def test_nothing_to_say(phonemizer: Phonemizer, text: str, language: str) -> None:
    """Case B05."""
    assert phonemizer.phonemes(text, language) == ""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en-gb", "hot", "hˈɒt"),
        ("es", "¿Qué tal, señor?", "kˈe tˈal, seɲˈoɾ?"),
        ("fr-fr", "Bonjour, c’est la vie.", "bɔ̃ʒˈuʁ, sɛ la vˈi."),
        ("hi", "नमस्ते।", "nəmˈʌsteː."),
        ("it", "Perché no?", "perkˌe nˈɔ?"),
        ("pt-br", "Olá!", "olˈa!"),
    ],
)
def test_other_languages(phonemizer: Phonemizer, language: str, text: str, expected: str) -> None:
    assert phonemizer.phonemes(text, language) == expected


def test_each_letter_of_a_voice_has_its_language() -> None:
    assert set(LANGUAGES) == set("abefhijpz")
    assert language_of("bf_emma") == "en-gb"
    assert language_of("mine") == "en-us"


def test_another_languages_words_bring_no_flags(phonemizer: Phonemizer) -> None:
    """espeak marks a switch as "(en)", which would be spoken."""
    assert "(" not in phonemizer.phonemes("Questo è un weekend online con lo smartphone", "it")


@pytest.mark.parametrize("letter", ["x", "ab", "a1"])
def test_a_run_without_spaces_loses_nothing(phonemizer: Phonemizer, letter: str) -> None:
    run = letter * (20_000 // len(letter))
    heard = phonemizer.phonemes(run, "en-us").replace(" ", "")
    assert len(heard) > len(run)
    if letter == "x":
        assert len(re.findall("ɛks", heard)) == 20_000


def test_a_long_text_loses_no_word(phonemizer: Phonemizer) -> None:
    text = "every window on the northern side must stay closed tonight " * 25 + "finally stop"
    pieces = split(phonemizer.phonemes(text, "en-us"))
    assert max(map(len, pieces)) <= MAX_PHONEMES
    assert sum(piece.count("wˈɪndoʊ") for piece in pieces) == 25
    assert pieces[-1].endswith(phonemizer.phonemes("finally stop", "en-us"))


def test_a_run_on_sentence_is_cut_at_words_only(phonemizer: Phonemizer) -> None:
    """Case A22, the part that is ours."""
    phonemes = phonemizer.phonemes(
        "and then the path follows the river past the mill " * 30, "en-us"
    )
    pieces = split(phonemes)
    assert len(pieces) >= 2
    assert max(map(len, pieces)) <= MAX_PHONEMES
    assert " ".join(pieces) == phonemes


def test_stopping_leaves_the_rest_out(phonemizer: Phonemizer) -> None:
    answers = iter([False, False, True])
    assert phonemizer.phonemes("One, two, three.", "en-us", lambda: next(answers)) == "wˌʌn,"


@settings(deadline=None, max_examples=150)
@given(
    st.text(st.characters(codec=None), max_size=200),
    st.sampled_from(["en-us", "fr-fr", "hi", "it"]),
)
def test_no_text_raises_and_all_symbols_are_known(text: str, language: str) -> None:
    phonemes = SHARED.phonemes(text, language)
    assert set(phonemes) <= set(VOCABULARY)
    assert all(0 < len(piece) <= MAX_PHONEMES for piece in split(phonemes))
    assert not phonemes or speakable(text)


SHARED = Phonemizer()


@given(st.text(st.characters(codec=None)))
def test_speakable_text_is_clean(text: str) -> None:
    plain = speakable(text)
    assert plain == " ".join(plain.split())
    assert plain.isprintable()
    assert not plain or any(map(str.isalnum, plain))
    assert speakable(plain) == plain
    plain.encode()


@given(st.text("ab .,;!?", max_size=3_000))
def test_split_loses_nothing(phonemes: str) -> None:
    pieces = split(phonemes)
    assert "".join("".join(pieces).split()) == "".join(phonemes.split())
    assert all(0 < len(piece) <= MAX_PHONEMES for piece in pieces)
