"""Standings, crosstables and game sheets as plain rows and lines: no colours, no HTML, nothing computed twice."""
