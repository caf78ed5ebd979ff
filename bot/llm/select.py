"""Which model answers."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Sequence
from typing import Protocol

import httpx

from bot.config.schema import LlmSettings, Settings
from bot.llm.embedded import EmbeddedServer, command
from bot.llm.endpoint import BASE_URL_KEY, NO_KEY, OPENAI_HOST, LlmEndpoint, is_loopback
from bot.llm.messages import system_prompt
from bot.llm.probe import LOCAL_SERVERS, LocalServer, find_local, list_models, pick_model
from speech.errors import EarshotError, UsageError
from speech.models.store import model_dir
from speech.redact import without_password

OPENAI_URL = f"https://{OPENAI_HOST}/v1"
DEFAULT_OPENAI_MODEL = "gpt-4.1-mini"
"""Answers fast and takes a temperature; the reasoning models think before the first word."""

CHECK_TIMEOUT_S = 5.0
EMBEDDED_MODEL = "embedded"

HOW_TO_CHANGE = "Change it with llm in config.yaml, or --set llm.base_url=URL --set llm.model=NAME."


class SecretSource(Protocol):
    """Where keys come from: ``bot.config.secrets.Secrets``."""

    def get(self, name: str) -> str | None:
        """The value; None when unset or empty."""


async def open_llm(
    settings: Settings, secrets: SecretSource, *, notify: Callable[[str], None]
) -> LlmEndpoint:
    """The endpoint of ``choose``, ready to be asked, and said once through ``notify``.

    The embedded server is started and warmed here. Raises ``EarshotError``.
    """
    endpoint = await choose(settings, secrets)
    if endpoint.server is not None:
        try:
            await endpoint.ready()
            await endpoint.server.prewarm(endpoint.model, system_prompt(settings))
        except BaseException:  # also cancellation: no child without an owner
            await endpoint.aclose()
            raise
    notify(f"LLM: {endpoint.description}. {HOW_TO_CHANGE}")
    return endpoint


async def choose(
    settings: Settings,
    secrets: SecretSource,
    *,
    local_servers: Sequence[LocalServer] = LOCAL_SERVERS,
) -> LlmEndpoint:
    """Decide, in order: what the configuration names, OpenAI's key, a local server, our own.

    Asks servers for their models, starts nothing. Raises ``UsageError`` where the
    configuration names what is not there, ``EarshotError`` where a server does not answer.
    """
    llm = settings.llm
    if llm.provider == "embedded":
        return await _embedded(settings)
    if llm.base_url:
        return await _named(llm, llm.base_url, secrets)
    if llm.provider in ("auto", "openai") and secrets.get("OPENAI_API_KEY"):
        return await _openai(llm, secrets)
    if llm.provider == "openai":
        raise UsageError(
            "llm is openai, but OPENAI_API_KEY is not set: set it, or set llm.base_url"
        )
    if (found := await find_local(llm.model, local_servers)) is not None:
        server, model = found
        text = f"{server.name} on this machine, model {model}"
        return LlmEndpoint(server.base_url, model, "local", text)
    return await _nothing_found(settings, local_servers)


async def _nothing_found(settings: Settings, servers: Sequence[LocalServer]) -> LlmEndpoint:
    llm = settings.llm
    if llm.provider == "local":
        names = ", ".join(f"{server.name} ({server.base_url})" for server in servers)
        wanted = f" with model {llm.model!r}" if llm.model else " with a chat model"
        raise EarshotError(
            f"no local LLM server{wanted}: start one of {names}, or set llm.base_url"
        )
    if llm.model is not None:
        raise UsageError(
            f"llm.model is {llm.model!r}, but no OPENAI_API_KEY is set and no local server has "
            "it: set llm.base_url too, or remove llm.model"
        )
    return await _embedded(settings)


async def _named(llm: LlmSettings, base_url: str, secrets: SecretSource) -> LlmEndpoint:
    key_name, key = _key_for(base_url, secrets)
    models = await _check(base_url, key, key_name)
    model = llm.model or pick_model(models, None)
    if model is None:
        raise UsageError(f"{without_password(base_url)} does not list its models: set llm.model")
    text = f"{base_url}, model {model} (from the configuration)"
    return LlmEndpoint(base_url, model, "configured", text, key or NO_KEY, key_name)


def _key_for(base_url: str, secrets: SecretSource) -> tuple[str | None, str | None]:
    """``EARSHOT_LLM_API_KEY`` goes to whatever the configuration names.

    ``OPENAI_API_KEY`` only over TLS: servers on this machine and in this house want none,
    and must not be shown it.
    """
    for name in ("EARSHOT_LLM_API_KEY", "OPENAI_API_KEY"):
        allowed = name != "OPENAI_API_KEY" or base_url.startswith("https://")
        if allowed and (key := secrets.get(name)):
            return name, key
    return None, None


async def _openai(llm: LlmSettings, secrets: SecretSource) -> LlmEndpoint:
    base_url = secrets.get("OPENAI_BASE_URL") or OPENAI_URL
    url_name = "OPENAI_BASE_URL" if secrets.get("OPENAI_BASE_URL") else BASE_URL_KEY
    key = secrets.get("OPENAI_API_KEY")
    models = await _check(base_url, key, "OPENAI_API_KEY", url_name)
    official = base_url.rstrip("/") == OPENAI_URL
    model = llm.model or (DEFAULT_OPENAI_MODEL if official else pick_model(models, None))
    if model is None:
        where = f"{without_password(base_url)} (OPENAI_BASE_URL)"
        raise UsageError(f"{where} does not list its models: set llm.model")
    text = f"{'OpenAI' if official else base_url}, model {model} (OPENAI_API_KEY is set)"
    return LlmEndpoint(base_url, model, "openai", text, key or NO_KEY, "OPENAI_API_KEY", url_name)


async def _check(
    base_url: str, key: str | None, key_name: str | None, url_name: str = BASE_URL_KEY
) -> list[str]:
    """Its models; [] where it answers but has no such list. Refused keys end the start.

    ``url_name`` is where the URL is written, and so what is to be changed.
    """
    shown = without_password(base_url)
    if not base_url.startswith(("http://", "https://")):
        shown = base_url.rpartition("@")[2]
        raise UsageError(f"{url_name} {shown!r} is not a URL: it looks like http://HOST:PORT/v1")
    try:
        return await list_models(base_url, api_key=key, timeout_s=CHECK_TIMEOUT_S)
    except httpx.HTTPStatusError as error:
        if error.response.status_code in (401, 403):
            hint = f"check {key_name}" if key_name else "set EARSHOT_LLM_API_KEY"
            refused = f"{shown} refused the key ({error.response.status_code})"
            raise EarshotError(f"{refused}: {hint}") from error
        return []
    except Exception as error:  # httpx, and what lies below it, raise about anything
        what = "start the server" if is_loopback(base_url) else "check the network"
        raise EarshotError(
            f"the LLM at {shown} does not answer ({type(error).__name__}): {what}, "
            f"change {url_name}, or use --set llm.provider=embedded"
        ) from error


async def _embedded(settings: Settings) -> LlmEndpoint:
    """SmolLM2's chat template has no place for tools (the prompt is the same with and without
    them), so they are not offered; requests are cut to its context."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise EarshotError("the embedded LLM needs xllamacpp: pip install xllamacpp")
    own = settings.llm.embedded
    folder = await asyncio.to_thread(model_dir, own.model, settings.models.dir)
    argv = command(folder / "model.gguf", threads=own.threads, context_tokens=own.context_tokens)
    server = EmbeddedServer(argv)
    return LlmEndpoint(
        base_url="",
        api_key=server.api_key,
        model=EMBEDDED_MODEL,
        kind="embedded",
        description=f"the embedded {own.model} (small: knows little, uses no tools)",
        tools_ok=False,
        context_tokens=own.context_tokens,
        server=server,
    )
