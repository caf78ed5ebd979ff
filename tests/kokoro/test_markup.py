"""Markup is not spoken: a hint says its word, a link its label, SSML what it encloses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.kokoro.alignment import WordAligner
from speech.kokoro.g2p import VOCABULARY, Phonemizer
from speech.kokoro.markup import as_read, parts
from speech.kokoro.written import written_words
from speech.word_spans import WordSpans


@pytest.mark.parametrize(
    ("text", "phonemes", "words"),
    [
        ("[Siobhan](/ʃɪvˈɔn/) will call.", "ʃɪvˈɔn wɪl kˈɔːl.", ["Siobhan", "will", "call"]),
        ("Call [Siobhan](/ʃɪvˈɔn/), now", "kˈɔːl ʃɪvˈɔn, nˈaʊ", ["Call", "Siobhan", "now"]),
        ("Ask [Siobhan](/ʃɪvˈɔn/)!", "ˈæsk ʃɪvˈɔn!", ["Ask", "Siobhan"]),
        ("a [big cat](/kæt/) sat", "ɐ kæt sˈæt", ["a", "big cat", "sat"]),
        ("pre[fix](/fˈɪks/)", "pɹˈiːfˈɪks", ["pre", "fix"]),
        ("[&](/ˈænd/)", "ˈænd", ["&"]),
        ("[Hi](/hˈ\ud83dI❓/)", "hˈI", ["Hi"]),  # unknown symbols are dropped
        ("[Hi](//) you", "hˈaɪ juː", ["Hi", "you"]),  # no hint: as written
        ("[Hi](/❓/) you", "hˈaɪ juː", ["Hi", "you"]),
        ("[Hi](/ˈˌ./) you", "hˈaɪ juː", ["Hi", "you"]),
        ("see [our site](https://a.example/x/) first", "sˈiː ˌaʊɚ sˈaɪt fˈɜːst",
         ["see", "our", "site", "first"]),
        ("[site](https://shop.example.org/h?id=7&x=(1)) now", "sˈaɪt nˈaʊ", ["site", "now"]),
        ('[site](https://a.example "The title")', "sˈaɪt", ["site"]),
        ("![a cat](cat.png)", "ɐ kˈæt", ["a", "cat"]),
        ("[docs](/docs/index)", "dˈɑːks", ["docs"]),
        ("<speak>Hi <break time='1s'/> you.</speak>", "hˈaɪ juː.", ["Hi", "you"]),
        ("<p>One.</p><p>Two.</p>", "wˌʌn. tˈuː.", ["One", "Two"]),
        ('a <emphasis level="strong">cat</emphasis>.', "ɐ kˈæt.", ["a", "cat"]),
        # What is hummed is not spelled.
        ("Mm-hm, I see. Hmm.", "mhˈm, aɪ sˈiː. hmː.", ["Mm-hm", "I", "see", "Hmm"]),
        ("mhm mm", "mhˈm mː", ["mhm", "mm"]),
        ("5 mm of HMM", None, ["5", "mm", "of", "HMM"]),
        ("[Mm](/kæt/) rhythm", "kæt ɹˈɪðəm", ["Mm", "rhythm"]),
        # Broken or other markup is text.
        ("[cat] sat", "kˈæt sˈæt", ["cat", "sat"]),
        ("I am a [gif](/ʤˈɪf/), A", "aɪˈæm ɐ ʤˈɪf, ˈeɪ", ["I", "am", "a", "gif", "A"]),
        ("a < b and c > d", "ɐ bˈiː ænd sˈiː dˈiː", ["a", "<", "b", "and", "c", ">", "d"]),
        ("[](/kæt/) sat", None, ["/kæt/", "sat"]),
        ("[ ](/kæt/) sat", None, ["/kæt/", "sat"]),
    ],
    ids=ascii,
)  # fmt: skip
def test_what_is_spoken(
    phonemizer: Phonemizer, text: str, phonemes: str | None, words: list[str]
) -> None:
    if phonemes is not None:
        assert phonemizer.phonemes(text, "en-us") == phonemes
    assert [word.text for word in written_words(text)] == words


@pytest.mark.parametrize(
    "text", ["[a](/ˈeɪ", "[a(/ˈeɪ/)", "a](/ˈeɪ/)", "[a] (/ˈeɪ/)", "<break", "[a\n](/b/)"]
)
def test_broken_markup_is_text(text: str) -> None:
    assert as_read(text) == text


def test_a_hint_is_for_every_language(phonemizer: Phonemizer) -> None:
    assert phonemizer.phonemes("Vi [Earshot](/ˈɪɹʃɑt/) qui.", "it") == "vˈi ˈɪɹʃɑt kwˈi."


def test_a_hinted_word_has_its_own_phonemes(phonemizer: Phonemizer) -> None:
    text = "Tell [Siobhan](/ʃɪvˈɔn/) I know."
    aligner = WordAligner(text, lambda words: [phonemizer.phonemes(w, "en-us") for w in words])
    phonemes = phonemizer.phonemes(text, "en-us")
    spoken = {p.text: phonemes[p.first : p.last + 1] for p in aligner.take(phonemes).places}
    assert spoken == {"Tell": "tˈɛl", "Siobhan": "ʃɪvˈɔn", "I": "aɪ", "know": "nˈoʊ"}


MARKUP = st.sampled_from(
    ["[", "]", "(", ")", "](/", "/)", "[a b](/kæt/)", "[x](https://a.b)", "<break/>", "<p>",
     " ", "\n"]
)  # fmt: skip
TEXTS = st.lists(MARKUP | st.text(max_size=6), max_size=20).map("".join)


@given(TEXTS)
def test_parts_hold_what_is_read_and_nothing_else(text: str) -> None:
    read = as_read(text)
    assert "".join(part.text for part in parts(text)) == read
    letters = iter(text)
    # ``in`` goes on from where it was: what is read is a part of the text, in order.
    assert all(c in letters for c in read if not c.isspace())


@given(TEXTS)
def test_every_word_is_found_in_what_is_read(text: str) -> None:
    spans, read = WordSpans(as_read(text)), ""
    for word in written_words(text):
        taken = spans.take(word.text)
        assert word.text in taken
        read += taken
    assert read + spans.rest() == as_read(text)


@given(st.lists(MARKUP | st.text(max_size=6), max_size=20).map("".join))
def test_no_markup_raises(text: str) -> None:
    assert set(SHARED.phonemes(text, "en-us")) <= set(VOCABULARY)


SHARED = Phonemizer()


@pytest.mark.parametrize(
    "unit", ["[", "[a](", "[a](/", "![", "<p ", "[a](x", "[a](x(", "[](", "[ "]
)
def test_a_text_full_of_brackets_is_text(unit: str) -> None:
    """Takes minutes where the search is not linear."""
    text = unit * (100_000 // len(unit))
    assert as_read(text) == text
