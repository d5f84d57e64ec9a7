"""Certificates that sign themselves, for tests that speak TLS."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.bots.toolchains import require

HOST = "127.0.0.2"
"""Another address of this machine than the usual one."""


def certify(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate for ``HOST``, ``<name>.pem``, and its key, ``<name>.key``; return both."""
    require("openssl", install="openssl")
    words = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=arena -addext subjectAltName=IP:{HOST}"
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run([*words.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key
