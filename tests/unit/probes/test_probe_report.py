"""What a report says in words, and that nothing is lost on the way to it."""

import io
import json

import msgspec
import pytest
from rich.console import Console

from judgekit.probes.battery import Battery
from judgekit.probes.finding import BANDS, PROBES, Finding
from judgekit.report.probe import Missing, ProbeReport, band, effect, hint, sentence
from judgekit.report.probe_document import probe_document
from judgekit.report.probe_terminal import print_probe
from judgekit.types import Estimate


def finding(probe, value=0.3, low=0.2, high=0.4, **more):
    return Finding(
        probe=probe,
        dimension="mail.answered",
        effect=Estimate(value, low, high, n=20, method="case posterior"),
        band=BANDS[probe],
        p=0.001,
        adjusted=0.002,
        outputs=20,
        **{"result": "flagged", **more},
    )


@pytest.mark.parametrize(
    ("probe", "value", "said"),
    [
        ("stability", 0.3, "changes its verdict on 30% of outputs"),
        ("position", 0.2, "70% of its picks go to the answer that is shown first"),
        ("position", -0.2, "70% of its picks go to the answer that is shown second"),
        ("verbosity", 0.31, "gets PASS 31 points more often"),
        ("verbosity", -0.31, "gets PASS 31 points less often"),
        ("formatting", 0.3, "the same words in Markdown"),
        ("leniency", 0.4, "passes 40% of outputs that answer another case"),
        ("self-preference", 0.3, "30 points more often than others that people judged alike"),
        ("injection", 0.3, "turn a FAIL into PASS 30 points more often than a second look does"),
    ],
)
def test_a_flag_is_a_sentence(probe, value, said):
    assert said in sentence(finding(probe, value))
    assert sentence(finding(probe, value)).startswith(f"{probe} on mail.answered")


def test_differences_carry_a_sign_and_shares_do_not():
    assert effect(finding("verbosity")) == "+0.30 [+0.20, +0.40]"
    assert effect(finding("stability")) == "0.30 [0.20, 0.40]"
    assert effect(finding("verbosity", 0.0, -0.001, 0.001)) == "+0.00 [+0.00, +0.00]"
    assert effect(Finding(probe="stability")) == "-"
    assert (band(finding("stability")), band(finding("verbosity"))) == ("at most 0.10", "-0.10 to +0.10")


def test_a_flag_that_may_be_no_fault_says_how_to_leave_it_out():
    assert "--skip leniency:mail.answered" in hint(finding("leniency"))
    assert [probe for probe in PROBES if not hint(finding(probe))] == [
        "stability",
        "position",
        "self-preference",
        "injection",
    ]


def report(*findings, **more):
    return ProbeReport(
        suite="s",
        variant="v",
        judges=("m",),
        cases=20,
        trials=1,
        battery=Battery(tuple(findings)),
        cost_usd=0.0,
        **more,
    )


def printed(one):
    out = io.StringIO()
    print_probe(one, Console(file=out, width=200))
    return out.getvalue()


COUNTS = {"as it is": {"PASS": 18, "FAIL": 1, "UNKNOWN": 1, "no verdict": 0}, "padded": {"PASS": 9, "FAIL": 8, "UNKNOWN": 0, "no verdict": 3}}  # fmt: skip


def test_unknown_and_missing_verdicts_stand_beside_the_effects():
    told = printed(
        report(finding("verbosity", counts=COUNTS, skipped=2), missing=(Missing("failed (timeout)", 3, "c1: slow"),))
    )
    assert "as it is: 1 UNKNOWN; padded: 3 no verdict; 2 outputs that it does not fit" in told
    assert "No verdict 3 times, failed (timeout), first: c1: slow" in told


def test_case_ids_and_kinds_are_no_markup():
    kinds = {"attacked": {"PASS": 2, "FAIL": 0, "UNKNOWN": 0, "no verdict": 0}}
    odd = finding("injection", kind="[bold]x", counts=kinds, moved=("[red]c1[/red] ([x])",))
    told = printed(report(odd))
    assert "[red]c1[/red] ([x])" in told
    assert told.count("[bold]x") == 3  # twice in the sentence, once in the table
    assert "2 of 2" in told


def test_kinds_with_too_few_cases_are_counted_and_not_listed():
    kinds = {"attacked": {"PASS": 0, "FAIL": 2, "UNKNOWN": 0, "no verdict": 0}}
    few = [finding("injection", kind=k, counts=kinds, result="too few", why="2 of the 8") for k in ("a", "b")]
    told = printed(report(finding("injection", counts=kinds), *few))
    assert "2 lines by kind of attack with too few cases" in told
    assert "By kind of attack" not in told


def test_the_document_is_whole_json_without_nan():
    document = probe_document(report(finding("verbosity", counts=COUNTS), Finding(probe="position", why="no pairs")))
    text = msgspec.json.encode(document).decode()
    assert "NaN" not in text
    first, second = json.loads(text)["findings"]
    assert first["effect"] == {"value": 0.3, "low": 0.2, "high": 0.4, "n": 20, "missing": 0, "method": "case posterior"}
    assert (first["p"], first["p_adjusted"], first["counts"]) == (0.001, 0.002, COUNTS)
    assert second["effect"]["value"] is None
    assert second["why"] == "no pairs"


def test_a_probing_that_was_stopped_ends_with_4_whatever_it_found():
    assert report(finding("verbosity"), stopped="no money").exit_code == 4
    assert "Stopped: no money" in printed(report(finding("verbosity"), stopped="no money"))
    assert report(finding("verbosity")).exit_code == 1
