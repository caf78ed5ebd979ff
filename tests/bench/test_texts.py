"""The texts are of the lengths they stand for, and the sentences are many and varied."""

from __future__ import annotations

import pytest

from bench.tts.stage import TEXTS_PER_LENGTH
from bench.tts.texts import LENGTHS, TOLERANCE, choose, phoneme_counter, read_lines
from speech.errors import EarshotError
from speech.kokoro.calibration import SENTENCES


def test_the_nearest_are_chosen_shortest_length_first() -> None:
    texts = ["a" * size for size in (10, 14, 16, 15, 100, 110, 94)]
    chosen = choose(texts, len, 2, lengths=(15, 100))
    assert [(text.phonemes, text.length) for text in chosen] == [
        (15, 15), (14, 15), (100, 100), (94, 100),
    ]  # fmt: skip


def test_too_few_of_a_length_are_refused() -> None:
    with pytest.raises(EarshotError, match="1 texts of about 15 phonemes; 2 are needed"):
        choose(["a" * 15, "a" * 30], len, 2, lengths=(15,))


def test_there_are_enough_texts_of_every_length() -> None:
    texts = choose(read_lines("texts.txt"), phoneme_counter(), TEXTS_PER_LENGTH)
    assert [text.length for text in texts] == sorted(LENGTHS * TEXTS_PER_LENGTH)
    assert all(abs(text.phonemes - text.length) <= TOLERANCE * text.length for text in texts)


def test_the_sentences() -> None:
    sentences = read_lines("sentences.txt")
    assert len(set(sentences)) == len(sentences) >= 50
    sizes = [len(sentence.split()) for sentence in sentences]
    assert min(sizes) <= 4
    assert max(sizes) >= 30
    assert not set(sentences) & set(read_lines("texts.txt"))


def test_no_voice_is_calibrated_with_what_it_is_judged_on() -> None:
    judged = {*read_lines("sentences.txt"), *read_lines("texts.txt")}
    assert not judged & set(SENTENCES)
