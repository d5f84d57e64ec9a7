"""Kept builds with real steps: made once, taken as they were, never when anything that they come from is another."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.bots import Bot, read_folder
from arena.league.build import limited
from arena.league.builds import Builds, build_key, users_cache
from arena.league.snapshot import snapshot
from tests.commands import ONE_SITTING, arena, builtin, league
from tests.league.conftest import MakeBot

BUILD = """
command = ["./bot"]
build = [["sh", "-c", "%s echo once >> %s; printf '#!/bin/sh\\necho built' > bot; chmod +x bot; ln -s bot link"]]
"""


class Kept:
    """A bot whose build counts how often it is made, and the builds of a user who has nothing else."""

    def __init__(self, home: Path, make_bot: MakeBot) -> None:
        self.home = home
        self.count = home / "count"
        self.folder = make_bot("alpha", BUILD % ("", self.count))
        self.told: list[str] = []
        self.builds = Builds(home / "kept", "none", self.told.append)

    def bot(self) -> Bot:
        bot, file = read_folder(self.folder)
        assert bot is not None, file.problems
        return bot

    def snapshot(self, into: str, builds: Builds | None = None) -> Path:
        """Make a snapshot in a folder of that name; the program runs."""
        program = snapshot(self.bot(), self.home / into, limited, builds or self.builds)
        assert subprocess.check_output(program.command, text=True) == "built\n"
        return Path(program.directory)

    @property
    def built(self) -> int:
        return len(self.count.read_text().splitlines())

    def files(self) -> list[Path]:
        return sorted(self.builds.folder.glob("*.build"))


@pytest.fixture
def kept(tmp_path: Path, make_bot: MakeBot) -> Kept:
    return Kept(tmp_path, make_bot)


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return mode and content, or target, of all that is in a folder."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, os.fsencode(os.readlink(path)))
        if path.is_symlink()
        else (path.stat().st_mode, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_symlink() or (path.is_file() and path.suffix != ".pyc")
    }


def test_a_build_is_made_once(kept: Kept) -> None:
    """The second snapshot is the first one, with modes and links; only this user can read what is kept."""
    first, second = kept.snapshot("one"), kept.snapshot("two")
    assert kept.built == 1
    assert tree(first) == tree(second)
    assert (second / "link").is_symlink()
    assert kept.builds.folder.stat().st_mode & 0o777 == 0o700
    assert [words.split(" in ")[0] for words in kept.told] == [
        "building alpha: this may take minutes, once for each change of its files",
        "built alpha",
        "alpha is taken as it was built before",
    ]


def test_a_kept_build_lends_nobody_s_rights(kept: Kept, make_bot: MakeBot) -> None:
    """A step may set the bits that let a program run as its owner; what is unpacked may belong to another user."""
    kept.folder = make_bot("beta", 'build = [["sh", "-c", "cp /bin/true lent; chmod 6755 lent"]]\n')
    for into in ("one", "two"):
        program = snapshot(kept.bot(), kept.home / into, limited, kept.builds)
    assert any("was built before" in words for words in kept.told)
    assert (Path(program.directory) / "lent").stat().st_mode & 0o7777 == 0o755


def test_what_makes_another_build(kept: Kept) -> None:
    """A changed file, another sandbox, and --rebuild; the last one takes the place of what was kept."""
    kept.snapshot("one")
    kept.snapshot("two", replace(kept.builds, level="bwrap"))
    assert kept.built == 2
    (kept.folder / "bot.py").write_text("print('another')\n")
    kept.snapshot("three")
    assert (kept.built, len(kept.files())) == (3, 3)
    kept.snapshot("four", replace(kept.builds, rebuild=True))
    assert (kept.built, len(kept.files())) == (4, 3)


def test_the_tools_are_part_of_the_key(tmp_path: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another compiler under the same name, also behind a word such as ``env``, gives another build."""
    tool = tmp_path / "tools" / "compiler"
    tool.parent.mkdir()
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    bot = replace(kept.bot(), build=(("env", "A=1", "compiler", "-o", "out"),))
    keys = []
    for text in ("#!/bin/sh\n", "#!/bin/sh\nexit 0\n"):
        tool.write_text(text)
        tool.chmod(0o755)
        keys.append(build_key(bot, "0" * 64, "none"))
    assert len({*keys, build_key(bot, "1" * 64, "none")}) == 3


def test_damage_is_seen(kept: Kept) -> None:
    """One wrong bit, a cut file and an empty one are dropped and built again, and that is said."""
    kept.snapshot("zero")
    (path,) = kept.files()
    whole = path.read_bytes()
    for number, text in enumerate((whole[:600] + bytes([whole[600] ^ 1]) + whole[601:], whole[:-1], b"")):
        path.write_bytes(text)
        kept.snapshot(f"again-{number}")
        assert kept.built == number + 2
        assert any("is damaged" in words for words in kept.told)
        assert path.read_bytes()[32:] != text[32:]


def test_a_failed_build_is_not_kept(kept: Kept, make_bot: MakeBot) -> None:
    """Nothing stays of it, neither in the results nor among what is kept."""
    kept.folder = make_bot("beta", 'build = [["sh", "-c", "touch half; exit 3"]]\n')
    with pytest.raises(UsageError, match="exit status 3"):
        kept.snapshot("one")
    assert kept.files() == []
    assert list((kept.home / "one").iterdir()) == []


