"""Temporary folders: with room for a socket wherever the system has its temporary files."""

from __future__ import annotations

import socket
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from arena.players.scratch import SHORT, SOCKET_PATH_BYTES, make_folder, remove_tree


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
