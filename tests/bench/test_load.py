"""``earshot bench load`` counts what a listener hears, and climbs until somebody hears a gap."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench.figures import percentiles, slope
from bench.load.level import figures, measure
from bench.load.listener import Heard, Listener
from bench.load.mix import Mix, Reply
from bench.load.run import MOST_SESSIONS, SLO_MS, _climb, record, run
from bench.load.strategies import Voice
from bench.load.summary import summary
from bench.options import Options
from bench.playback import Arrival
from bench.speech_server import ServedVoice
from bot.commands.bench import command
from bot.config.schema import Settings
from bot.voice import build_engine
from speech.engine import SpeechEngine
from speech.errors import EngineBusyError
from speech.models.store import models_root
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.running import running
from tests.speech_server.socket import server
from tests.support import require

SENTENCES = ["Ten chars."] * 3
CHARACTER_S = 0.1


class FakeStrategy:
    """One machine and one lock: a unit takes ``cost`` of its sound, which comes in one piece."""

    name = "fake"
    waiting = 0

    def __init__(self, cost: float, refusals: int = 0) -> None:
        self.cost, self.refusals = cost, refusals
        self.lock = asyncio.Lock()

    async def open(self) -> Voice:
        return FakeVoice(self)


class FakeVoice:
    def __init__(self, strategy: FakeStrategy) -> None:
        self._strategy = strategy

    def speak(self, unit_id: str, text: str) -> AsyncGenerator[float]:
        if self._strategy.refusals:
            self._strategy.refusals -= 1
            raise EngineBusyError("busy", 2.0)
        return self._piece(CHARACTER_S * len(text))

    async def _piece(self, seconds: float) -> AsyncGenerator[float]:
        async with self._strategy.lock:
            await asyncio.sleep(self._strategy.cost * seconds)
        yield seconds

    async def aclose(self) -> None:
        pass


@pytest.mark.looptime
class TestListener:
    async def hear(self, strategy: FakeStrategy, *units: str) -> Heard:
        listener = Listener("s0", await strategy.open(), lead_s=5.0)
        begun = asyncio.get_running_loop().time()
        await listener.hear(Reply(0.0, units, tuple(0.0 for _ in units)))
        (heard,) = listener.diary
        self.lasted_s = asyncio.get_running_loop().time() - begun
        return heard

    async def test_hears_the_first_sound_and_the_silence_between_units(self) -> None:
        heard = await self.hear(FakeStrategy(0.5), "x" * 10, "x" * 40)
        assert heard.first_audio_s == pytest.approx(0.5)
        (gap,) = heard.gaps  # the second takes 2 s, and the first lasts 1 s
        assert (gap.length_s, gap.between_units) == (pytest.approx(1.0), True)
        assert [late for _, late in heard.between_units_s()] == pytest.approx([1.0])
        assert self.lasted_s == pytest.approx(0.5 + 2.0 + 4.0)

    async def test_reads_no_further_ahead_than_the_lead(self) -> None:
        heard = await self.hear(FakeStrategy(0.0), *["x" * 40] * 4)
        assert [piece.at_s for piece in heard.arrivals] == pytest.approx([0.0, 0.0, 3.0, 7.0])
        assert heard.gaps == ()

    async def test_a_refusal_is_waited_out_and_belongs_to_the_first_audio(self) -> None:
        heard = await self.hear(FakeStrategy(0.5, refusals=2), "x" * 10)
        assert heard.refused == 2
        assert heard.first_audio_s == pytest.approx(4.5)


@pytest.mark.looptime
class TestLevel:
    @pytest.fixture(autouse=True)
    def _seldom_sampled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bench.load.level._SAMPLE_S", 5.0)

    async def test_the_row_of_a_machine_that_keeps_up(self) -> None:
        row = await measure(FakeStrategy(0.1), 2, 60.0, Mix(), SENTENCES, 5.0)
        assert row["gaps"] == row["refused"] == 0
        assert row["replies"] > 8
        assert row["units"] >= row["replies"]
        assert row["audio_s"] == pytest.approx(row["units"])
        assert all(99 < first < 201 for first in row["first_audio_ms"])

    async def test_a_machine_that_slows_down_shows_a_trend(self) -> None:
        strategy = FakeStrategy(1.0)
        listening = asyncio.create_task(measure(strategy, 1, 120.0, Mix(), SENTENCES, 5.0))
        while not listening.done():
            await asyncio.sleep(10)
            strategy.cost += 0.1
        row = await listening
        assert row["gaps"] > 0
        assert row["between_units_trend_ms_per_minute"] > 100

    async def test_it_climbs_to_the_first_level_with_a_gap(self) -> None:
        async def level(strategy: Any, sessions: int) -> dict[str, Any]:
            return await measure(strategy, sessions, 60.0, Mix(), SENTENCES, 5.0)

        rows = await _climb(FakeStrategy(0.8), level, quick=False)
        assert [row["sessions"] for row in rows] == list(range(1, len(rows) + 1))
        assert [row["gaps"] > 0 for row in rows[:-1]] == [False] * (len(rows) - 1)
        assert 1 < len(rows) < MOST_SESSIONS


def test_conversations_repeat_themselves_for_the_same_seed() -> None:
    mix = Mix()
    for seed in range(3):
        one, same, other = (
            list(itertools.islice(mix.conversation(["a.", "bb.", "ccc."], number), 20))
            for number in (seed, seed, seed + 1)
        )
        assert one == same != other
        assert {len(reply.units) for reply in one} == {1, 2, 3}
        assert all(3.0 <= reply.pause_s <= 9.0 for reply in one)


def test_percentiles_and_slope() -> None:
    assert percentiles([]) == {"p50": None, "p95": None, "p99": None}
    assert percentiles(range(1, 101)) == {"p50": 50.5, "p95": 96, "p99": 100}
    assert slope([]) is slope([(1.0, 2.0)]) is slope([(1.0, 2.0), (1.0, 3.0)]) is None
    assert slope([(0.0, 1.0), (2.0, 5.0)]) == pytest.approx(2.0)


def row(strategy: str, sessions: int, first_ms: float, gaps: int = 0, **more: Any) -> Any:
    heard = Heard(0.0, [Arrival(first_ms / 1000, 1.0)], units=1)
    return {
        "strategy": strategy, "sessions": sessions, "seconds": 60.0, **figures([heard], 0.0),
        "gaps": gaps, "waiting_max": 1, **more,
    }  # fmt: skip


CONFIG = {
    "slo_ms": 1000, "machine": {"cpu": "x"}, "threads": 2, "seconds_a_level": 60.0,
    "load_average_before": 0, "load_average_after": 0, "quick": False, "over_wire": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "ratio", "bound", "told"),
    [
        ([("ours", 1, 200.0), ("ours", 2, 300.0), ("one_lock", 1, 900.0)], 2.0, False, "2"),
        (
            [("ours", 1, 200.0), ("ours", 2, 300.0), ("one_lock", 1, 1900.0)],
            2.0,
            True,
            "at least 2",
        ),
        ([("ours", 1, 1200.0), ("one_lock", 1, 1900.0)], None, False, "-"),
        ([("ours", 1, 200.0)], None, False, "-"),  # one lock was not measured
    ],
)
def test_where_one_lock_holds_none_the_ratio_is_a_bound(
    rows: Any, ratio: float | None, bound: bool, told: str
) -> None:
    document = record(CONFIG, [row(*each) for each in rows])
    assert (document["ratio"], document["ratio_is_lower_bound"]) == (ratio, bound)
    assert any(line.endswith(f"ratio {told}") for line in summary(document))


def test_held_is_up_to_the_first_level_that_failed() -> None:
    rows = [
        *(row("ours", number, 200.0 * number) for number in (1, 2, 3, 4)),
        row("ours", 5, 300.0, gaps=1),
        row("one_lock", 1, 900.0),
        row("one_lock", 2, 1800.0),
        row("one_lock", 3, 3100.0),
        row("ours", 6, 700.0, refused=9, overload=True),
    ]
    document = record(CONFIG, rows)
    assert (document["sessions"], document["sessions_one_lock"], document["ratio"]) == (4, 1, 4.0)
    assert document["sessions_by_slo_ms"] == dict(
        zip(map(str, SLO_MS), (2, 4, 4, 4, 4), strict=True)
    )
    assert document["sessions_one_lock_by_slo_ms"]["500"] == 0
    assert document["sessions_one_lock_by_slo_ms"]["3000"] == 2
    assert document["first_audio_ms"]["p95"] == 800.0
    assert (document["refused_at_150pct"], document["gaps_at_150pct"]) == (9, 0)
    assert any("ours / one lock" in line for line in summary(document))


@asynccontextmanager
async def fake_server(settings: Settings, folder: Path) -> AsyncIterator[ServedVoice]:
    async with running(server(FakeEngine())) as address:
        tts = {"engine": "server", "server": {"url": f"http://{address}"}}
        yield ServedVoice(Settings.model_validate({"tts": tts}), 0)


def fake_or_remote(settings: Settings) -> SpeechEngine:
    return build_engine(settings) if settings.tts.engine == "server" else FakeEngine()


def test_over_the_wire_it_is_the_same_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.load.run.LEVEL_S", 0.3)
    monkeypatch.setattr("bench.load.run.Mix", lambda: Mix(units=(1,), pause_s=(0.0, 0.1)))
    monkeypatch.setattr("bench.load.run.read_lines", lambda _name: ["Yes, I can."] * 3)
    monkeypatch.setattr("bench.load.run.build_engine", fake_or_remote)
    monkeypatch.setattr("bench.load.run.served", fake_server)
    records = [
        run(Options(Settings(), quick=True, only=["ours"], over_wire=over_wire))
        for over_wire in (False, True)
    ]
    here, wired = records
    assert here.keys() == wired.keys()
    assert here["config"].keys() == wired["config"].keys()
    assert (here["config"]["over_wire"], wired["config"]["over_wire"]) == (False, True)
    for document in records:
        (level,) = document["rounds"]
        assert level["strategy"] == "ours"
        assert level["replies"] >= 1
        assert level["gaps"] == 0
    assert any("over WebSockets" in line for line in summary(wired))


@pytest.mark.models
@pytest.mark.usefixtures("loaded_once")
def test_both_strategies_speak_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    require((models_root() / "kokoro-82m-int8" / "model.onnx").is_file(), "Kokoro's files")
    monkeypatch.setattr("bench.load.run.LEVEL_S", 0.5)
    monkeypatch.setattr("bench.load.run.Mix", lambda: Mix(units=(1,), pause_s=(0.0, 0.1)))
    monkeypatch.setattr("bench.load.run.read_lines", lambda _name: ["Yes, I can."])
    result = CliRunner().invoke(command, ["load", "--quick", "--json", "--only", "ours,one-lock"])
    assert result.exit_code == 0, (result.output, result.exception)
    document = json.loads(result.stdout)
    by_name = {row["strategy"]: row for row in document["rounds"]}
    assert set(by_name) == {"ours", "one_lock"}
    for row in by_name.values():
        assert row["replies"] >= 1
        assert row["first_audio_ms"][0] > 0
