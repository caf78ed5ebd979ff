"""Checks of the credentials: those the configuration needs, and who may read them."""

from __future__ import annotations

import stat
from pathlib import Path

from bot.config.dotenv_file import read_dotenv
from bot.config.schema import Settings
from bot.config.secrets import SECRET_NAMES, Secrets, hints_for
from bot.doctor.check import Check

PHONE_NAMES = {
    "twilio": ("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"),
    "telnyx": ("TELNYX_API_KEY", "TELNYX_PUBLIC_KEY"),
    "plivo": ("PLIVO_AUTH_ID", "PLIVO_AUTH_TOKEN"),
    "exotel": ("EXOTEL_API_KEY", "EXOTEL_API_TOKEN"),
}
ROOM_NAMES = {
    "livekit": ("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"),
    "daily": ("DAILY_API_KEY",),
}


def check_keys(settings: Settings, secrets: Secrets) -> list[Check]:
    """A line for the keys that are set, one for each that is needed and is not."""
    masked = secrets.masked()
    known = [f"{name} {masked[name]}" for name in SECRET_NAMES if masked[name]]
    checks = [Check("keys", "ok", ", ".join(known) or "none set; none is needed to talk")]
    if settings.llm.provider == "openai" and not settings.llm.base_url:
        checks += _needed(secrets, ("OPENAI_API_KEY",), "llm.provider is openai")
    remote_ears = settings.stt.kind == "openai" and not settings.stt.base_url
    if remote_ears and not secrets.get("OPENAI_API_KEY"):
        checks += _needed(secrets, ("EARSHOT_STT_API_KEY",), "stt.kind is openai")
    checks += _half_set(secrets, PHONE_NAMES[settings.phone.provider], "phone")
    checks += _half_set(secrets, ROOM_NAMES[settings.room.provider], "room")
    return checks


def check_dotenv(path: Path = Path(".env")) -> Check | list[Check]:
    """Whether others on this machine may read the secrets, and names nobody reads."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return []
    hints = [Check(str(path), "warn", hint, "correct it") for hint in hints_for(read_dotenv(path))]
    if mode & (stat.S_IRGRP | stat.S_IROTH):
        seen = "other users of this machine can read it"
        return [Check(str(path), "warn", seen, "chmod 600 .env"), *hints]
    return hints or Check(str(path), "ok", "only you can read it")


def _needed(secrets: Secrets, names: tuple[str, ...], why: str) -> list[Check]:
    return [
        Check(name, "fail", f"not set, but {why}", f"put {name}=… in .env or the environment")
        for name in names
        if not secrets.get(name)
    ]


def _half_set(secrets: Secrets, names: tuple[str, ...], command: str) -> list[Check]:
    """All or none is fine: nobody is asked for a carrier he does not use."""
    missing = [name for name in names if not secrets.get(name)]
    if not missing or len(missing) == len(names):
        return []
    fix = f"earshot {command} needs it too: put it in .env"
    return [Check(name, "warn", "not set", fix) for name in missing]
