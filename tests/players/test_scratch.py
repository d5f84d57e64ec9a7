"""Temporary folders: with room for a socket wherever the system has its temporary files."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from arena.players.scratch import SHORT, SOCKET_PATH_BYTES, make_folder, remove_tree
from tests.players.deep import DEEP, make_deep, removed_after


@pytest.mark.parametrize(("length", "stays"), [(20, True), (70, True), (71, False), (150, False)])
def test_a_socket_fits_below(length: int, stays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the last character the folder is where it should be; beyond it is where paths are short."""
    usual = Path(tempfile.mkdtemp(prefix="x" * (length - len("/tmp/") - 8), dir="/tmp"))
    assert len(str(usual)) == length
    monkeypatch.setattr(tempfile, "tempdir", str(usual))
    folder = Path(make_folder("arena-test-", room=16))
    try:
        assert (folder.parent == usual, folder.parent == Path(SHORT)) == (stays, not stays)
        path = folder / ("s" * 16)
        assert len(str(path)) <= SOCKET_PATH_BYTES
        assert (len(str(path)) == SOCKET_PATH_BYTES) == (length == 70)
        with closing(socket.socket(socket.AF_UNIX)) as bound:
            bound.bind(str(path))
    finally:
        remove_tree(folder)
        remove_tree(usual)
    assert not folder.exists()


def test_a_folder_within_another(tmp_path: Path) -> None:
    assert Path(make_folder("part-", within=tmp_path)).parent == tmp_path


@pytest.mark.parametrize(("depth", "name"), [(DEEP, "x"), (20, "x" * 250), (9000, "x")])
def test_no_folder_is_too_deep_to_be_removed(depth: int, name: str, tmp_path: Path) -> None:
    """Neither for Python's calls, nor for the longest path, nor for the number of open files."""
    with removed_after(tmp_path / "deep") as folder:
        make_deep(folder, depth, name, b"")
        for number in range(3):
            make_deep(folder, number, f"{number}", b"x")
        remove_tree(folder)
        assert not folder.exists()


def test_what_links_lead_to_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    (tmp_path / "own" / "in").mkdir(parents=True)
    for link in ("own/link", "own/in/link", "link"):
        (tmp_path / link).symlink_to(tmp_path / "other")
    (tmp_path / "own" / "loop").symlink_to("loop")
    for name in ("own", "link", "missing"):
        remove_tree(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "other"]
    assert (tmp_path / "other" / "file").exists()


CLOSE = """
import os
from arena.players.scratch import make_folder, remove_tree
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
folder = make_folder("arena-test-")
for name in ("", "/a", "/a/b", "/a/b/c", "/a/d"):
    os.makedirs(folder + name, exist_ok=True)
    open(folder + name + "/file", "w").close()
for name in ("/a/b/c", "/a/b", "/a/d", "/a", ""):
    os.chmod(folder + name, 0)
remove_tree(folder)
print(os.path.lexists(folder))
"""


def test_folders_that_were_closed_are_removed() -> None:
    """By a user who is not root: what a bot has closed to itself is closed to the referee, too."""
    assert printed(CLOSE) == "False\n"


OTHERS = """
import os
from arena.players.scratch import make_folder, remove_tree
folder = make_folder("arena-test-")
for name in ("/own", "/others"):
    os.mkdir(folder + name)
    open(folder + name + "/file", "w").close()
    if name == "/own":
        os.chown(folder + name, 65534, 65534)
os.chown(folder, 65534, 65534)
os.seteuid(65534)
remove_tree(folder)
print(os.listdir(folder))
os.seteuid(0)
remove_tree(folder)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what an owner cannot remove")
def test_what_cannot_be_removed_stays_without_an_error() -> None:
    """Another user's folder in one of ours: the rest goes."""
    assert printed(OTHERS) == "['others']\n"


def printed(code: str) -> str:
    """Return what code prints in a process of its own, which may change its user."""
    return subprocess.check_output([sys.executable, "-c", code], text=True, cwd=Path(__file__).parents[2])
