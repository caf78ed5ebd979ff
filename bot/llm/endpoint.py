"""Where the model is, and the pipecat service that asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import openai
from openai import AsyncOpenAI
from pipecat.services.openai.llm import OpenAILLMService

from bot.config.schema import LlmSettings, Settings
from bot.llm.faults import operator_line
from bot.llm.policy import Fault
from speech.redact import without_password

if TYPE_CHECKING:
    from bot.llm.embedded import EmbeddedServer

Kind = Literal["configured", "openai", "local", "embedded"]

OPENAI_HOST = "api.openai.com"
READ_SLACK_S = 1.0
"""The deadlines of ``bot.llm.policy`` come first; the client's is there should they fail."""

TEMPERATURE, EMBEDDED_TEMPERATURE = 0.7, 0.2

BASE_URL_KEY = "llm.base_url"

NO_KEY = "none"
"""What is sent where no key is needed; the SDK refuses an empty one."""


@dataclass
class LlmEndpoint:
    """An OpenAI-compatible server, ready to be asked; shared by all conversations.

    ``key_name`` is the variable the key came from, ``url_name`` where the URL is written.
    ``context_tokens`` is set where requests must be cut to fit. ``tools_ok`` is False where
    offering tools is useless. ``finishes`` once an answer has ended with a finish reason: one
    without is then cut short.
    """

    base_url: str = field(repr=False)
    model: str
    kind: Kind
    description: str
    api_key: str = field(default=NO_KEY, repr=False)
    key_name: str | None = None
    url_name: str = BASE_URL_KEY
    tools_ok: bool = True
    context_tokens: int | None = None
    finishes: bool = False
    server: EmbeddedServer | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        # It is printed, logged and written into reports; a URL may hold a password.
        self.description = without_password(self.description)

    @property
    def is_openai(self) -> bool:
        """OpenAI itself: it knows the developer role and wants ``max_completion_tokens``."""
        return urlsplit(self.base_url).hostname == OPENAI_HOST

    @property
    def is_loopback(self) -> bool:
        """On this machine, where a configured HTTP proxy must not be asked."""
        return is_loopback(self.base_url)

    def service(self, settings: Settings) -> OpenAILLMService:
        """A new service for one conversation, with the fault policy of ``bot.llm.service``."""
        from bot.llm.service import EarshotLLMService

        return EarshotLLMService(self, settings)

    def client(self, llm: LlmSettings) -> AsyncOpenAI:
        """The SDK with our timeouts and none of its retries; close it when done.

        A proxy from the environment is not asked for this machine.
        """
        read_s = max(llm.first_token_timeout_s, llm.stall_timeout_s) + READ_SLACK_S
        timeout = openai.Timeout(llm.connect_timeout_s, read=read_s)
        return AsyncOpenAI(
            api_key=self.api_key,
            base_url=self.base_url,
            max_retries=0,
            timeout=timeout,
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=timeout, trust_env=not self.is_loopback
            ),
        )

    def temperature(self, llm: LlmSettings) -> float:
        """The configured one, or what suits the model: a very small one rambles when warm."""
        if llm.temperature is not None:
            return llm.temperature
        return EMBEDDED_TEMPERATURE if self.kind == "embedded" else TEMPERATURE

    @property
    def limit_name(self) -> str:
        """The parameter that bounds an answer: OpenAI's newer models refuse the older name."""
        return "max_completion_tokens" if self.is_openai else "max_tokens"

    def line(self, fault: Fault) -> str:
        """One line that says what is wrong with it and what to do."""
        return operator_line(
            fault,
            base_url=self.base_url,
            model=self.model,
            key_name=self.key_name,
            url_name=self.url_name,
        )

    async def ready(self) -> str:
        """The URL to ask now; starts the embedded server again if it died.

        Raises ``EarshotError`` if that fails.
        """
        if self.server is not None:
            self.base_url = await self.server.ready()
        return self.base_url

    def suspect(self) -> None:
        """A request was not answered: look before the next one whether the server lives."""
        if self.server is not None:
            self.server.suspect()

    async def aclose(self) -> None:
        """End the embedded server; nothing to do for others. Idempotent."""
        if self.server is not None:
            await self.server.aclose()


def is_loopback(url: str) -> bool:
    """The URL's host is this machine, by name or number."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # not a URL
        return False
    return host in ("localhost", "::1") or host.startswith("127.")
