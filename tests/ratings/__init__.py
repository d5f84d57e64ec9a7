"""Tests of arena.ratings."""
