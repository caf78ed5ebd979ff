"""A WAV gives its samples and nothing else, however it was written; a bad one is named."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.audio.wav import AudioFileError, read_wav, write_wav
from speech.errors import EarshotError

RAMP = np.arange(-2_000, 2_000, dtype=np.int16) * 8


def save(path: Path, samples: np.ndarray, rate_hz: int = 16_000, subtype: str = "PCM_16") -> Path:
    soundfile.write(path, samples, rate_hz, subtype=subtype)
    return path


def with_sizes(source: Path, riff: int, data: int) -> Path:
    raw = bytearray(source.read_bytes())
    raw[4:8], raw[40:44] = struct.pack("<I", riff), struct.pack("<I", data)
    assert raw[36:40] == b"data"
    source.write_bytes(raw)
    return source


def test_round_trip(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", RAMP, 22_050)
    samples, rate_hz = read_wav(tmp_path / "a.wav")
    assert rate_hz == 22_050
    assert np.array_equal(samples, RAMP)
    assert os.listdir(tmp_path) == ["a.wav"]


def test_two_channels_are_written_as_given(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", np.stack([RAMP, -RAMP], axis=1), 16_000)
    assert soundfile.info(tmp_path / "a.wav").channels == 2
    assert not read_wav(tmp_path / "a.wav")[0].any()


@pytest.mark.parametrize(
    "subtype", ["PCM_U8", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW", "IMA_ADPCM"]
)
def test_every_encoding_is_read(tmp_path: Path, subtype: str) -> None:
    tone = (10_000 * np.sin(np.arange(8_000) / 10)).astype(np.int16)
    samples, rate_hz = read_wav(save(tmp_path / "a.wav", tone / 32_768, 16_000, subtype))
    assert rate_hz == 16_000
    assert samples.dtype == np.int16
    assert np.corrcoef(samples[: len(tone)], tone)[0, 1] > 0.999
    assert np.abs(samples).max() == pytest.approx(10_000, rel=0.05)


def test_phone_rate_stereo_is_mixed_down(tmp_path: Path) -> None:
    stereo = np.stack([RAMP, np.zeros_like(RAMP)], axis=1)
    samples, rate_hz = read_wav(save(tmp_path / "a.wav", stereo, 8_000))
    assert (rate_hz, len(samples)) == (8_000, len(RAMP))
    assert np.array_equal(samples, RAMP // 2)


def test_loud_floats_and_nan_clip(tmp_path: Path) -> None:
    floats = np.array([2.0, -2.0, np.nan, 0.0], np.float32)
    samples, _ = read_wav(save(tmp_path / "a.wav", floats, subtype="FLOAT"))
    assert samples.tolist() == [32767, -32767, 0, 0]


@pytest.mark.parametrize("riff", [0, 36, 0xFFFFFFFF])
@pytest.mark.parametrize("data", [0, 0x7FFFF000, 0xFFFFFFFF])
def test_placeholder_sizes_mean_up_to_the_end(tmp_path: Path, riff: int, data: int) -> None:
    warnings: list[str] = []
    source = with_sizes(save(tmp_path / "a.wav", RAMP), riff, data)
    samples, _ = read_wav(source, warn=warnings.append)
    assert np.array_equal(samples, RAMP)
    assert warnings == []


def test_no_length_in_an_honest_file_means_up_to_the_end(tmp_path: Path) -> None:
    """A streaming writer that knows the file's size in the end, not the chunk's."""
    source = with_sizes(save(tmp_path / "a.wav", RAMP), 36 + 2 * len(RAMP), 0)
    assert np.array_equal(read_wav(source)[0], RAMP)


@pytest.mark.parametrize("tail", [b"", b"LIST\x04\0\0\0INFO", b"id3 \x03\0\0\0abc\0LIST\0\0\0\0"])
def test_chunks_after_no_samples_are_not_sound(tmp_path: Path, tail: bytes) -> None:
    path = save(tmp_path / "a.wav", RAMP)
    path.write_bytes(path.read_bytes()[:44] + tail)
    with_sizes(path, 36 + len(tail), 0)
    with pytest.raises(AudioFileError, match="no sound"):
        read_wav(path)


@pytest.mark.parametrize(
    ("floats", "said"),
    [
        ([0.5, -1.0, 1.0], []),
        ([0.5, np.nan, np.inf], ["2 samples that are no numbers"]),
        ([1.5, -7.0, 0.0], ["2 samples beyond full scale"]),
        ([1.5, np.nan], ["1 samples that are no numbers", "1 samples beyond full scale"]),
    ],
)
def test_floats_that_do_not_fit_are_said(
    tmp_path: Path, floats: list[float], said: list[str]
) -> None:
    warnings: list[str] = []
    path = save(tmp_path / "a.wav", np.array(floats, np.float32), subtype="FLOAT")
    read_wav(path, warn=warnings.append)
    assert len(warnings) == len(said)
    assert all(words in line for words, line in zip(said, warnings, strict=True))


def test_a_file_that_is_too_long_is_refused_undecoded(tmp_path: Path) -> None:
    path = save(tmp_path / "a.wav", np.zeros(50_000, np.int16), 4_000)
    assert len(read_wav(path, longest_s=12.5)[0]) == 50_000
    with pytest.raises(AudioFileError, match=r"a\.wav is 12.5 s long, longer than 12 s"):
        read_wav(path, longest_s=12.0)


def test_a_truncated_file_plays_what_is_there_and_says_so(tmp_path: Path) -> None:
    source = save(tmp_path / "cut.wav", RAMP)
    source.write_bytes(source.read_bytes()[: 44 + 1_001])
    warnings: list[str] = []
    samples, _ = read_wav(source, warn=warnings.append)
    assert np.array_equal(samples, RAMP[:500])
    assert len(warnings) == 1
    assert "cut.wav is cut off: 1000 of 8000 bytes" in warnings[0]


def test_chunks_around_the_samples_are_not_sound(tmp_path: Path) -> None:
    raw = bytearray(save(tmp_path / "a.wav", RAMP).read_bytes())
    tag = b"LIST" + struct.pack("<I", 5) + b"INFOx\0"
    raw = raw[:36] + tag + raw[36:] + tag
    raw[4:8] = struct.pack("<I", len(raw) - 8)
    (tmp_path / "a.wav").write_bytes(raw)
    assert np.array_equal(read_wav(tmp_path / "a.wav")[0], RAMP)


BAD = {
    "empty": (b"", "is empty"),
    "text": (b"hello, I am not a sound\n" * 10, "is not a WAV file"),
    "mp3": (b"ID3\x04" + bytes(100), "is not a WAV file"),
    "avi": (b"RIFF\x24\0\0\0AVI " + bytes(60), "is not a WAV file"),
    "four bytes": (b"RIFF", "is cut off before its samples"),
    "no data chunk": (b"RIFF\x24\0\0\0WAVEfmt " + bytes(4), "is cut off before its samples"),
    "no format": (b"RIFF\x24\0\0\0WAVEdata\x04\0\0\0abcd", "has no format"),
    "rate 0": (
        b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0"
        + bytes(8)
        + b"\x02\0\x10\0data\x04\0\0\0abcd",
        "claims 1 channels at 0 Hz",
    ),
    "rate 1": (
        b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x01\0\0\0\x02\0\0\0\x02\0\x10\0"
        b"data\x04\0\0\0abcd",
        "claims 1 channels at 1 Hz, not 1 to 64 at 4000 to 384000 Hz",
    ),
    "unknown encoding": (
        b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x77\x66\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0"
        b"data\x04\0\0\0abcd",
        "cannot be decoded",
    ),
    "no samples": (
        b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0"
        b"data\0\0\0\0",
        "has no sound in it",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_that_names_it(tmp_path: Path, name: str) -> None:
    content, expected = BAD[name]
    path = tmp_path / "turn.wav"
    path.write_bytes(content)
    with pytest.raises(AudioFileError) as caught:
        read_wav(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert expected in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["missing.wav", "."])
def test_what_is_no_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(AudioFileError, match="cannot read"):
        read_wav(tmp_path / name)


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", b"RIFF\x24\0\0\0WAVE"]))
def test_no_bytes_raise_anything_else(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes, head: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.wav"
    path.write_bytes(head + tail)
    with contextlib.suppress(AudioFileError):
        read_wav(path)


def test_a_failed_write_names_the_file_and_leaves_the_old_one(tmp_path: Path) -> None:
    with pytest.raises(EarshotError, match=r"cannot write .*no-such-folder"):
        write_wav(tmp_path / "no-such-folder" / "a.wav", RAMP, 16_000)
    write_wav(tmp_path / "a.wav", RAMP, 16_000)
    # RLIMIT_FSIZE stands for a full disk: the write stops after 1000 bytes.
    script = (
        "import resource, signal, sys, numpy as np\n"
        "from pathlib import Path\n"
        "from speech.audio.wav import write_wav\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_wav(Path(sys.argv[1]), np.zeros(9000, np.int16), 16000)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a.wav")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == f"WriteError cannot write {tmp_path / 'a.wav'}: File too large\n"
    assert np.array_equal(read_wav(tmp_path / "a.wav")[0], RAMP)
    assert os.listdir(tmp_path) == ["a.wav"]
