"""The command `gittins`, which is a program of its own in Rust."""

from __future__ import annotations

import signal
import sys

from gittins import _gittins


def main() -> int:
    """Do what the command line says, and return the exit code."""
    # The command heeds Ctrl-C by itself. If the process was started to ignore it, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return _gittins.command(["gittins", *sys.argv[1:]])
    except NotImplementedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
