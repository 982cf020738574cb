"""`python -m judgekit`."""

from judgekit.cli.main import run

run()
