"""The JSON document and the terminal."""

import io
import json

from rich.console import Console

from judgekit.report.agreement.measure import measure
from judgekit.report.agreement.terminal import print_agreement
from judgekit.report.agreement.told import AS_WRITTEN, Told

P, F, U = "PASS", "FAIL", "UNKNOWN"
STATISTICS = [
    "agreement",
    "kappa",
    "kappa_asymptotic",
    "kappa_weighted",
    "kappa_all_labels",
    "kappa_worst_case",
    "ac1",
    "alpha",
    "mcc",
    "sensitivity",
    "specificity",
    "coverage",
]


def printed(a, *, full=False):
    text = io.StringIO()
    print_agreement(a, Console(file=text, width=200), full=full)
    return text.getvalue()


def test_the_document_has_the_shape_that_others_rely_on(measured):
    document = measured([P, F, P, F, None], [P, F, F, U, P], groups=["x", "x", "y", "y", "y"]).to_dict()
    assert document["n"] == 4
    assert document["missing"] == 1
    assert document["labels"] == [P, F, U]
    assert document["table"] == [[1, 1, 0], [0, 1, 1], [0, 0, 0]]
    for name in STATISTICS:
        statistic = document[name]
        assert statistic["value"] is None or {"value", "low", "high", "n", "method"} <= set(statistic)
        assert statistic["value"] is not None or statistic["undefined"]
    assert isinstance(document["kappa_asymptotic"]["se"], float)
    assert set(document["by"]) == {"x", "y"}
    assert document["by"]["x"]["kappa"]["value"] == 1.0
    assert document["annotators"] == {}


def test_the_document_is_strict_json_whatever_is_undefined(measured):
    for a in (measured([], []), measured([P] * 3, [P] * 3), measured([P, F], [U, None]), measured(["a"], ["a"])):
        json.loads(json.dumps(a.to_dict(), allow_nan=False))


def test_annotators_and_people_are_in_the_document(columns):
    a = measure(columns([P, F] * 30, [P, F] * 30, [P, F] * 30, [P, P] * 30), AS_WRITTEN)
    document = a.to_dict()
    assert document["annotators"]["ann"]["kappa"]["value"] == 1.0
    assert document["annotators"]["cy"]["kappa"]["value"] is None
    assert document["people"]["pairs"]["ann and ben"]["value"] == 1.0
    assert document["people"]["ceiling"]["judge"]["n"] == 60


def test_the_sentence_comes_first_and_the_table_is_there(measured):
    lines = printed(measured([P] * 48 + [F] * 12, [P] * 51 + [F] * 9)).splitlines()
    assert lines[0].startswith("The judge agrees with people beyond chance")
    rows = [line.split() for line in lines]
    assert ["PASS", "48", "0", "48"] in rows
    assert ["FAIL", "3", "9", "12"] in rows


def test_missed_fails_and_false_alarms_stand_with_counts_and_limits(measured):
    text = printed(measured([P] * 48 + [F] * 12, [P] * 45 + [F] * 3 + [P] * 3 + [F] * 9))
    assert "3 of 12: 0.25 [" in text
    assert "3 of 48: 0.06 [" in text


def test_what_was_left_out_is_on_the_screen(measured):
    text = printed(measured([P, F, None, P, F] * 10, [P, F, P, "", U] * 10))
    assert "10 rows without a human label; 10 rows without a verdict; 10 rows with UNKNOWN on a side" in text


def test_full_shows_every_coefficient_or_its_reason(measured):
    text = printed(measured([P] * 30 + [F] * 10, [P] * 32 + [F] * 8, AS_WRITTEN), full=True)
    for name in (
        "Cohen",
        "asymptotic",
        "weighted",
        "AC1",
        "alpha",
        "Matthews",
        "sensitivity",
        "specificity",
        "coverage",
    ):
        assert name in text
    assert "undefined: not asked for (--weights)" in text
    assert "75% of these labels are PASS; with these recalls kappa stays at 0.50 or more" in text


def test_full_shows_the_ordered_coefficients_of_scores(measured):
    text = printed(measured(list("12345") * 9, list("12354") * 9, AS_WRITTEN), full=True)
    assert "the same, ordinal" in text
    assert "the same, interval" in text


def test_a_table_of_many_labels_is_not_drawn(measured):
    labels = [str(n) for n in range(14)] * 3
    assert "The table of 14 labels is in --json." in printed(measured(labels, labels))


def test_labels_are_shown_as_they_are_and_never_as_markup(measured):
    text = printed(measured(["[red]a", "b"] * 20, ["[red]a", "b"] * 20))
    assert "[red]a" in text


def test_text_and_repr_of_the_value(measured):
    a = measured([P, F, None], [P, F, P], Told())
    assert str(a).startswith("The judge agrees") or str(a).startswith("It cannot be told")
    assert repr(a).startswith("<Agreement: kappa 1.00 [")
    assert repr(a).endswith("over 2 pairs, 1 row left out>")


def test_groups_without_a_kappa_stand_with_their_reason_below(measured):
    text = printed(measured([P, P, P, F], [P, P, P, F], groups=["x", "x", "y", "z"]))
    assert "No kappa for x, y: people used one label only (PASS)" in text
    assert "No kappa for z: people used one label only (FAIL)" in text


def test_control_characters_of_a_label_do_not_reach_the_terminal(measured):
    text = printed(measured(["\x1b[31ma", "b"] * 20, ["\x1b[31ma", "b"] * 20), full=True)
    assert "\x1b" not in text
