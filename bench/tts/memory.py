"""Resident memory of a process that only speaks, measured from outside it."""

from __future__ import annotations

import asyncio
import json
import sys

from bench.tts.ours import settings_of
from bench.tts.stage import Stage
from speech.errors import EarshotError

_TIMEOUT_S = 600.0
_STDERR_CHARACTERS = 300


async def measure(stage: Stage) -> dict[str, float]:
    """See ``bench.tts.memory_child``, which does it. Raises ``EarshotError``."""
    stage.progress.begin("memory", 1)
    order = {
        "settings": settings_of(stage.options).model_dump(mode="json"),
        "texts": [stage.texts_of(length)[0].words for length in stage.lengths],
    }
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.tts.memory_child",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            out, err = await child.communicate(json.dumps(order).encode())
    except TimeoutError:
        raise EarshotError(f"the memory part took longer than {_TIMEOUT_S:g} s") from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode:
        reason = err.decode("utf-8", "replace").strip()[-_STDERR_CHARACTERS:]
        raise EarshotError(f"the memory part failed: {reason}")
    stage.progress.step()
    sizes: dict[str, float] = json.loads(out)
    return sizes
