"""What Prometheus is told."""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

_SECONDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


class Metrics:
    """The figures of one server. Labels never hold what a client chose."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = self._counter("requests", "HTTP requests for speech", ["route", "status"])
        self.in_flight = self._gauge("requests_in_flight", "HTTP requests for speech in progress")
        self.sessions = self._gauge("sessions", "WebSocket sessions that are open")
        self.queued = self._gauge("units_queued", "Units that wait or are spoken")
        self.units = self._counter("units", "Units by how they ended", ["outcome"])
        self.refused = self._counter("refused", "Requests, units and sessions not taken", ["why"])
        self.bad = self._counter("bad_messages", "Messages that were wrong", ["code"])
        self.audio = self._counter("audio_seconds", "Seconds of audio sent")
        self.wasted = self._counter("wasted_audio_seconds", "Seconds of audio made, not sent")
        self.synthesis = self._counter("synthesis_seconds", "Seconds waited for the engine")
        self.first_audio = Histogram(
            "earshot_first_audio_seconds",
            "From a unit's or request's arrival to its first sample",
            ["route"],
            registry=self.registry,
            buckets=_SECONDS,
        )
        self.ready = self._gauge("ready", "1 once the server is warm, and until it stops")

    def text(self) -> bytes:
        """All of them in Prometheus' text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, about: str, labels: list[str] | None = None) -> Counter:
        return Counter(f"earshot_{name}", about, labels or (), registry=self.registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(f"earshot_{name}", about, registry=self.registry)
