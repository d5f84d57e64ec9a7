"""``[lobby]`` of a league file: where bots that are started by hand dial in, and how nobody else reads their tokens."""

from __future__ import annotations

import ipaddress
import re
import ssl
from pathlib import Path

from arena.league.locate import TomlFile
from arena.league.tables import LobbyTable
from arena.players.base import AT_HOME, Listen

PORT_MOST = 65_535
_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]\s/]+)):(\d{1,5})")


def read_listen(file: TomlFile, table: LobbyTable) -> Listen:
    """Return the lobby of a league; what is wrong with it is noted in the file, and what is returned means nothing.

    Outside loopback a certificate and its key are required.
    """
    found = _ADDRESS.fullmatch(table.listen)
    if not found or int(found[3]) > PORT_MOST:
        file.add(("lobby", "listen"), f"accepted is HOST:PORT, such as 0.0.0.0:7000, with a port up to {PORT_MOST}")
        return AT_HOME
    host = found[1] or found[2]
    if bool(table.certificate) != bool(table.key):
        given, missing = ("certificate", "key") if table.certificate else ("key", "certificate")
        file.add(("lobby", given), f"{missing} is missing: TLS needs both")
    elif not table.certificate and not _is_loopback(host):
        words = "bots from outside this machine send their token, so TLS is needed: give certificate and key"
        file.add(("lobby", "listen"), words)
    elif table.certificate:
        certificate, key = (str((file.path.parent / name).resolve()) for name in (table.certificate, table.key))
        if _check_pair(file, certificate, key):
            return Listen(host, int(found[3]), certificate, key)
    return Listen(host, int(found[3]))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_pair(file: TomlFile, certificate: str, key: str) -> bool:
    """Check that certificate and key can be read and belong together."""
    for name, path in (("certificate", certificate), ("key", key)):
        try:
            Path(path).read_bytes()
        except OSError as error:
            file.add(("lobby", name), f"{path}: cannot be read: {error.strerror}")
            return False
    try:
        # A passphrase could not be given to the workers, so none is asked for.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError as error:
        words = "the certificate and the key do not belong together, or are no PEM without a passphrase"
        file.add(("lobby", "certificate"), f"{words} ({error.reason or error})")
        return False
    return True
