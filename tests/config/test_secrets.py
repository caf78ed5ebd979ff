"""Guards: credentials come from the environment or .env and are never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.secrets import PUBLIC_NAMES, SECRET_NAMES, Secrets
from speech.errors import UsageError

KEY = "sk-test-0123456789abcd"


def test_environment_wins_over_dotenv(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text('export OPENAI_API_KEY="from-file"\nDAILY_API_KEY=d$x # note\n')
    secrets = Secrets.load({"OPENAI_API_KEY": KEY}, dotenv)
    assert secrets.get("OPENAI_API_KEY") == KEY
    assert secrets.get("DAILY_API_KEY") == "d$x"
    assert secrets.get("TELNYX_API_KEY") is None


def test_set_to_nothing_in_the_environment_switches_the_files_value_off(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=k\n")
    assert Secrets.load({"OPENAI_API_KEY": " "}, tmp_path / ".env").get("OPENAI_API_KEY") is None


def test_no_file_is_fine(tmp_path: Path) -> None:
    assert Secrets.load({}, tmp_path / ".env").masked() == dict.fromkeys(SECRET_NAMES)
    assert Secrets.load({}).public() == dict.fromkeys(PUBLIC_NAMES)
    assert not set(SECRET_NAMES) & set(PUBLIC_NAMES)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"A=1\n\n'x\n", "line 3: expected NAME=value"),
        (b"\xff\xfe", "is not a text file"),
        (None, "cannot read"),
    ],
)
def test_bad_dotenv(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / ".env"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        Secrets.load({}, path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("OPENAI_API_KEY", KEY, "set (…abcd)"),
        ("OPENAI_API_KEY", f"  {KEY}\n", "set (…abcd)"),
        ("OPENAI_API_KEY", "short", "set"),
        ("OPENAI_API_KEY", "", None),
        ("OPENAI_BASE_URL", "http://user:pw@host/v1", "http://…@host/v1"),
        ("LIVEKIT_URL", "wss://host", "wss://host"),
    ],
)
def test_masking(name: str, value: str, shown: str | None) -> None:
    secrets = Secrets.load({name: value})
    assert (secrets.masked() | secrets.public())[name] == shown


def test_neither_repr_nor_redacted_text_shows_a_value() -> None:
    secrets = Secrets.load({"OPENAI_API_KEY": KEY, "HOME": "/root"})
    assert KEY not in f"{secrets!r} {secrets} {[secrets]}"
    assert secrets.redact(f"Bearer {KEY} refused") == "Bearer <OPENAI_API_KEY> refused"
    assert secrets.redact("at http://user:pw@host/v1") == "at http://…@host/v1"
