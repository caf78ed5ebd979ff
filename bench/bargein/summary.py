"""The record of ``earshot bench bargein`` in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_CUTS = (
    ("cut_to_silent_ms_p95", "cut to silence, ms, p95 (below 0: ducked before it)", 40),
    ("stop_to_silent_ms_p95", "explicit stop to silence, ms, p95", 40),
    ("samples_after_cut", "samples later than 40 ms after a cut", 0),
    ("onset_to_duck_ms_p95", "onset in the microphone to silence, ms, p95", 250),
    ("onset_to_duck_ms_median", "the same, median", None),
    ("onset_to_cut_ms_median", "onset to the decision, ms, median", None),
    ("fade_step_of_speech_max", "largest step at a cut, of speech's largest", 1),
    ("overcredited_words", "words credited that were not heard", 0),
    ("missing_words_max", "heard words missing in the record, most", 1),
    ("heard_but_not_in_context", "replies whose heard words are not in the context", 0),
    ("unaligned_cuts", "replies not found in the recording, left out of these", 0),
    ("missed_cuts", "interruptions that did not cut", 0),
    ("over_before_decided", "replies that were over before it could be decided", None),
    ("answer_ms_after_cut", "end of a user's words to the answer, ms, after a cut", None),
    ("answer_ms_undisturbed", "the same with the bot silent before", None),
    ("resume_gap_ms_max", "lost or repeated across a hold, ms, most", 5),
    ("noise_cuts", "replies that a noise ended", 0),
)


def summary(record: Mapping[str, Any]) -> list[str]:
    """What was measured; a part left out has no lines."""
    return [*_head(record["config"]), *_table(record), *_clock(record), *_rest(record)]


def _head(config: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{config['machine']['cpu']}, load {config['load_average_before']} before, "
        f"{config['load_average_after']} after"
    )
    if config.get("over_wire"):
        yield "The voice is behind a speech server, over loopback (tts.engine=server)."
    if config["quick"]:
        yield "A quick run: it shows that the benchmark works, not how good anything is."


def _table(record: Mapping[str, Any]) -> Iterator[str]:
    plain = record["pipecat"]
    yield f"{'':<54}{'ours':>9}{'pipecat':>9}{'wanted':>9}"
    for key, label, wanted in _CUTS:
        if record[key] is not None or plain.get(key) is not None:
            yield f"{label:<54}{_number(record[key])}{_number(plain.get(key))}{_number(wanted)}"
    for who, cut_of in (("ours", record), ("pipecat", plain)):
        if cut_of.get("noise_cuts_of"):
            yield f"ended by ({who}): {cut_of['noise_cuts_of']}"


def _clock(record: Mapping[str, Any]) -> Iterator[str]:
    for name, clock in (("ours", record["clock_ms"]), ("pipecat", record["pipecat"]["clock_ms"])):
        if clock:
            yield (
                f"clocks ({name}): the recording hears a reply's first sample "
                f"{clock['median']:+.1f} ms ({clock['least']:+.1f} to {clock['most']:+.1f}) from "
                "when the device says; the recording's own error is -10 to +2 ms"
            )


def _rest(record: Mapping[str, Any]) -> Iterator[str]:
    if record["cpu_idle_ms"] is not None:
        yield (
            f"processor idle {record['cpu_idle_ms']:.0f} ms after a cut (p95 of "
            f"{record['cpu_cuts_in_synthesis']} in mid-synthesis, wanted 200)"
        )
    echo = record["echo"]
    for name in ("cancelled", "guarded"):
        if part := echo[name]:
            yield (
                f"echo, {name}: {part['self_interruptions']} self-interruptions, "
                f"{part['self_answers']} answers to itself, {part['ducks']} ducks in "
                f"{part['bot_speech_s']:.0f} s of speech"
            )
    if echo["talk_overs"]:
        yield (
            f"talking over it: {echo['talk_overs_cut']} of {echo['talk_overs']} cut, "
            f"word error rate {100 * echo['talk_over_wer']:.0f} %"
        )


def _number(value: float | None) -> str:
    return f"{'-':>9}" if value is None else f"{value:>9.2f}".rstrip("0").rstrip(".").rjust(9)
