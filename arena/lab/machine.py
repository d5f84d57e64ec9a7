"""What machine a measurement was made on: versions, cores, load."""

from __future__ import annotations

import os
import platform
from typing import Any

import google.protobuf
import grpc
from google.protobuf.internal import api_implementation


def machine() -> dict[str, Any]:
    """Return the facts that explain most surprises in a benchmark."""
    return {
        "python": platform.python_version(),
        "grpc": grpc.__version__,
        "protobuf": google.protobuf.__version__,
        "protobuf_runtime": api_implementation.Type(),
        "grpc_experiments": os.environ.get("GRPC_EXPERIMENTS", ""),
        "cores": os.cpu_count(),
        "affinity": sorted(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
    }
