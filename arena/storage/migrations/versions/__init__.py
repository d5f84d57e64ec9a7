"""One module a version, named by its number."""
