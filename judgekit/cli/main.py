"""`judgekit`: parse, call, print, exit code. Every error becomes one clear message and the exit code of its kind."""

from __future__ import annotations

import gc
import os
import sys

from judgekit._version import __version__


def run() -> None:
    """The entry point."""
    _safe_streams()
    # a command makes much and drops little: looking all of it through again and again takes a twentieth of its time
    gc.set_threshold(50_000, 20, 100)
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"judgekit {__version__}")  # noqa: T201 - answered before anything heavy is imported
        return
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """Run one command; the exit code: 0 pass, 1 gate failed, 2 fix the input, 3 undecided, 4 world, 130 interrupted."""
    import typer

    from judgekit.cli.app import invoke
    from judgekit.errors import JudgekitError

    try:
        return invoke(arguments)
    except (typer.Abort, KeyboardInterrupt):
        print("Interrupted.", file=sys.stderr)  # noqa: T201
        return 130
    except JudgekitError as error:
        print(f"judgekit: {error}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        print(f"judgekit: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", file=sys.stderr)  # noqa: T201
        return 4
    except Exception as error:
        # never 1, which says that the gate failed
        if os.environ.get("JUDGEKIT_DEBUG"):
            raise
        where = "JUDGEKIT_DEBUG=1 shows where; please report it"
        print(f"judgekit: a fault of judgekit itself, {type(error).__name__}: {error} ({where})", file=sys.stderr)  # noqa: T201
        return 70


def _safe_streams() -> None:
    """A console that cannot show a sign gets a replacement for it, never a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


if __name__ == "__main__":
    run()
