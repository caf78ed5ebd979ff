"""espeak-ng leaves nothing in the temporary folder, however the process ends."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path

import pytest

from speech.kokoro.g2p import Phonemizer


def test_nothing_lies_in_the_temporary_folder_while_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    phonemizer = Phonemizer()
    assert [phonemizer.phonemes("hi", language) for language in ("en-us", "fr-fr")]
    assert list(tmp_path.iterdir()) == []
    assert phonemizer.phonemes("hi", "en-us") == "hˈaɪ"


def test_an_espeak_let_go_of_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    Phonemizer().phonemes("hi", "en-us")
    gc.collect()
    assert capfd.readouterr().err == ""
