"""Loading 100,000 cases from JSON lines: ours beside msgspec, pydantic and json with checks by hand.

    python bench/load.py --rows 100000 --runs 5

Each reader runs in a process of its own, its import included, so that peak memory is the reader's own. Time is CPU
time of that process (all are single-threaded), which other work on the machine does not move. The bounds: at most 2 x
the time and 1.5 x the peak memory of the best reader that also validates.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WORDS = ["refund", "order", "parcel", "label", "account", "invoice", "voucher", "delivery", "charge", "agent", "week"]
VALIDATING = ("msgspec", "pydantic", "json_checked")


def make(path: Path, rows: int) -> None:
    """Write a case file as a support team would have it: input, context, must-lists, tags, meta."""
    rng = random.Random(3)
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            case = {
                "id": f"case-{number:07d}",
                "input": " ".join(rng.choices(WORDS, k=14)) + "?",
                "context": " ".join(rng.choices(WORDS, k=70)) + ", “thanks”.",
                "expected": {"must_include": rng.sample(WORDS, 2), "max_words": 80},
                "rubric": "Polite. Promises nothing.",
                "tags": ["edge:a", "b"],
                "meta": {"lang": "en", "turn": number % 5},
            }
            file.write(json.dumps(case, ensure_ascii=False) + "\n")


def with_judgekit(path: Path) -> int:
    from judgekit.data.cases import load_cases

    return len(load_cases(path))


def with_msgspec(path: Path) -> int:
    from msgspec import defstruct
    from msgspec.json import Decoder

    checks = defstruct("Checks", [("must_include", list[str], []), ("max_words", int, 0)])
    case = defstruct("Case", [(name, kind, default) for name, (kind, default) in fields(checks).items()])
    decode = Decoder(case).decode
    with path.open("rb") as file:
        return len([decode(line) for line in file])


def with_pydantic(path: Path) -> int:
    from pydantic import create_model

    checks = create_model("Checks", must_include=(list[str], []), max_words=(int, 0))
    decode = create_model("Case", **fields(checks)).model_validate_json
    with path.open("rb") as file:
        return len([decode(line) for line in file])


def fields(checks: Any) -> dict[str, Any]:
    """What the other readers are to find in a row: name -> type and default."""
    return {
        "id": (str, ""),
        "input": (str, ""),
        "context": (str | None, None),
        "expected": (checks | None, None),
        "rubric": (str, ""),
        "tags": (list[str], []),
        "meta": (dict[str, Any], {}),
    }


def with_json_checked(path: Path) -> int:
    def checked(row: Any) -> dict[str, Any]:
        texts = (row["id"], row["input"], row["context"], row["rubric"])
        lists = (row["tags"], row["expected"]["must_include"])
        if not all(type(t) is str for t in texts) or not all(type(x) is list for x in lists):
            raise TypeError(row)
        return row

    with path.open("rb") as file:
        return len([checked(json.loads(line)) for line in file])


def with_json_alone(path: Path) -> int:
    with path.open("rb") as file:
        return len([json.loads(line) for line in file])


READERS = {
    "judgekit": with_judgekit,
    "msgspec": with_msgspec,
    "pydantic": with_pydantic,
    "json_checked": with_json_checked,
    "json_alone": with_json_alone,
}


def one(name: str, path: Path) -> None:
    """Run one reader and print what it took."""
    start = time.process_time()
    count = READERS[name](path)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"n": count, "s": seconds, "mb": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--one", nargs=2, metavar=("READER", "FILE"))
    args = parser.parse_args()
    if args.one:
        one(args.one[0], Path(args.one[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.jsonl"
        make(path, args.rows)
        print(f"{args.rows} cases, {path.stat().st_size / 1e6:.1f} MB, median CPU time of {args.runs}, import included")
        taken: dict[str, list[dict[str, float]]] = {name: [] for name in READERS}
        for _ in range(args.runs):
            for name, runs in taken.items():
                command = [sys.executable, __file__, "--one", name, str(path)]
                runs.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    seconds = {name: statistics.median(r["s"] for r in runs) for name, runs in taken.items()}
    memory = {name: statistics.median(r["mb"] for r in runs) for name, runs in taken.items()}
    fastest, leanest = min(seconds[n] for n in VALIDATING), min(memory[n] for n in VALIDATING)
    for name, runs in taken.items():
        print(f"{name:14} {seconds[name]:6.3f} s  {memory[name]:5.0f} MB  {runs[0]['n']:.0f} rows")
    print(f"time   {seconds['judgekit'] / fastest:.2f} x the best that validates (bound 2)")
    print(f"memory {memory['judgekit'] / leanest:.2f} x the best that validates (bound 1.5)")


if __name__ == "__main__":
    main()
