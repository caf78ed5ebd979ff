"""Every engine keeps the promises of ``speech.engine``."""

from __future__ import annotations

import pytest

from tests.engines.conformance import TestAudio, TestCancel, TestSessions, TestText

__all__ = ["TestAudio", "TestCancel", "TestSessions", "TestText"]

pytestmark = [pytest.mark.models, pytest.mark.asyncio(loop_scope="module")]
