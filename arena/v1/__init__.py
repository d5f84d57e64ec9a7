"""Generated from proto/arena/v1 by .ci/generate; never edited."""
