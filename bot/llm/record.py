"""Recording the configured model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bot.config.schema import Settings
from bot.llm.endpoint import LlmEndpoint
from bot.llm.faults import Faulted
from bot.llm.messages import system_prompt
from bot.llm.recording import Recorder, Reply, check_can_write, write_replies
from bot.llm.select import SecretSource, open_llm
from speech.errors import EarshotError


async def record_prompts(
    settings: Settings,
    secrets: SecretSource,
    prompts: Sequence[str],
    path: Path,
    *,
    notify: Callable[[str], None],
) -> list[Reply]:
    """Ask each prompt in one conversation; writes the file after each answer.

    Raises ``UsageError`` for a file that cannot be written, ``EarshotError`` where the model does
    not answer; what was recorded stays.
    """
    check_can_write(path)
    endpoint = await open_llm(settings, secrets, notify=notify)
    try:
        return await _record(settings, endpoint, prompts, path)
    except Faulted as error:
        raise EarshotError(endpoint.line(error.fault)) from error
    finally:
        await endpoint.aclose()


async def _record(
    settings: Settings, endpoint: LlmEndpoint, prompts: Sequence[str], path: Path
) -> list[Reply]:
    replies: list[Reply] = []
    async with endpoint.client(settings.llm) as client:
        recorder = Recorder(
            client,
            endpoint.model,
            system_prompt(settings),
            {
                endpoint.limit_name: settings.llm.max_tokens,
                "temperature": endpoint.temperature(settings.llm),
            },
            settings.llm,
        )
        for prompt in prompts:
            replies.append(await recorder.ask(prompt))
            write_replies(path, replies)
    return replies
