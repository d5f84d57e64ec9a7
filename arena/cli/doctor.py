"""``arena doctor``: what this machine can enforce, found by trying it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from arena.cli.main import EXIT_FAILED
from arena.cli.out import print_rows, tell
from arena.reports.rows import Column, Rows
from arena.reports.writers import json_text

if TYPE_CHECKING:  # the attacks load gRPC, for which --help should not wait
    from arena.lab.doctor import Findings

SCHEMA = 1


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def doctor(as_json: bool) -> None:
    """Attack the sandbox at every level and check what a league needs; about a minute, and nothing is changed.

    Exit status 1 when something that a league needs is missing.

    \b
    Example:
        arena doctor
    """
    from arena.lab.doctor import examine

    tell("attacking the sandbox at every level, from inside; about a minute")
    findings = examine()
    if as_json:
        click.echo(json_text(_document(findings)), nl=False)
    else:
        _print(findings)
    if not all(check.ok for check in findings.checks):
        sys.exit(EXIT_FAILED)


def _document(findings: Findings) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "league": findings.league,
        "levels": dict(zip(findings.levels, findings.reasons, strict=True)),
        "attacks": [
            {"attack": row.attack}
            | {
                level: {"verdict": str(outcome.verdict), "words": outcome.words}
                for level, outcome in zip(findings.levels, row.outcomes, strict=True)
            }
            for row in findings.rows
        ],
        "checks": [{"name": check.name, "ok": check.ok, "words": check.words} for check in findings.checks],
    }


def _print(findings: Findings) -> None:
    columns = (Column("attack", "attack"), *(Column(level, level) for level in findings.levels))
    rows = [
        {"attack": row.attack}
        | {level: str(outcome.verdict) for level, outcome in zip(findings.levels, row.outcomes, strict=True)}
        for row in findings.rows
    ]
    print_rows(Rows(columns, tuple(rows)))
    for level, reason in zip(findings.levels, findings.reasons, strict=True):
        if reason:
            click.echo(f"{level} does not work here: {reason}")
    check_columns = (Column("name", "check"), Column("ok", "ok"), Column("words", "found"))
    checks = [
        {"name": check.name, "ok": "ok" if check.ok else "MISSING", "words": check.words} for check in findings.checks
    ]
    print_rows(Rows(check_columns, tuple(checks)))
    click.echo(f'a league with sandbox = "auto" would use: {findings.league}')
