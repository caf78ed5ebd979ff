"""Every word of the text gets its own phonemes, once and in order, however it is spoken."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from speech.kokoro.alignment import WordAligner
from speech.kokoro.g2p import Phonemizer, split
from speech.kokoro.phoneme_match import NOWHERE
from speech.kokoro.word_times import PieceWords
from speech.word_spans import WordSpans

URL = "https://example.com/a?b=1"
MIXED = (
    f"In 1984 Dr. O'Neil paid $1,234.56 at 9:30 p.m.; see {URL} — or don't, if well-known "
    "friends of the “old school” say so: rock & roll isn't over. "
)
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def aligned(phonemizer: Phonemizer, text: str, language: str = "en-us") -> list[PieceWords]:
    aligner = WordAligner(text, lambda words: [phonemizer.phonemes(w, language) for w in words])
    pieces = split(phonemizer.phonemes(text, language))
    return [aligner.take(p, is_last=n == len(pieces)) for n, p in enumerate(pieces, start=1)]


def spoken(phonemizer: Phonemizer, text: str, language: str = "en-us") -> list[tuple[str, str]]:
    return [
        (place.text, piece.phonemes[place.first : place.last + 1])
        for piece in aligned(phonemizer, text, language)
        for place in piece.places
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs $5.20, now.", [("It", "ɪt"), ("costs", "kˈɔsts"),
                                  ("$5.20", "dˈɑːlɚ fˈaɪv pɔɪnt tˈuː zˈiəɹoʊ"), ("now", "nˈaʊ")]),
        ("Dr. Smith (aged 42)!", [("Dr.", "dˈɑːktɚ"), ("Smith", "smˈɪθ"), ("aged", "ˈeɪdʒd"),
                                  ("42", "fˈɔːɹɾi tˈuː")]),
        ("at 9:30 a.m., e.g. U.S.A.", [("at", "æt"), ("9:30", "nˈaɪn θˈɜːɾi"), ("a.m.", "ˌeɪˈɛm"),
                                       ("e.g.", "ˌiːdʒˈiː"), ("U.S.A.", "jˌuːˌɛsˈeɪ")]),
        (f"See {URL} or", [("See", "sˈiː"), (URL, "ˌeɪtʃtˌiːtˈiːpˌiːˈɛs:slˈæʃslæʃ ɛɡzˈæmpəl dˈɑːt "
                            "kˈɑːm slˈæʃ ˈeɪ?bˈiː ˈiːkwəlz wˈʌn"), ("or", "ɔːɹ")]),
        ("bob.smith@example.org — it's", [
            ("bob.smith@example.org", "bˈɑːb dˈɑːt smˈɪθ æt ɛɡzˈæmpəl dˈɑːt ˈɔːɹɡ"),
            ("it's", "ɪts")]),
        ("“Don’t,” she said, ‘stop’.", [("Don’t", "dˈoʊnt"), ("she", "ʃiː"), ("said", "sˈɛd"),
                                        ("stop", "stˈɑːp")]),
        ("a well-known fact", [("a", "ɐ"), ("well-known", "wˈɛlnˈoʊn"), ("fact", "fˈækt")]),
        ("of the in the for the", [("of", "ʌv"), ("the", "ðɪ"), ("in", "ɪn"), ("the", "ðə"),
                                   ("for", "fɚ"), ("the", "ðə")]),
        ("Rock & roll at 50 % off", [("Rock", "ɹˈɑːk"), ("&", "ænd"), ("roll", "ɹˈoʊl"),
                                     ("at", "æt"), ("50", "fˈɪfti"), ("%", "pɚsˈɛnt"),
                                     ("off", "ˈɔf")]),
        ("wait...what—no -5", [("wait", "wˈeɪt"), ("what", "wˌʌt"), ("no", "nˈoʊ"),
                               ("-5", "mˈaɪnəs fˈaɪv")]),
        ("① 😀 → now", [("①", "wˈʌn"), ("→", "ɹˈaɪt ˈæɹoʊ"), ("now", "nˈaʊ")]),
        ("Hel\x00lo \ud800 you", [("Hel\x00lo", "hˈɛl lˈoʊ"), ("you", "juː")]),
        ("only—$5, $5", [("only", "ˈoʊnli"), ("5", "dˈɑːlɚ fˈaɪv"), ("$5", "dˈɑːlɚ fˈaɪv")]),
        ("*** — “” ...", []),
        ("😀", []),
    ],
    ids=ascii,
)  # fmt: skip
def test_english(phonemizer: Phonemizer, text: str, expected: list[tuple[str, str]]) -> None:
    assert spoken(phonemizer, text) == expected


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("es", "¿Cómo estás? Son 3 manzanas.", ["Cómo", "estás", "Son", "3", "manzanas"]),
        ("fr-fr", "L'été dure jusqu'au 21 août.", ["L'été", "dure", "jusqu'au", "21", "août"]),
        ("it", "Perché l'8 marzo?", ["Perché", "l'8", "marzo"]),
        ("pt-br", "Não são 12 horas.", ["Não", "são", "12", "horas"]),
        ("hi", "नमस्ते, आप कैसे हैं?", ["नमस्ते", "आप", "कैसे", "हैं"]),
        ("en-us", "Hello Привет 你好 مرحبا", ["Hello", "Привет", "你", "好", "مرحبا"]),
    ],
)
def test_words_of_other_languages(
    phonemizer: Phonemizer, language: str, text: str, words: list[str]
) -> None:
    found = spoken(phonemizer, text, language)
    assert [word for word, _ in found] == words
    assert all(phonemes for _, phonemes in found)


def test_a_text_in_several_pieces_loses_no_word(phonemizer: Phonemizer) -> None:
    text = MIXED * 12
    pieces = aligned(phonemizer, text)
    words = [place.text for piece in pieces for place in piece.places]
    once = [word for word, _ in spoken(phonemizer, MIXED)]
    assert len(pieces) > 4
    assert words == once * 12
    assert all(place.first != NOWHERE for piece in pieces for place in piece.places)


def test_a_run_without_a_space_is_cut_and_all_there(phonemizer: Phonemizer) -> None:
    words = [word for word, _ in spoken(phonemizer, "x" * 3_000)]
    assert "".join(words) == "x" * 3_000
    assert len(words) == 12


def test_a_word_cut_by_the_end_of_a_piece_begins_in_the_first() -> None:
    aligner = WordAligner("abcd efgh", lambda words: list(words))
    assert [p.text for p in aligner.take("abcd ef", is_last=False).places] == ["abcd", "efgh"]
    assert aligner.take("gh").places == ()


def test_a_word_whose_phonemes_are_not_found_is_still_there() -> None:
    aligner = WordAligner("one two", lambda words: [{"one": "wʌn", "two": "tuː"}[w] for w in words])
    assert [place.text for place in aligner.take("wʌn").places] == ["one", "two"]


def test_hints_are_one_word(phonemizer: Phonemizer) -> None:
    texts = [
        w.text for w in WordAligner("a [big cat](/kæt/), b", lambda w: list(w)).take("x").places
    ]
    assert texts == ["a", "big cat", "b"]


TOKENS = st.sampled_from(MIXED.split()) | st.from_regex(r"[a-z]{1,9}[,.!?]?", fullmatch=True)


@quick
@given(st.lists(TOKENS, min_size=1, max_size=40))
def test_every_word_once_and_in_order(phonemizer: Phonemizer, tokens: list[str]) -> None:
    text = " ".join(tokens)
    words = [word for word, _ in spoken(phonemizer, text)]
    said = [token for token in tokens if any(map(str.isalnum, token))]
    assert [w for w in words if any(map(str.isalnum, w))] == [
        word for token in said for word, _ in spoken(phonemizer, token)
    ]


@quick
@given(st.text(max_size=80))
def test_any_text_is_cut_at_its_words_and_none_is_lost(phonemizer: Phonemizer, text: str) -> None:
    pieces = aligned(phonemizer, text)
    spans = WordSpans(text)
    words = [place.text for piece in pieces for place in piece.places]
    taken = [spans.take(word) for word in words]
    assert all(taken)
    assert "".join(taken) + spans.rest() == text
    for piece in pieces:
        places = [p for p in piece.places if p.first != NOWHERE]
        assert all(p.first <= p.last for p in places)
        assert all(a.last < b.first for a, b in pairwise(places))
