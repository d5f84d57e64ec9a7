"""The messages that are kept with the Rust SDK are those of the contract."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor

from arena.v1 import arena_pb2
from tests.bots.toolchains import BOTS, BUILD_S, require

KEPT = BOTS / "rust" / "sdk" / "src" / "v1.rs"


def _fields_of_contract() -> dict[str, set[tuple[str, int]]]:
    """Return the (name, number) of every field by message, but for those of map entries."""
    modules = [arena_pb2.DESCRIPTOR, *arena_pb2.DESCRIPTOR.dependencies]
    messages: list[Descriptor] = []
    while modules:
        module = modules.pop()
        if module.package == "arena.v1":
            messages += module.message_types_by_name.values()
            modules += module.dependencies
    return {message.name: {(field.name, field.number) for field in message.fields} for message in messages}


def _fields_of_rust() -> dict[str, set[tuple[str, int]]]:
    """Return the (name, number) of every field by message, those of a ``oneof`` by the names of its variants."""
    text = KEPT.read_text()
    structs = dict(re.findall(r"pub struct (\w+) \{(.*?)\n\}", text, re.DOTALL))
    structs |= dict.fromkeys(re.findall(r"pub struct (\w+) \{\}", text), "")
    field = r'#\[prost\((?!oneof)[^\]]*tag = "(\d+)"\)\]\s+pub (?:r#)?(\w+):'
    found = {name: {(one, int(tag)) for tag, one in re.findall(field, body)} for name, body in structs.items()}
    (view,) = re.findall(r"pub enum View \{(.*?)\n    \}", text, re.DOTALL)
    variants = re.findall(r'tag = "(\d+)"\)\]\s+(\w+)\(', view)
    found["Request"] |= {(re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(), int(tag)) for tag, name in variants}
    return found


def test_fields() -> None:
    """A contract that changed without the Rust messages would be read as if fields were empty."""
    contract, rust = _fields_of_contract(), _fields_of_rust()
    assert {name: rust.get(name) for name in contract} == contract


@pytest.mark.soak
@pytest.mark.timeout(BUILD_S)
def test_kept_code_is_what_the_contract_gives(tmp_path: Path) -> None:
    """The generator of the SDK, run again, writes the same file."""
    require("cargo", "protoc", install="Rust 1.85 or later, and protobuf-compiler")
    shutil.copytree(BOTS / "rust" / "codegen", tmp_path / "codegen", ignore=shutil.ignore_patterns("target"))
    run = ["cargo", "run", "--release", "--locked", "--", str(BOTS.parent / "proto"), str(tmp_path)]
    subprocess.run(run, cwd=tmp_path / "codegen", check=True)
    assert (tmp_path / "v1.rs").read_text() == KEPT.read_text()
