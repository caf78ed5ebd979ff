"""The default voice's statistics are shipped for the model that is fetched, and used at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bot.config.schema import Settings
from speech.kokoro import shipped
from speech.kokoro.shipped import read_ranges, shipped_file, shipped_ranges, write_ranges
from speech.kokoro.statistics import VERSION, VoiceStatistics
from speech.kokoro.streaming import Statistics
from speech.models.catalog import CATALOG

VOICE = Settings().tts.voice
LARGEST_BYTES = 200_000
TABLE = np.zeros((510, 1, 256), np.float32)


def default_file() -> Path:
    """By the published hashes, as ``shipped_file`` finds it by those of the files."""
    model = CATALOG["kokoro-82m-int8"].files[0].sha256[:16]
    files = {file.name: file.sha256[:12] for file in CATALOG["kokoro-voices"].files}
    name = f"{VOICE}-{files[f'{VOICE}.bin']}.npz"
    return Path(shipped.__file__).parent / model / f"statistics-v{VERSION}" / name


def measured(value: float) -> Statistics:
    layer = np.full(4, value, np.float32)
    return Statistics((layer,), (layer,))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    statistics = VoiceStatistics(tmp_path / "shipped.npz")
    statistics.fold(60, measured(1.0))
    statistics.save()
    return tmp_path / "shipped.npz"


def test_the_default_voice_streams_at_any_length_unmeasured(tmp_path: Path) -> None:
    assert default_file().is_file(), "run: python -m scripts.ship_statistics"
    statistics = VoiceStatistics(tmp_path / "none.npz", shipped=default_file())
    for phonemes in (25, 50, 100, 200, 510):
        average = statistics.get(phonemes)
        assert average is not None
        assert {layer.dtype for layer in (*average.mean, *average.variance)} == {np.dtype("f4")}


def test_nothing_else_is_shipped() -> None:
    default = default_file()
    there = set(Path(shipped.__file__).parent.rglob("*.npz"))
    assert there == {default, default.parent.parent / "ranges.npz"}
    assert all(file.stat().st_size <= LARGEST_BYTES for file in there)


def test_every_range_is_of_a_channel_that_is_used() -> None:
    ranges = shipped_ranges(default_file().parent.parent.name)
    assert len(ranges) == 2 * (48 + 15)
    assert all(values.shape[0] == 2 and np.isfinite(values).all() for values in ranges.values())
    assert all((values[0] <= values[1]).all() for values in ranges.values())
    assert shipped_ranges("0" * 64) == {}


def test_ranges_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = {
        name: np.arange(2 * channels, dtype=np.float32).reshape(2, channels)
        for name, channels in (("b/in", 3), ("a/out", 1), ("a/in", 5))
    }
    write_ranges(tmp_path / "ranges.npz", written)
    ranges = read_ranges(tmp_path / "ranges.npz")
    assert ranges.keys() == written.keys()
    assert all(np.array_equal(ranges[name], values) for name, values in written.items())


def test_another_model_or_voice_has_none() -> None:
    for name, digest in ((VOICE, CATALOG["kokoro-82m-int8"].files[0].sha256), (VOICE, "")):
        assert not shipped_file(name, TABLE, digest).exists()


def test_what_was_measured_here_comes_first(tmp_path: Path, file: Path) -> None:
    own = VoiceStatistics(tmp_path / "own.npz")
    own.fold(60, measured(2.0))
    own.save()
    average = VoiceStatistics(tmp_path / "own.npz", shipped=file).get(60)
    assert average is not None
    assert average.mean[0][0] == 2.0


def test_a_damaged_file_of_our_own_gives_way(tmp_path: Path, file: Path) -> None:
    (tmp_path / "own.npz").write_bytes(b"PK\x03\x04 cut off")
    assert VoiceStatistics(tmp_path / "own.npz", shipped=file).buckets == [2]


def test_refining_leaves_what_is_shipped_alone(tmp_path: Path, file: Path) -> None:
    before = file.read_bytes()
    statistics = VoiceStatistics(tmp_path / "own.npz", shipped=file)
    statistics.fold(60, measured(3.0))
    statistics.save()
    assert file.read_bytes() == before
    average = VoiceStatistics(tmp_path / "own.npz").get(60)
    assert average is not None
    assert average.mean[0][0] == pytest.approx(2.0)
