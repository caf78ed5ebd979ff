"""Whatever a text holds it is normalised, in linear time, and every word knows its source."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from loguru import logger

from speech.engine import Word
from speech.kokoro.written import written_words
from speech.spoken import Normalizer, spoken
from speech.spoken.word_map import WordMap

LANGUAGES = ["en-us", "en-gb", "de", "fr-fr", "es", "it", "pt-br", "hi", "ja", "cmn", "xx", ""]
NORMALIZERS = {language: Normalizer(language) for language in LANGUAGES}
_PIECES = (
    "a A b5 $ € £ 5 10 1,000 1.5 3/4 10:30 2024 2025-03-04 % ° °C km/h kg * ** _ __ ` ``` # @ & "
    "+ - – — = < > | \\ / ~ ~~ ^ [ ] ( ) [x](/ʃ/) [x](http://a.b/c) <b> </b> <speak> </speak> "
    "&amp; ½ ² ➀ 😊 👍🏽 👨‍👩‍👧 ٣ ५ ５ 你 です é e\u0301 ’ ʼ … . , ; : ! ? \" ' VIP Louis XIV "
    "Chapter I St. Dr. Mr. e.g. a.m. p.m. www.a.de a@b.de x.pdf v1.2 +1 555 0142 e5 1e5 th st 1st "
    "90s '90s \ud800 \x00 \x1b[31m"
)
PIECES = st.sampled_from(_PIECES.split(" "))
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(PIECES, st.sampled_from([" ", "\n", "  "])), max_size=14).map("".join),
    st.lists(PIECES, max_size=10).map(" ".join),
)


@pytest.fixture(autouse=True)
def no_rule_fails() -> Iterator[None]:
    """A rule that fails is left out with a warning; here it is a failure."""
    failed: list[str] = []
    sink = logger.add(lambda message: failed.append(str(message)), level="WARNING")
    yield
    logger.remove(sink)
    assert failed == []


@settings(max_examples=250, deadline=None)
@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
@example("\ud83d", "en-us")
@example("➀❷²½٣", "en-us")
@example("1" * 400, "de")
def test_every_text_is_normalised_and_every_word_has_its_source(text: str, language: str) -> None:
    said = NORMALIZERS[language](text)
    covered = 0
    for span in said.spans:
        assert covered <= span.spoken_start < span.spoken_end <= len(said.text)
        assert 0 <= span.source_start < span.source_end <= len(text)
        covered = span.spoken_end
    assert "".join(said.text[s.spoken_start : s.spoken_end] for s in said.spans) == "".join(
        said.text.split()
    )
    starts = [span.source_start for span in said.spans]
    assert starts == sorted(starts)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["the", "train", "waits,", "Ann;", "who", "knows?"]), min_size=1))
def test_a_text_without_anything_to_say_otherwise_stays_as_it_is(found: list[str]) -> None:
    text = "  ".join(found)
    for normalize in NORMALIZERS.values():
        said = normalize(text)
        assert said.text == text
        for span in said.spans:
            assert (span.spoken_start, span.spoken_end) == (span.source_start, span.source_end)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_words_come_back_as_they_were_written_in_order(text: str) -> None:
    said = NORMALIZERS["en-us"](text)
    mapped = WordMap(text, said)
    heard = []
    for number, word in enumerate(written_words(said.text)):
        heard += mapped.take(Word(word.text, 10 * number, 10 * number + 10))
    heard += mapped.rest()
    wanted = iter(word.text for word in written_words(text))
    assert all(word.text in wanted for word in heard)  # a subsequence: some are never said
    assert all(word.start < word.end for word in heard)
    assert all(one.start <= two.start for one, two in pairwise(heard))


@pytest.mark.parametrize(
    "text",
    ["It raised $5.3 billion.", "Call 555-0142 at 10:30, room 101.", "**Bold** [site](http://a.b)s.",
     "Dr. Smith paid 50% of 1,000 dollars (about $5) - or 3/4?", "Plain words only."],
)  # fmt: skip
def test_no_written_word_is_missing(text: str) -> None:
    said = spoken(text)
    mapped = WordMap(text, said)
    words = [
        Word(word.text, 10 * n, 10 * n + 10) for n, word in enumerate(written_words(said.text))
    ]
    heard = [done.text for word in words for done in mapped.take(word)]
    assert heard == [word.text for word in written_words(text)]
    assert mapped.rest() == []


GROWING = [
    "a", "$", "$ ", "1", "1,", "1.", "*", "_", "a_", "[", "<b ", "- ", "(", "a.", "a@", "~~a ",
    "|", "😊", "a/", "1-", "1 ", '5" ', "1/", "+1 ", "http://", "<speak>", "[a](", "e\u0301",
    "On May 5 we paid $5. ",
]  # fmt: skip


@pytest.mark.parametrize("piece", GROWING, ids=ascii)
def test_time_is_linear_in_the_length(piece: str) -> None:
    """Eight times the text may take no more than thirty times as long (64 were quadratic)."""
    normalize = NORMALIZERS["en-us"]

    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        times = []
        for _ in range(2):
            begun = time.process_time()
            normalize(text)
            times.append(time.process_time() - begun)
        return min(times)

    short = seconds(800)
    assert seconds(6_400) < 30 * max(short, 0.001)
