"""Delay, echo and noise are measured in a recording, and the advice follows from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.config.keys import leaves
from bot.config.schema import Settings
from bot.doctor import duplex
from bot.doctor.acoustics import Acoustics, measure
from bot.doctor.advice import HEADPHONES, SETTINGS, advise
from bot.doctor.chirp import CHIRP_S, LEVEL_DBFS, find_chirp, make_chirp, make_sweeps
from bot.doctor.duplex import PAUSE_S, QUIET_S, SWEEPS_S, TOTAL_S, Duplex
from bot.doctor.echo import judge_echo
from bot.doctor.echo_child import measured
from tests.transports.local.fake_backend import FakeBackend

RATE_HZ = 16_000


def _noise(count: int, rms: float) -> NDArray[np.int16]:
    return np.random.default_rng(2).normal(0, rms, count).astype(np.int16)


def _heard(delay_s: float, gain: float, noise: float = 10.0) -> NDArray[np.int16]:
    quiet, pause = (np.zeros(round(s * RATE_HZ)) for s in (QUIET_S + delay_s, PAUSE_S))
    sounds = [quiet, make_chirp(RATE_HZ), pause, make_sweeps(RATE_HZ, SWEEPS_S), pause]
    played = np.concatenate(sounds)[: round(TOTAL_S * RATE_HZ)] * gain
    return np.asarray(np.rint(played).astype(np.int16) + _noise(len(played), noise))


def _duplex(heard: NDArray[np.int16], clean: NDArray[np.int16] | None) -> Duplex:
    chirp_s = QUIET_S
    return Duplex(RATE_HZ, heard, clean, chirp_s, chirp_s + CHIRP_S + PAUSE_S, 0.07, 0)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize("noise", [0.0, 1_000.0])
def test_a_chirp_is_found_where_it_is(rate_hz: int, noise: float) -> None:
    """Also 20 dB below the noise."""
    silence = np.zeros(rate_hz // 2, np.int16)
    sound = np.concatenate([silence, make_chirp(rate_hz) // 20, silence])
    found = find_chirp(sound + _noise(len(sound), noise), rate_hz)
    assert found is not None
    assert found.at_s == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize("kind", ["silence", "noise", "tone", "empty"])
def test_no_chirp_is_none(kind: str) -> None:
    times = np.arange(32_000) / 16_000
    recordings = {
        "silence": np.zeros(32_000),
        "noise": _noise(32_000, 1_000),
        "tone": 3_000 * np.sin(2 * np.pi * 440 * times),
        "empty": np.zeros(0),
    }
    assert find_chirp(recordings[kind].astype(np.int16), 16_000) is None


def test_nothing_is_louder_than_said() -> None:
    for sound in (make_chirp(RATE_HZ), make_sweeps(RATE_HZ, 4.0)):
        level = 20 * np.log10(np.sqrt(np.mean(sound.astype(np.float64) ** 2)) / 32_768)
        assert level == pytest.approx(LEVEL_DBFS, abs=0.2)
        assert np.abs(sound.astype(np.int32)).max() < 32_768 // 4


@pytest.mark.parametrize("delay_s", [-0.02, 0.0, 0.08, 0.4])
@pytest.mark.parametrize("gain_db", [0.0, -6.0, -30.0])
def test_what_comes_back_is_measured(delay_s: float, gain_db: float) -> None:
    heard = _heard(delay_s, 10 ** (gain_db / 20), noise=5.0)
    clean = np.rint(heard * 0.1).astype(np.int16)
    found = measure(_duplex(heard, clean))
    assert found.delay_ms == pytest.approx(delay_s * 1000, abs=2)
    assert found.round_trip_ms == pytest.approx(delay_s * 1000 + 70, abs=2)
    assert found.return_loss_db == pytest.approx(-gain_db, abs=1)
    assert found.enhancement_db == pytest.approx(20, abs=1.5)
    assert found.noise_dbfs == pytest.approx(-76, abs=1)


def test_headphones() -> None:
    found = measure(_duplex(_noise(round(TOTAL_S * RATE_HZ), 5.0), None))
    assert not found.heard
    assert found.noise_dbfs == pytest.approx(-76, abs=1)
    assert advise(found).mode == "full duplex"


ROOM = Acoustics(-60.0, -30.0, -58.0, 90.0, 180.0, 6.0, 34.0)


@pytest.mark.parametrize(
    ("found", "mode", "said"),
    [
        (ROOM, "full duplex", "noise"),
        (replace(ROOM, noise_dbfs=-90.0), "full duplex", "28 dB weaker"),
        (replace(ROOM, left_dbfs=-45.0, after_db=21.0), "guarded", "only 15 dB"),
        (replace(ROOM, left_dbfs=-33.0, after_db=9.0), "push to talk", "headphones"),
        (replace(ROOM, left_dbfs=-33.0, after_db=9.0, delay_ms=700.0), "push to talk", "700 ms"),
        (
            replace(ROOM, left_dbfs=None, after_db=None, trouble="no library"),
            "push to talk",
            "no l",
        ),
        (Acoustics(-60.0), "full duplex", "does not hear"),
    ],
)
def test_advice(found: Acoustics, mode: str, said: str) -> None:
    advice = advise(found)
    assert advice.mode == mode
    assert said in f"{advice.why}; {advice.hint}"


@pytest.mark.parametrize("settings", [HEADPHONES, *SETTINGS.values()])
def test_what_is_to_be_written_is_valid(settings: dict[str, object]) -> None:
    for key, value in settings.items():
        assert tuple(key.split(".")) in leaves()
        section, name = key.split(".")
        Settings.model_validate({section: {name: value}})


@pytest.mark.parametrize(
    ("figures", "statuses", "said"),
    [
        (ROOM.as_dict(), ["ok", "ok"], "6 dB weaker than played, 34 dB once cancelled; 90 ms"),
        (Acoustics(-60.0).as_dict(), ["ok", "ok"], "write barge_in.protect_s: 0.0"),
        (Acoustics(-96.0).as_dict(), ["warn"], "unmute the microphone"),
        (replace(ROOM, left_dbfs=-33.0, after_db=9.0).as_dict(), ["ok", "warn"], "write "),
        (replace(ROOM, ran_dry=2).as_dict(), ["warn", "ok"], "ran dry 2 times"),
        (replace(ROOM, ran_dry=2, left_dbfs=-33.0, after_db=9.0).as_dict(), ["warn"], "again"),
        (Acoustics(-36.0, ran_dry=4).as_dict(), ["warn"], "again"),
        ({"error": "the microphone 'USB' is busy: close it"}, ["fail"], "close it"),
    ],
)
def test_the_lines(figures: dict[str, Any], statuses: list[str], said: str) -> None:
    checks = judge_echo(Settings(), figures)
    assert [check.status for check in checks] == statuses
    assert said in str(checks)
    assert all(check.fix for check in checks if check.status != "ok")


def test_a_machine_without_a_microphone() -> None:
    assert "microphone" in measured(Settings().audio, FakeBackend(listed=[]))["error"]


def test_a_microphone_that_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplex, "_STALL_S", 0.01)
    backend = FakeBackend()
    assert measured(Settings().audio, backend) == {"error": "the microphone delivers nothing"}
    assert all(stream.closed for stream in backend.streams)
