"""Try ``tts.engine=sagemaker`` by hand: ``python -m tests.aws`` (docs/aws.md)."""

from __future__ import annotations

import asyncio
import shlex

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.speech_server import serve
from tests.aws.emulator import Emulator


async def main() -> None:
    """This machine's voice as a container, the emulator before it; until Ctrl-C."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    settings = Settings.model_validate({"serve": {"port": 0}})
    serving = asyncio.create_task(
        serve(settings, Secrets(), notify=print, mark=_nothing, on_ready=ready.set_result)
    )
    await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
    if ready.done():
        async with Emulator(ready.result().removeprefix("http://")) as emulator:
            _tell(emulator)
            await asyncio.wait({serving})
    await serving


def _tell(emulator: Emulator) -> None:
    for name, value in emulator.environ.items():
        print(f"export {name}={shlex.quote(value)}")
    print(shlex.join(["earshot", "talk", *emulator.flags()]), flush=True)


def _nothing(line: str) -> None:
    pass


if __name__ == "__main__":
    asyncio.run(main())
