"""The machine is described by what makes it fast, never by whose it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.machine import commit, describe_machine, parse_cpuinfo, sha256, versions

INTEL = (
    "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nflags\t\t: fpu avx2 avx512_vnni hypervisor\n"
)
ARM = "processor\t: 0\nFeatures\t: fp asimddp i8mm\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (INTEL, ("Some CPU @ 2.0GHz", ["avx2", "avx512_vnni"], True)),
        (ARM, (None, ["asimddp", "i8mm"], False)),
        ("", (None, None, None)),
    ],
)
def test_cpuinfo(text: str, expected: tuple[str | None, list[str] | None, bool | None]) -> None:
    found = parse_cpuinfo(text)
    assert (found["model"], found["vector_sets"], found["hypervisor"]) == expected


def test_this_machine_without_its_name() -> None:
    machine = describe_machine()
    assert 1 <= machine["cores_usable"] <= machine["cores"]
    assert set(machine) == {
        "cpu", "cores_usable", "cores", "vector_sets", "memory_mb", "virtual", "system",
        "architecture", "python",
    }  # fmt: skip
    json.dumps(machine)


def test_versions_and_hash(tmp_path: Path) -> None:
    assert versions(["numpy", "no-such-distribution"])["no-such-distribution"] is None
    file = tmp_path / "a"
    file.write_bytes(b"abc")
    assert sha256(file).startswith("ba7816bf8f01cfea")
    assert commit() is None or len(commit() or "") >= 7
