"""Stdout is for results: what users' own code prints while it is loaded or run goes to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


@contextmanager
def kept_stdout() -> Iterator[None]:
    """Send prints to stderr meanwhile, those of programs that are started too."""
    sys.stdout.flush()
    try:
        real = os.dup(1)
    except OSError:  # stdout is closed
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(real, 1)
        os.close(real)
