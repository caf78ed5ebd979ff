"""The set-up scripts find what is there, every time, and install again what was replaced."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


def fake_command(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three lock files, whose pip only writes down which it is given."""
    for name in ("setup.sh", "system_packages.sh"):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        shutil.copy(SCRIPTS / name, tmp_path / "scripts" / name)
    locks = {"base": "numpy==2.3.0", "dev": "numpy==2.3.0\nlivekit==1.2.1 \\\n    --hash=x"}
    locks["bench"] = locks["dev"].replace("1.2.1", "1.1.21")
    (tmp_path / "requirements").mkdir()
    for kind, lock in locks.items():
        (tmp_path / "requirements" / f"{kind}.lock").write_text(f"# locked\n{lock}\n")
    (tmp_path / "pyproject.toml").touch()
    fake_command(
        tmp_path / ".venv/bin/python", 'echo "$@" | grep -o "[a-z]*.lock" >> installed; true'
    )
    return tmp_path


def installed(project: Path, *kinds: str) -> list[str]:
    (project / "installed").unlink(missing_ok=True)
    for kind in kinds:
        subprocess.run(
            [project / "scripts/setup.sh", kind], check=True, capture_output=True, timeout=20
        )
    log = project / "installed"
    return log.read_text().split() if log.exists() else []


def test_each_kind_is_installed_once_and_again_when_another_replaced_its_versions(
    project: Path,
) -> None:
    assert installed(project, "dev", "dev", "base", "dev", "base") == ["dev.lock", "base.lock"]
    assert installed(project, "bench", "bench", "base") == ["bench.lock"]
    assert installed(project, "dev", "base", "dev") == ["dev.lock"]
    assert installed(project, "bench") == ["bench.lock"]


def test_a_library_that_is_there_is_found_whatever_else_is_listed(
    project: Path, tmp_path: Path
) -> None:
    """A reader that leaves at the first hit breaks the writer's pipe, which is no answer."""
    listing = "echo '  libportaudio.so.2 => /usr/lib/libportaudio.so.2'; seq 200000"
    fake_command(tmp_path / "bin/ldconfig", listing)
    said = subprocess.run(
        [project / "scripts/system_packages.sh", "run"],
        env=os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=20, check=True,
    )  # fmt: skip
    assert (said.stdout, said.stderr) == ("", "")
