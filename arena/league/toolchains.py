"""What the starter of each language needs on this machine, and what to install when it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What a language needs on this machine.

    Attributes:
        programs: what must be in PATH.
        install: what brings them, and the libraries beside them, in words; "" when the arena itself does.
    """

    programs: tuple[str, ...]
    install: str

    def missing(self) -> tuple[str, ...]:
        """Return the programs that are not in PATH."""
        return tuple(program for program in self.programs if shutil.which(program) is None)


TOOLCHAINS: Mapping[str, Toolchain] = {
    "cpp": Toolchain(
        ("cmake", "g++", "make", "pkg-config", "protoc", "grpc_cpp_plugin"),
        "g++ cmake make pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc",
    ),
    "go": Toolchain(("go",), "Go 1.26 or later"),
    "java": Toolchain(("java", "javac", "mvn"), "a JDK 17 or later and Maven 3.8 or later"),
    "javascript": Toolchain(("node", "npm"), "Node.js 20 or later with npm"),
    "python": Toolchain((), ""),
    "ruby": Toolchain(("ruby", "protoc"), "ruby ruby-grpc ruby-google-protobuf protobuf-compiler"),
    "rust": Toolchain(("cargo",), "Rust 1.85 or later"),
}
"""By language that has a starter."""


def advice(program: str) -> str:
    """Return what to install for a program, in words that end a sentence; "" for one that no starter needs."""
    found = {name: tools.install for name, tools in TOOLCHAINS.items() if program in tools.programs}
    return "".join(f"; for {name} install {install}" for name, install in found.items())