def test_the_oldest_go_first(kept: Kept) -> None:
    """What is kept stays below its limit; what was used last stays, and what goes is said."""
    sizes = []
    for number in range(3):
        (kept.folder / "bot.py").write_text(f"# {number}\n")
        kept.snapshot(f"made-{number}")
        sizes = [path.stat().st_size for path in kept.files()]
    paths = sorted(kept.files(), key=lambda path: path.stat().st_mtime_ns)
    for age, path in enumerate(paths):
        os.utime(path, (age, age))
    (kept.folder / "bot.py").write_text("# 0\n")
    kept.snapshot("used again")
    (kept.folder / "bot.py").write_text("# 3\n")
    kept.snapshot("one more", replace(kept.builds, bytes_most=sum(sizes) - 1))
    assert paths[0] in kept.files()
    assert set(paths[1:]).isdisjoint(kept.files())
    assert kept.told[-2].startswith("built alpha")
    assert "removed 2 kept build of" in kept.told[-1]
    assert "not used since 1970-01-01" in kept.told[-1]


def test_two_at_once(tmp_path: Path, make_bot: MakeBot) -> None:
    """The second waits for the first and takes what it has built."""
    kept = Kept(tmp_path / "twice", lambda name, manifest: make_bot(name, manifest.replace("echo once", WAIT, 1)))
    results: list[Path] = []

    def run(into: str) -> Callable[[], None]:
        return lambda: results.append(kept.snapshot(into))

    kept.home.mkdir(exist_ok=True)
    threads = [threading.Thread(target=run(into)) for into in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(results), kept.built) == (2, 1)
    assert any("waiting for it" in words for words in kept.told)


WAIT = "sleep 1; echo once"


CACHED = """
build = [["sh", "-c", "mkdir -p $GOPATH && date >> $GOPATH/made && cp $GOPATH/made . && %s"]]
"""


def test_the_caches_of_a_folder_are_for_its_next_build(kept: Kept, make_bot: MakeBot) -> None:
    """What steps have fetched and compiled is there again, also after a failure; not for another folder or a league."""
    folders = {name: make_bot(name, CACHED % "true") for name in "ab"}
    authors = replace(kept.builds, caches=True)

    def lines(name: str, builds: Builds, ends: str = "true") -> int:
        """Change the bot, build it, and count how many builds its caches know of."""
        manifest = folders[name] / "bot.toml"
        manifest.write_text(manifest.read_text().replace("true", ends) + "# changed\n")
        bot, _ = read_folder(folders[name])
        assert bot is not None
        program = snapshot(bot, kept.home / "into", limited, builds)
        assert not (Path(program.directory) / ".cache").exists()
        return len((Path(program.directory) / "made").read_text().splitlines())

    assert [lines("a", authors), lines("a", authors), lines("b", authors)] == [1, 2, 1]
    with pytest.raises(UsageError):
        lines("a", authors, "false")
    (folders["a"] / "bot.toml").write_text((folders["a"] / "bot.toml").read_text().replace("false", "true"))
    assert lines("a", authors) == 4
    assert lines("a", kept.builds) == 1, "a league begins with nothing"
    assert lines("a", replace(authors, rebuild=True)) == 1


def test_nowhere_to_keep_it(kept: Kept) -> None:
    """A home that cannot be written is no reason not to play."""
    (kept.home / "kept").write_text("a file")
    kept.snapshot("one")
    assert kept.built == 1
    assert any(words.startswith("builds are not kept: ") for words in kept.told)


def test_where_builds_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache folder, as the desktop standard says: a relative one counts as none."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp/mine")
    assert users_cache() == Path("/var/tmp/mine/arena/builds")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert users_cache() == Path("/home/somebody/.cache/arena/builds")


@pytest.mark.timeout(300)
def test_check_builds_for_the_league(tmp_path: Path, make_bot: MakeBot) -> None:
    """What the author's check has built, his league takes; --rebuild builds it again; all behind the real sandbox."""
    code = "import json, pathlib; pathlib.Path('made.json').write_text(json.dumps({'answer': 42}))"
    home = make_bot("mine", f'build = [["{sys.executable}", "-c", {code!r}]]\n')
    (home / "bot.py").write_text(
        "import json, pathlib\nfrom arena.sdk import run\n"
        "assert json.loads(pathlib.Path('made.json').read_text()) == {'answer': 42}\n"
        "run(lambda request: request.rng.choice(request.legal_actions))\n"
    )
    words = ("check", "mine", "--quick", "--game", "no_thanks")
    first, second, third = (arena(*words, *more, cwd=tmp_path) for more in ((), (), ("--rebuild",)))
    assert [ran.status for ran in (first, second, third)] == [0, 0, 0], (first, second, third)
    assert "building mine" in first.err
    assert "mine is taken as it was built before" in second.err
    assert "building mine" in third.err
    league(
        tmp_path / "spring.toml",
        ['[[bot]]\npath = "mine"\n', builtin("margin"), builtin("random")],
        deals=1,
        tail=ONE_SITTING,
    )
    ran = arena("run-league", "spring.toml", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert "mine is taken as it was built before" in ran.err
