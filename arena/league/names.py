"""Names of bots, games and leagues: which are accepted, when two are the same, and as parts of a path."""

from __future__ import annotations

import hashlib
import unicodedata
from urllib.parse import quote

NAME_MAX = 40
_FILE_NAME_MAX = 120
_DIRECTIONS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Invisible characters that turn the direction of text, with which one name can look like another."""


def folded(name: str) -> str:
    """Return a name as names are compared: compatibility forms and case do not make two names different."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def name_problem(name: str) -> str:
    """Return what is wrong with a name, in words, or the empty string."""
    if not name.strip():
        return "accepted is 1-40 characters, not only spaces"
    if len(name) > NAME_MAX:
        return f"accepted is 1-{NAME_MAX} characters; these are {len(name)}"
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or sign in _DIRECTIONS for sign in name):
        return "accepted is text without control characters and line breaks"
    return "accepted is a name without spaces at its ends" if name != name.strip() else ""


def league_name_problem(name: str) -> str:
    """Return what is wrong with the name of a league, which is a folder of results, in words, or the empty string."""
    is_folder = not name.startswith(".") and not any(sign in name for sign in "/\\")
    return name_problem(name) or ("" if is_folder else "accepted is a name for a folder")


def file_name(name: str) -> str:
    """Return a name as one part of a path: no separator, no leading dot, not too long, different for each name."""
    safe = quote(name, safe=" +,=@()[]!'").replace(".", "%2E", name.startswith("."))
    if len(safe) <= _FILE_NAME_MAX:
        return safe
    return f"{safe[: _FILE_NAME_MAX - 17]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
