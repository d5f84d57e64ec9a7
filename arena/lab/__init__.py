"""They run the real thing and measure it."""
