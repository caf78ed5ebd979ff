"""A WAV stream cut anywhere gives its samples, and its header is never heard."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from speech.audio.wav import WavStreamDecoder
from speech.audio.wav_stream import WavStreamError

FORMAT = "57415645666d74201000000001000100c05d000080bb000002001000"
SAMPLES = "0100020003000400"
WAVS = {
    "plain": f"524946462c000000{FORMAT}6461746108000000{SAMPLES}",
    "list_before_data": (
        f"524946463e000000{FORMAT}4c4953540a000000494e464f4946535400006461746108000000{SAMPLES}"
    ),
    "sizes_ffffffff": f"52494646ffffffff{FORMAT}64617461ffffffff{SAMPLES}",
    "sizes_zero": f"5249464600000000{FORMAT}6461746100000000{SAMPLES}",
    "raw_pcm_no_header": SAMPLES,
    "list_after_data": f"524946463e000000{FORMAT}6461746108000000{SAMPLES}4c49535402000000ffff",
}


def decode(data: bytes, sizes: list[int]) -> list[int]:
    decoder, out, position = WavStreamDecoder(), [], 0
    for size in [*sizes, len(data)]:
        out += decoder.feed(data[position : position + size]).tolist()
        position += size
    return out + decoder.end().tolist()


@pytest.mark.parametrize("sizes", [[], [1] * 100, [20]], ids=["whole", "bytewise", "first 20"])
@pytest.mark.parametrize("name", WAVS)
def test_case_d04(name: str, sizes: list[int]) -> None:
    """Case D04."""
    tracemalloc.start()
    assert decode(bytes.fromhex(WAVS[name]), sizes) == [1, 2, 3, 4]
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


@given(st.sampled_from(sorted(WAVS)), st.lists(st.integers(0, 12), max_size=20))
def test_any_split_gives_equal_samples(name: str, sizes: list[int]) -> None:
    assert decode(bytes.fromhex(WAVS[name]), sizes) == [1, 2, 3, 4]


@given(st.lists(st.integers(1, 9), max_size=40))
def test_stereo_is_mixed_down_across_any_split(sizes: list[int]) -> None:
    stereo, memory = np.arange(24, dtype=np.int16).reshape(-1, 2) * 100, io.BytesIO()
    soundfile.write(memory, stereo, 16_000, format="WAV")
    expected = [int(left + right) // 2 for left, right in stereo.astype(int)]
    assert decode(memory.getvalue(), sizes) == expected


def test_the_rate_is_the_headers() -> None:
    decoder = WavStreamDecoder(bare_rate_hz=8_000)
    assert decoder.rate_hz == 8_000
    decoder.feed(bytes.fromhex(WAVS["plain"]))
    assert decoder.rate_hz == 24_000


@pytest.mark.parametrize("subtype", ["PCM_24", "FLOAT", "ULAW"])
def test_another_encoding_is_refused_not_played_as_noise(subtype: str) -> None:
    memory = io.BytesIO()
    soundfile.write(memory, np.zeros(100), 16_000, format="WAV", subtype=subtype)
    with pytest.raises(WavStreamError, match="not 16-bit PCM"):
        WavStreamDecoder().feed(memory.getvalue())


def test_an_endless_header_is_refused() -> None:
    decoder = WavStreamDecoder()
    decoder.feed(bytes.fromhex(f"52494646ffffffff{FORMAT}") + b"LIST\xf0\xff\xff\xff")
    with pytest.raises(WavStreamError, match="no samples in its first megabyte"):
        decoder.feed(bytes(1 << 20))


@pytest.mark.parametrize("stream", [b"", b"R", b"RIF", b"\x01"])
def test_a_stream_too_short_to_tell(stream: bytes) -> None:
    assert len(decode(stream, [1] * 4)) == len(stream) // 2
