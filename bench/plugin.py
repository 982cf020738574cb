"""What the pytest plugin costs a session that does not use it: the ratio of two ways to run one empty test.

    python bench/plugin.py [--pairs 20]

Each pair runs `pytest` with the plugin and with `-p no:judgekit`, one after the other and in changing order, in fresh
processes; other installed plugins take part in both. Times are CPU seconds of the process, so that other work on the
machine counts less.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path

PLUGIN = "judgekit"


def cpu_s(folder, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20)
    pairs = parser.parse_args().pairs
    if not any(point.name == PLUGIN for point in entry_points(group="pytest11")):
        sys.exit("the plugin is not installed here: run `pip install .` in the checkout first")
    ways = {"with": [], "without": ["-p", f"no:{PLUGIN}"]}
    times = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_empty.py").write_text("def test_nothing():\n    pass\n")
        for options in ways.values():
            cpu_s(folder, options)  # compiles what is not compiled yet
        for number in range(pairs):
            order = list(ways) if number % 2 else list(reversed(ways))
            for name in order:
                times[name].append(cpu_s(folder, ways[name]))
    ratios = [a / b for a, b in zip(times["with"], times["without"], strict=True)]
    for name, values in times.items():
        print(f"{name:<8} median {statistics.median(values) * 1000:7.1f} ms, least {min(values) * 1000:7.1f} ms")
    low, _, high = statistics.quantiles(ratios, n=4)
    print(f"ratio    median {statistics.median(ratios):.3f}, middle half {low:.3f} to {high:.3f}, {pairs} pairs")


if __name__ == "__main__":
    main()
