"""Arena: bots in any language play card games through one gRPC referee, and leagues become Elo ladders."""

__version__ = "0.1.0"
