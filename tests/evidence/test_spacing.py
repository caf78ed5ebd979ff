"""Guards: the record has one blank where words were left out or put in, else what was written."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import AggregatedTextFrame
from pipecat.utils.text.base_text_aggregator import TextType

from processors.aggregator import BEFORE, GAP, UNSPOKEN
from processors.spacing import Spacing


def unit(text: str, gap: str = " ", before: str = "") -> AggregatedTextFrame:
    frame = AggregatedTextFrame(text, TextType.SENTENCE)
    frame.metadata |= {BEFORE: before, GAP: gap} if before else {GAP: gap}
    return frame


def recorded(*steps: str) -> str:
    """``A.|gap|before`` is a unit; ``[]`` left out; ``*`` the gate's own; ``#`` not spoken."""
    spacing, record = Spacing(), ""
    for step in steps:
        kind, (text, gap, before) = step[0], (step.strip("[]*#") + "||").split("|")[:3]
        frame = unit(text, gap, before)
        if kind == "[":
            spacing.leave_out()
        elif kind == "#":
            code = AggregatedTextFrame(text, UNSPOKEN)
            record += text if spacing.needs(code) else ""
        elif kind == "*":
            frame = AggregatedTextFrame(text, TextType.SENTENCE)
            spacing.put_in(frame)
        else:
            spacing.join(frame)
        if kind not in "[#":
            record += frame.metadata.get(BEFORE, "") + text + frame.metadata.get(GAP, " ")
    return record


@pytest.mark.parametrize(
    ("steps", "record"),
    [
        (("A.| ", "B.|\n", "C.| "), "A. B.\nC. "),
        (("A.|", "B.|", "C.|"), "A.B.C."),
        (("A.|", "B.| | "), "A. B. "),
        (("A.| ", "[B.|]", "C.| | "), "A. C. "),
        (("A.|", "[B.|]", "C.| "), "A. C. "),
        (("[A.|]", "B.| | "), "B. "),
        (("*No.", "A.| | "), "No. A. "),
        (("A.|", "*No.", "B.| "), "A. No. B. "),
        (("A.|", "# "), "A. "),
        (("A.| ", "[B.|]", "# "), "A. "),
        (("A.|", "[B.|]", "# "), "A. "),
        (("A.| ", "#`x` ", "B.| "), "A. `x` B. "),
    ],
)
def test_table(steps: tuple[str, ...], record: str) -> None:
    assert recorded(*steps) == record
