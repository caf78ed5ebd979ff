"""Each row of docs/reference-parity.md says how ours compares, and the tests it names exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
LOCKED = TESTS.parent / "requirements" / "base.lock"
DOCUMENT = TESTS.parent / "docs" / "reference-parity.md"
LINES = DOCUMENT.read_text("utf-8").splitlines()
ROWS = [line.split("|")[1:-1] for line in LINES if line.startswith("|")]
CITED = re.compile(r"(?:`([a-z_]+/[a-z_0-9]+)`: )?`([a-z_0-9]+)`")
WITHOUT_TEST = {"K19"}
VERDICTS = ("equal", "better", "left")


def cited() -> list[tuple[str, str]]:
    """Module and test, of every row."""
    pairs = []
    for row in ROWS:
        module = ""
        for before, name in CITED.findall(row[2]):
            module = before or module
            pairs.append((module, name))
    return pairs


def test_the_named_tests_exist() -> None:
    missing = [pair for pair in cited() if not is_there(*pair)]
    assert len(cited()) > 80
    assert missing == []


def is_there(module: str, name: str) -> bool:
    folder, file = module.split("/")
    paths = [TESTS / folder / f"test_{file}.py", TESTS / folder / f"{file}.py"]
    sources = [path.read_text("utf-8") for path in paths if path.is_file()]
    return any(re.search(rf"def test_{name}\(", source) for source in sources)


def test_every_row_is_there_with_its_tests_and_its_verdict() -> None:
    keys = [row[0].strip() for row in ROWS]
    assert [key for key in keys if re.fullmatch(r"K\d+", key)] == [f"K{n}" for n in range(1, 23)]
    assert [key for key in keys if re.fullmatch(r"C\d+", key)] == [f"C{n}" for n in range(1, 17)]
    assert [int(key.split()[0]) for key in keys if re.match(r"\d", key)] == list(range(1, 13))
    for key, *cells in ROWS:
        if re.match(r"[KC]?\d", key.strip()):
            assert ("`: `" in "|".join(cells)) == (key.strip() not in WITHOUT_TEST)
            assert key.strip()[0] not in "KC" or cells[-1].strip().startswith(VERDICTS)


def test_what_serves_is_installed_without_torch() -> None:
    names = re.findall(r"^([a-z0-9._-]+)==", LOCKED.read_text("utf-8"), re.MULTILINE)
    assert {"onnxruntime", "uvicorn"} <= set(names)
    assert [name for name in names if name.startswith("torch")] == []
