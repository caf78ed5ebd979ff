"""A voice is read from every form it is published in, and a file that is none is one line."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.errors import ModelFileError, UnknownVoiceError
from speech.kokoro.torch_tensor import TensorError, read_tensor
from speech.kokoro.voice_files import voice_files
from speech.kokoro.voices import list_voices, load_voice

SHAPE = (510, 1, 256)
TABLE = np.arange(510 * 256, dtype=np.float32).reshape(SHAPE)
PICKLE = (
    b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nq\x00((X\x07\x00\x00\x00storageq\x01ctorch\n"
    b"FloatStorage\nq\x02X\x01\x00\x00\x000q\x03X\x03\x00\x00\x00cpuq\x04J\x00\xfe\x01\x00tq\x05Q"
    b"K\x00M\xfe\x01K\x01M\x00\x01\x87q\x06M\x00\x01M\x00\x01K\x01\x87q\x07\x89ccollections\n"
    b"OrderedDict\nq\x08)Rq\ttq\nRq\x0b."
)
"""The ``data.pkl`` that torch 2.13 wrote for a tensor [510, 1, 256]."""


def pt(content: bytes = PICKLE, values: np.ndarray = TABLE, order: str = "little") -> bytes:
    """A file as ``torch.save`` writes it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("af_x/data.pkl", content)
        archive.writestr("af_x/byteorder", order)
        archive.writestr("af_x/data/0", values.tobytes())
        archive.writestr("af_x/version", "3\n")
    return file.getvalue()


def changed(old: bytes, new: bytes) -> bytes:
    assert old in PICKLE
    return pt(PICKLE.replace(old, new))


def npy(values: np.ndarray, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, values, **options)
    return file.getvalue()


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


FORMS = {
    "af_bin.bin": TABLE.tobytes(),
    "af_pt.pt": pt(),
    "af_npy.npy": npy(TABLE),
    "af_wide.npy": npy(np.asfortranarray(TABLE.astype(">f8"))),
    "af_npz.npz": npz(arr_0=TABLE),
    "voices-v1.0.bin": npz(am_one=TABLE, am_two=TABLE + 1),
    "more.npz": npz(bf_three=TABLE),
}


def test_every_form_is_read(tmp_path: Path) -> None:
    for name, content in FORMS.items():
        (tmp_path / name).write_bytes(content)
    names = ["af_bin", "af_npy", "af_npz", "af_pt", "af_wide", "am_one", "am_two", "bf_three"]
    assert list_voices(tmp_path) == names
    for name in names:
        voice = load_voice(tmp_path, name)
        assert voice.dtype == np.float32
        assert np.array_equal(voice, TABLE + (name == "am_two"))


def test_of_one_name_in_several_forms_the_first_form_counts(tmp_path: Path) -> None:
    forms = [
        ("af_x.bin", (TABLE * 0 + 1).tobytes()),
        ("af_x.pt", pt(values=TABLE * 0 + 2)),
        ("af_x.npy", npy(TABLE * 0 + 3)),
        ("af_x.npz", npz(arr_0=TABLE * 0 + 4)),
    ]
    for number, (name, content) in reversed(list(enumerate(forms, start=1))):
        (tmp_path / name).write_bytes(content)
        assert list_voices(tmp_path) == ["af_x"]
        assert load_voice(tmp_path, "af_x")[0, 0, 0] == number


def test_a_name_that_would_read_as_a_blend_is_no_voice(tmp_path: Path) -> None:
    for name in ("a+b.bin", "a:1.bin", "a b.bin"):
        (tmp_path / name).write_bytes(TABLE.tobytes())
    (tmp_path / "x.npz").write_bytes(npz(**{"../evil": TABLE, "ok": TABLE}))
    assert list_voices(tmp_path) == ["ok"]


NAN = np.where(TABLE == 7, np.float32(np.nan), TABLE)


