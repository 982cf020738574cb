"""Every coefficient of a pair of raters that another tool computed on real data is met, and none is passed over."""

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judgekit.stats import draws
from judgekit.stats.agreement import agreement, kappa, kappa_asymptotic, predictive_value, recall, weighted_kappa
from judgekit.stats.chance import ac1, alpha, fleiss
from judgekit.stats.paired import mcnemar
from judgekit.stats.tables import Table

TABLE = "confusion_rows_reference_cols_judge"

# Computed by nobody here: rank correlations and errors of scores, F1, the test against kappa = 0, and plain facts.
NOT_OURS = {
    "cohen_kappa_ase_under_h0",
    "f1",
    "kendall_tau_b",
    "spearman",
    "mean_absolute_error",
    "mean_signed_difference_judge_minus_human",
    "out_of_range",
    "n_missing",
    "labels",
    "positive_label",
    TABLE,
}

# How many numbers there are to meet, counted from the files without this code.
TO_MEET = {
    "pandalm": 192,
    "xstest": 396,
    "triviaqa_judges": 400,
    "hanna": 1968,
    "trec_llmjudge": 2595,
    "llm_rubric": 734,
    "mt_bench_human": 172,
    "repeat_scores": 125,
}


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the values are compared here, not the limits."""
    monkeypatch.setattr(draws, "MIN_DRAWS", 10)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 1)


def blocks(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every block that holds a confusion table, wherever it stands."""
    if isinstance(node, dict):
        if TABLE in node:
            yield path, node
        else:
            for key, value in node.items():
                yield from blocks(value, (*path, key))


def ours(table: Table, block: dict[str, Any]) -> dict[str, list[float | None]]:
    """What we compute, under the names of the file."""
    plain, level = kappa_asymptotic(table), 0.5
    found: dict[str, list[float | None]] = {
        "n": [table.n],
        "percent_agreement": [agreement(table, level=level).value],
        "cohen_kappa": [kappa(table, level=level).value],
        "cohen_kappa_ase": [plain.se],
        "cohen_kappa_ci95": [plain.low, plain.high],
        "scott_pi": [fleiss(table, level=level).value],
        "krippendorff_alpha_nominal": [alpha(table, level=level).value],
    }
    first = ac1(table, level=level)
    found["gwet_ac1"], found["gwet_ac1 se"] = [first.value], [first.se]
    if "weighted_kappa_linear" in block:
        for name in ("linear", "quadratic"):
            found[f"weighted_kappa_{name}"] = [weighted_kappa(table, name, level=level).value]
            found[f"weighted_kappa_{name}_ase"] = [kappa_asymptotic(table, weights=name).se]
        for metric in ("ordinal", "interval"):
            found[f"krippendorff_alpha_{metric}"] = [alpha(table, metric, level=level).value]
    if "gwet_ac2_quadratic" in block:
        second = ac1(table, weights="quadratic", level=level)
        found["gwet_ac2_quadratic"], found["gwet_ac2_quadratic se"] = [second.value], [second.se]
    if "positive_label" in block:
        yes = block["positive_label"]
        no = next(label for label in table.labels if label != yes)
        found["sensitivity_tpr"] = [recall(table, yes).value]
        found["specificity_tnr"] = [recall(table, no).value]
        found["precision"] = [predictive_value(table, yes).value]
        at = table.labels.index(yes)
        found["mcnemar_exact_p"] = [mcnemar(int(table.counts[at, 1 - at]), int(table.counts[1 - at, at])).p]
    return found


def compare(block: dict[str, Any], name: str, problems: list[str]) -> Counter[str]:
    """Hold each leaf of the block against ours; what is null there is counted apart."""
    table = Table.of(block[TABLE], [str(label) for label in block["labels"]])
    mine = ours(table, block)
    seen: Counter[str] = Counter()
    for key, given in block.items():
        if key in NOT_OURS:
            continue
        for tool, value in given.items() if isinstance(given, dict) else [("", given)]:
            wanted = value if isinstance(value, list) else [value]
            got = mine[f"{key} se" if tool.endswith(" se") else key]
            off = 5.1e-6 if tool.startswith("irrCAC") else 1e-6
            for w, g in zip(wanted, got, strict=True):
                if w is None:
                    seen["null"] += 1
                    continue
                seen["met"] += 1
                if g is None or not math.isclose(w, g, rel_tol=1e-6, abs_tol=off):
                    problems.append(f"{name} {key} {tool}: {g} is not {w}")
    return seen


@pytest.mark.parametrize("name", sorted(TO_MEET))
def test_every_reference_value_of_a_pair_is_met(data_dir: Path, name: str) -> None:
    expected = json.loads((data_dir / name / "expected.json").read_text())
    problems: list[str] = []
    seen: Counter[str] = Counter()
    for path, block in blocks(expected):
        seen += compare(block, "/".join(path), problems)
    assert not problems, "\n".join(problems[:20])
    assert seen["met"] == TO_MEET[name]
