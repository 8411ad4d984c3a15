"""The strew command: `strew ...` after `pip install`, and `python -m strew ...`."""

import os
import signal
import sys

from . import _core


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code."""
    if not hasattr(_core, "command"):
        print("strew: this build has no command: CLI11 or zlib was missing (Debian: libcli11-dev, zlib1g-dev)", file=sys.stderr)
        return 2
    # As in a program that is not written in Python: Ctrl-C and a closed pipe end it.
    for name in ("SIGINT", "SIGPIPE"):
        if signal.getsignal(getattr(signal, name)) != signal.SIG_IGN or name == "SIGPIPE":
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    return _core.command([os.fsencode(argument) for argument in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
