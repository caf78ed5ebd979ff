"""Credentials: from the environment or a ``.env`` file, never from ``config.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.config.dotenv_file import read_dotenv
from bot.config.nearest import nearest
from speech.redact import without_password

SECRET_NAMES = (
    "OPENAI_API_KEY",
    "EARSHOT_LLM_API_KEY",
    "EARSHOT_STT_API_KEY",
    "EARSHOT_TTS_SERVER_TOKEN",
    "TWILIO_ACCOUNT_SID",
    "TWILIO_AUTH_TOKEN",
    "TELNYX_API_KEY",
    "PLIVO_AUTH_ID",
    "PLIVO_AUTH_TOKEN",
    "EXOTEL_ACCOUNT_SID",
    "EXOTEL_API_KEY",
    "EXOTEL_API_TOKEN",
    "LIVEKIT_API_KEY",
    "LIVEKIT_API_SECRET",
    "DAILY_API_KEY",
    "EARSHOT_SERVE_TOKENS",
)
"""Names whose value is never shown, only its last four characters."""

PUBLIC_NAMES = ("OPENAI_BASE_URL", "TELNYX_PUBLIC_KEY", "LIVEKIT_URL")
"""Names that belong to the credentials but may be shown."""

KNOWN_NAMES = SECRET_NAMES + PUBLIC_NAMES

_MISSPELT = 0.85
"""How like a known name another must be: TELNYX_API_KEY is no misspelt DAILY_API_KEY, and other
programs keep their keys in the same file."""
_SHOWN_TAIL = 4
_LONG_ENOUGH_FOR_A_TAIL = 12
_LONG_ENOUGH_TO_REDACT = 6
"""A shorter value ("test") would be cut out of ordinary words."""


@dataclass(frozen=True)
class Secrets:
    """The credentials of this process; neither ``repr`` nor ``str`` shows them."""

    values: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str], dotenv_path: Path | None = None) -> Secrets:
        """The environment, completed by ``dotenv_path`` where that file exists.

        A variable that is set in the environment, even to nothing, wins over the file.
        Raises ``UsageError`` for a file that cannot be read or parsed.
        """
        from_file = read_dotenv(dotenv_path) if dotenv_path else {}
        return cls({**from_file, **environ})

    def get(self, name: str) -> str | None:
        """The value without surrounding white space; None when unset or empty."""
        return self.values.get(name, "").strip() or None

    def masked(self) -> dict[str, str | None]:
        """For each secret what may be shown of it: ``set (…abcd)``, or None when unset."""
        return {name: self._shown(name) for name in SECRET_NAMES}

    def public(self) -> dict[str, str | None]:
        """For each name beside the secrets its value, without a URL's password; None: unset."""
        return {name: self._shown(name) for name in PUBLIC_NAMES}

    def redact(self, text: str) -> str:
        """``text`` with every secret value and URL password in it replaced, for logs and errors."""
        for name in SECRET_NAMES:
            value = self.get(name)
            if value and len(value) >= _LONG_ENOUGH_TO_REDACT:
                text = text.replace(value, f"<{name}>")
        return without_password(text)

    def _shown(self, name: str) -> str | None:
        value = self.get(name)
        if value is None:
            return None
        if name in PUBLIC_NAMES:
            return without_password(value)
        if len(value) < _LONG_ENOUGH_FOR_A_TAIL:
            return "set"
        return f"set (…{value[-_SHOWN_TAIL:]})"

    def __repr__(self) -> str:
        return f"Secrets({', '.join(n for n in SECRET_NAMES if self.get(n)) or 'none'})"


def hints_for(names: Iterable[str]) -> list[str]:
    """A line for each name that nobody reads and that looks like one of ours misspelt."""
    unknown = [name for name in names if name not in KNOWN_NAMES]
    meant = {name: nearest(name, KNOWN_NAMES, _MISSPELT) for name in unknown}
    return [f"{name} is not read; did you mean {near}?" for name, near in meant.items() if near]
