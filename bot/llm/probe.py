"""Asking a server which models it has."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

PROBE_TIMEOUT_S = 0.5
"""A server on this machine answers within milliseconds; one that loads may need some more."""

MAX_LIST_BYTES = 1 << 20

NOT_CHAT = ("embed", "bge-", "rerank", "whisper", "tts", "clip")
"""Parts of model names that do not hold a conversation."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A known program and where it listens when nobody changed it."""

    name: str
    base_url: str


LOCAL_SERVERS = (
    LocalServer("Ollama", "http://127.0.0.1:11434/v1"),
    LocalServer("LM Studio", "http://127.0.0.1:1234/v1"),
    LocalServer("llama.cpp", "http://127.0.0.1:8080/v1"),
)


async def list_models(
    base_url: str, *, api_key: str | None = None, timeout_s: float = PROBE_TIMEOUT_S
) -> list[str]:
    """The ids that ``GET {base_url}/models`` names; [] if the answer is not such a list.

    Raises ``httpx.HTTPError`` if there is no answer or it is an error status, and
    ``TimeoutError`` if it takes longer than ``timeout_s`` in all.
    """
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    url = base_url.rstrip("/") + "/models"
    trust_env = "//127." not in url and "//localhost" not in url
    async with (
        asyncio.timeout(timeout_s),
        httpx.AsyncClient(timeout=timeout_s, trust_env=trust_env) as client,
        client.stream("GET", url, headers=headers) as response,
    ):
        response.raise_for_status()
        body = b""
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > MAX_LIST_BYTES:
                return []
    return model_ids(body)


def model_ids(body: bytes) -> list[str]:
    """Read a model list; anything else on that port gives []."""
    try:
        data = json.loads(body)["data"]
        return [str(entry["id"]) for entry in data if entry["id"]]
    except (ValueError, KeyError, TypeError):
        return []


def pick_model(ids: Sequence[str], wanted: str | None) -> str | None:
    """The wanted model if it is there; without a wish the first that can talk."""
    if wanted is not None:
        return wanted if wanted in ids else None
    talkers = [name for name in ids if not any(part in name.lower() for part in NOT_CHAT)]
    return talkers[0] if talkers else None


async def find_local(
    wanted: str | None, servers: Sequence[LocalServer] = LOCAL_SERVERS
) -> tuple[LocalServer, str] | None:
    """The first server, in order of ``servers``, that has a usable model; all asked at once."""
    lists = await asyncio.gather(*(_models_or_none(server) for server in servers))
    for server, ids in zip(servers, lists, strict=True):
        if (model := pick_model(ids, wanted)) is not None:
            return server, model
    return None


async def _models_or_none(server: LocalServer) -> list[str]:
    try:
        return await list_models(server.base_url)
    except (httpx.HTTPError, TimeoutError):
        return []
