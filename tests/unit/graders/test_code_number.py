"""Numbers as people write them: what is read, what is ambiguous, what is none."""

import pytest

from judgekit.graders.number import last_number, number_finding
from judgekit.types import Fault, Json

READ = [
    ("The answer is 42.", 42),
    ("3 then 4, so 7", 7),
    ("-5", -5),
    ("−5 degrees", -5),
    ("温度は-5度", -5),
    ("14-21 days", 21),
    ("GPT-4", 4),
    ("$1,234.50", 1234.5),
    ("-$5", -5),
    ("$-5", -5),
    ("€ 5", 5),
    ("5,5 лв.", 5.5),
    ("Größe: 1.234,50 €", 1234.5),
    ("1\u202f234,5", 1234.5),
    ("1'234.50", 1234.5),
    ("1’234", 1234),
    ("1,234,567", 1234567),
    ("12,34,567", 1234567),
    ("1.234.567", 1234567),
    ("0,125", 0.125),
    ("٤٢", 42),
    ("١٬٢٣٤٫٥", 1234.5),
    ("価格は１４円", 14),
    ("1.5e-3", 0.0015),
    ("6 × 10^3", 6000),
    ("6·10⁻³", 0.006),
    (r"$\boxed{6 \times 10^{3}}$", 6000),
    ("👍 5 👍", 5),
    ("It costs 20 on 14.02.2024.", 20),
    ("1,2,3", 3),
    ("7 m²", 7),
    (".5", 0.5),
]


@pytest.mark.parametrize(("text", "value"), READ)
def test_the_last_number_is_read_as_it_is_written(text: str, value: float) -> None:
    shown = str(value)
    assert number_finding(text, value, 0) == ("PASS", f"found {shown}, expected {shown}")
    assert number_finding(text, 777, 0.5) == ("FAIL", f"found {shown}, expected 777 ± 0.5")


AMBIGUOUS = [
    ("1.234", 1234, "1.234"),
    ("1,234", 1.234, "1234"),
    ("12 345 people", 345, "12345"),
    ("45%", 0.45, "45"),
    ("it is 1/2", 0.5, "2"),
]


@pytest.mark.parametrize(("text", "number", "ours"), AMBIGUOUS)
def test_a_number_that_fits_only_in_another_reading_gets_no_verdict(text: str, number: float, ours: str) -> None:
    fault = number_finding(text, number, 0)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.code) == ("not_applicable", "ambiguous_number")
    assert f"reads as {ours} but may mean {number}" in fault.why
    assert isinstance(number_finding(text, float(ours), 0), tuple)
    assert number_finding(text, 777, 0) == ("FAIL", f"found {ours}, expected 777")


@pytest.mark.parametrize("text", ["", "forty-two", "version 1.2.3", "14.02.2024", "²"])
def test_no_number_is_a_fail_that_says_so(text: str) -> None:
    assert last_number(text) is None
    assert number_finding(text, 42, 0.5) == ("FAIL", "no number found, expected 42 ± 0.5")


def test_tolerance_is_exact_in_decimals() -> None:
    assert 1.1 - 1.0 > 0.1  # in floats
    assert number_finding("1.1", 1.0, 0.1) == ("PASS", "found 1.1, expected 1 ± 0.1")
    assert number_finding("1.1000000000000001", 1.0, 0.1)[0] == "FAIL"  # type: ignore[index]


def test_zero_is_a_number_to_expect() -> None:
    assert number_finding("0 items", 0, 0) == ("PASS", "found 0, expected 0")
    assert number_finding("3 items", 0, 0) == ("FAIL", "found 3, expected 0")


@pytest.mark.parametrize(("output", "verdict"), [(42, "PASS"), (42.0, "PASS"), (41.9, "FAIL"), (True, "FAIL")])
def test_json_numbers_compare_directly(output: Json, verdict: str) -> None:
    found = number_finding(output, 42, 0)
    assert isinstance(found, tuple)
    assert found[0] == verdict


def test_json_with_several_values_names_no_number() -> None:
    found = number_finding({"a": 1, "b": 42}, 42, 0)
    assert isinstance(found, Fault)
    assert found.code == "no_single_number"


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "1e999999999999999999999",
        "-1e99999999",
        "5e-99999999999999999999",
        "0e99999999999999999999",
        "1" + ",000" * 3000,
    ],
)
def test_monstrous_numbers_are_just_wrong(text: str) -> None:
    found = number_finding(text, 42, 1)
    assert isinstance(found, tuple)
    assert found[0] == "FAIL"
    assert len(found[1]) < 120