class Opens:
    """A pickle that would make a folder."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("opened",)


@pytest.mark.parametrize(
    ("file", "content", "fault"),
    [
        ("v.bin", b"", "it has 0 bytes where a voice has 522240"),
        ("v.bin", NAN.tobytes(), "holds values that are not numbers"),
        ("v.bin", npz(v=TABLE)[:-400], "it has .* bytes"),
        ("v.pt", b"", "damaged"),
        ("v.pt", pt()[:-300], "damaged"),
        ("v.pt", pt()[:200_000], "damaged"),
        ("v.pt", pt().replace(TABLE.tobytes()[:4_000], bytes(4_000)), "damaged"),
        ("v.pt", pt(values=NAN), "holds values that are not numbers"),
        ("v.pt", pt(values=TABLE[:500]), "512000 bytes of values where it says 130560"),
        ("v.pt", changed(b"K\x00M\xfe\x01K\x01", b"K\x00M\xfd\x01K\x01"), r"shape is \[509"),
        ("v.pt", changed(b"FloatStorage", b"HalfStorage"), "asks for torch.HalfStorage"),
        ("v.pt", changed(b"M\x00\x01M\x00\x01K\x01\x87", b"K\x01K\x01M\xfe\x01\x87"), "one after"),
        ("v.pt", changed(b"QK\x00M", b"QK\x01M"), "fewer values than its shape"),
        ("v.pt", pt(PICKLE[:-20]), "its pickle is damaged"),
        ("v.pt", pt(pickle.dumps(Opens(), 2)), "asks for (posix|nt).mkdir"),
        ("v.pt", pt(pickle.dumps(Opens(), 4)), "asks for FRAME"),
        ("v.pt", pt(b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R."), "asks for os.system"),
        ("v.pt", pt(b"\x80\x02N."), "asks for NONE"),
        ("v.pt", pt(b"\x80\x02)."), "something else than one tensor"),
        ("v.pt", pt(b"\x80\x02)r\xff\xff\xff\x7f."), "asks for LONG_BINPUT"),
        ("v.pt", pt(PICKLE + bytes(5_000)), "at most 4096"),
        ("v.pt", pt().replace(b"af_x/data.pkl", b"af_x/data.xyz"), "it has no data.pkl"),
        ("v.pt", pt().replace(b"af_x/data/0", b"af_x/data/1"), "it lacks af_x/data/0"),
        ("v.npy", npy(TABLE[:, 0]), r"its shape is \[510, 256\] where a voice has \[510, 1, 256\]"),
        ("v.npy", npy(TABLE.astype(np.int32)), "its values are int32 and not float32"),
        ("v.npy", npy(np.array([{}]), allow_pickle=True), r"its shape is \[1\]"),
        ("v.npy", npy(TABLE)[:-8], "is no voice"),
        ("v.npy", npy(TABLE)[:40], "is no voice"),
        ("v.npy", b"not one", "is no voice"),
        ("v.npy", npy(np.zeros((2_000, 1, 256), np.float64)), "too many for a voice"),
        ("v.npz", npz(v=TABLE[:9]), r"array v, is no voice: its shape is \[9, 1, 256\]"),
        ("v.npz", npz(v=np.zeros(9_000_000)), "too many for a voice"),
        ("v.npz", npz(v=TABLE)[:-100], "is no voice"),
        ("v.npz", b"PK", "is no voice"),
        ("v.npz", npz(), "is no voice"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_no_voice_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, content: bytes, fault: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_bytes(content)
    assert list_voices(tmp_path) == ["v"]
    with pytest.raises(ModelFileError, match=fault) as caught:
        load_voice(tmp_path, "v")
    assert "\n" not in str(caught.value)
    assert str(tmp_path / file) in str(caught.value)
    assert os.listdir(tmp_path) == [file]


def test_a_small_archive_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        large = PICKLE.replace(b"J\x00\xfe\x01\x00", b"J\x00\xfe\x01\x10")
        archive.writestr("af_x/data.pkl", large)
        archive.writestr("af_x/data/0", bytes(100_000_000))
    (tmp_path / "v.pt").write_bytes(file.getvalue())
    with pytest.raises(ModelFileError, match="its storage holds 268566016 values"):
        load_voice(tmp_path, "v")


def test_a_slice_and_the_other_byte_order_are_read() -> None:
    slice_at_9 = PICKLE.replace(b"J\x00\xfe\x01\x00", b"J\x09\xfe\x01\x00")
    slice_at_9 = slice_at_9.replace(b"QK\x00M", b"QK\x09M")
    values = np.concatenate([np.zeros(9, np.float32), TABLE.ravel()])
    assert np.array_equal(read_tensor(pt(slice_at_9, values), SHAPE), TABLE)
    assert np.array_equal(read_tensor(pt(values=TABLE.astype(">f4"), order="big"), SHAPE), TABLE)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_pickle_with_changed_bytes_is_a_tensor_or_refused(data: st.DataObject) -> None:
    content = bytearray(PICKLE)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(TensorError):
        assert read_tensor(pt(bytes(content)), SHAPE).shape == SHAPE


@pytest.mark.parametrize("name", ["ballad", "", "AF_X", "af_x+af_nope", "../af_x", "af_x.bin", "*"])
def test_an_unknown_voice_lists_those_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Case B10; nothing outside the folder is opened, whatever the name."""
    folder = tmp_path / "voices"
    folder.mkdir()
    for path in (tmp_path / "af_x.bin", folder / "af_x.bin"):
        path.write_bytes(TABLE.tobytes())
    with pytest.raises(UnknownVoiceError, match="choose one of: af_x"):
        load_voice(folder, name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_only_files_are_voices(tmp_path: Path) -> None:
    """A pipe would be waited for."""
    (tmp_path / "af_folder.bin").mkdir()
    (tmp_path / "af_gone.pt").symlink_to("nowhere.pt")
    for name in ("af_pipe.bin", "af_pipe.npy", "af_pipe.npz"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "af_x.bin").write_bytes(TABLE.tobytes())
    assert list(voice_files(tmp_path)) == ["af_x"]


def test_white_space_around_a_name_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "af_x.bin").write_bytes(TABLE.tobytes())
    assert np.array_equal(load_voice(tmp_path, " af_x "), TABLE)
