"""JUnit XML: valid against the schema that Jenkins checks, and each outcome its own element."""

import msgspec
import pytest
from lxml import etree

from judgekit.report.junit import junit
from judgekit.rubric import Dimension, Ordinal, Rubric, Total
from judgekit.types import Decision

# the structure that Jenkins and Ant agree on, in our own words: elements, their attributes, and what may repeat
SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="told" mixed="true"><xs:attribute name="message"/><xs:attribute name="type" use="required"/></xs:complexType>
  <xs:complexType name="skip" mixed="true"><xs:attribute name="message"/></xs:complexType>
  <xs:complexType name="case">
    <xs:choice minOccurs="0">
      <xs:element name="skipped" type="skip"/><xs:element name="error" type="told"/><xs:element name="failure" type="told"/>
    </xs:choice>
    <xs:attribute name="name" use="required"/><xs:attribute name="classname" use="required"/>
    <xs:attribute name="time" type="xs:decimal"/>
  </xs:complexType>
  <xs:complexType name="suite">
    <xs:sequence>
      <xs:element name="properties"><xs:complexType><xs:sequence>
        <xs:element name="property" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
          <xs:attribute name="name" use="required"/><xs:attribute name="value" use="required"/>
        </xs:complexType></xs:element>
      </xs:sequence></xs:complexType></xs:element>
      <xs:element name="testcase" type="case" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
    <xs:attribute name="name" use="required"/><xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="skipped" type="xs:nonNegativeInteger"/>
    <xs:attribute name="timestamp" type="xs:dateTime"/><xs:attribute name="time" type="xs:decimal"/>
  </xs:complexType>
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element name="testsuite" type="suite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name"/><xs:attribute name="tests" type="xs:nonNegativeInteger"/>
    <xs:attribute name="failures" type="xs:nonNegativeInteger"/><xs:attribute name="errors" type="xs:nonNegativeInteger"/>
  </xs:complexType></xs:element>
</xs:schema>"""
VALID = etree.XMLSchema(etree.fromstring(SCHEMA))


def read(text):
    root = etree.fromstring(text.encode())
    VALID.assertValid(root)
    suite = root[0]
    cases = suite.findall("testcase")
    for element in (root, suite):
        assert element.get("tests") == str(len(cases))
        assert element.get("failures") == str(len(suite.findall("testcase/failure")))
        assert element.get("errors") == str(len(suite.findall("testcase/error")))
    assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
    return suite, {c.get("name"): (c[0].tag, c[0].get("type"), c[0].text) if len(c) else None for c in cases}


def test_each_outcome_has_its_own_element(summary_of, grade):
    summary = summary_of(
        {
            "a": [
                [
                    grade("a", "equals", "PASS"),
                    grade("a", "max_words", "FAIL", reason="49 words, the limit is 25"),
                    grade("a", "label", "not_applicable.no_label", reason="the output has no label"),
                    grade("a", "reply.kind", "UNKNOWN", reason="Cannot tell."),
                    grade("a", "reply.exact", "unreadable.no_tag", reason="no verdict"),
                    grade("a", "reply.brief", "FAIL", reason="Long.", gating=False),
                    grade("a", "reply.warm", "failed.timeout", reason="slow", gating=False),
                ]
            ]
        },
        judges=("openai:j",), started="2026-01-01T10:00:00+00:00", finished="2026-01-01T10:00:12+00:00",
    )  # fmt: skip
    suite, cases = read(junit(summary, Decision("fail", ("must_pass: a",))))
    assert cases == {
        "gate": ("failure", "fail", "must_pass: a"),
        "a: equals": None,
        "a: max_words": ("failure", "FAIL", "FAIL: 49 words, the limit is 25"),
        "a: label": ("error", "not_applicable", "no verdict: not_applicable (no_label): the output has no label"),
        "a: reply.kind": ("error", "UNKNOWN", "UNKNOWN: Cannot tell."),
        "a: reply.exact": ("error", "unreadable", "no verdict: unreadable (no_tag): no verdict"),
        "a: reply.brief": ("skipped", None, "advisory (uncertified), decides nothing: FAIL: Long."),
        "a: reply.warm": ("skipped", None, "advisory (uncertified), decides nothing: failed (timeout): slow"),
    }
    assert suite.get("time") == "12.000"
    assert {c.get("classname") for c in suite.findall("testcase")} == {"shop.v2"}


@pytest.mark.parametrize(("outcome", "tag"), [("pass", None), ("fail", "failure"), ("undecided", "error")])
def test_the_gate_is_a_test_of_its_own(summary_of, grade, outcome, tag):
    _, cases = read(
        junit(summary_of({"a": [[grade("a", "equals", "PASS")]]}), Decision(outcome, ("r",) if tag else ()))
    )
    assert (cases["gate"][0] if cases["gate"] else None) == tag


def test_trials_are_tests_and_one_that_was_not_reached_is_an_error(summary_of, grade):
    summary = summary_of({"a": [[grade("a", "equals", "PASS")], [grade("a", "equals", "FAIL", trial=2)]], "b": []})
    _, cases = read(junit(summary, Decision("undecided")))
    assert cases["a: equals (trial 1)"] is None
    assert cases["a: equals (trial 2)"][0] == "failure"
    assert {name: c[:2] for name, c in cases.items() if name.startswith("b")} == {
        "b: not reached (trial 1)": ("error", "not_reached"),
        "b: not reached (trial 2)": ("error", "not_reached"),
    }


def test_an_output_that_nothing_graded_is_an_error(summary_of):
    _, cases = read(junit(summary_of({"a": [[]]}), Decision("undecided")))
    assert cases["a: no grade"] == ("error", "nothing_graded", "nothing graded")


def levels(grade, a, b, *, gating=True):
    def one(name, level):
        if level is None:
            return grade("c", f"r.{name}", "UNKNOWN", gating=gating)
        return msgspec.structs.replace(grade("c", f"r.{name}", "PASS" if level else "FAIL", gating=gating), level=level)

    return [one("x", a), one("y", b)]


@pytest.mark.parametrize(
    ("a", "b", "gating", "found"),
    [
        (2, 1, True, None),
        (2, 0, True, ("failure", "FAIL", "total 2, at least 3 expected")),
        (2, None, True, ("error", "no_total", "total 2 to 4, at least 3 expected; no level for y")),
        (2, 0, False, ("skipped", None, "advisory (uncertified), decides nothing: fail: total 2, at least 3 expected")),
    ],
)
def test_of_a_rubric_with_a_total_the_total_is_the_test(summary_of, grade, a, b, gating, found):
    scale = Ordinal(levels={0: "no", 1: "some", 2: "yes"}, pass_at=1)
    dimensions = tuple(Dimension(id=name, criterion="Good.", scale=scale) for name in "xy")
    totals = {"r": Rubric(id="r", dimensions=dimensions, pass_when=Total(min_total=3))}
    summary = summary_of({"c": [levels(grade, a, b, gating=gating)]}, totals=totals)
    _, cases = read(junit(summary, Decision("pass"), totals=totals))
    assert cases["c: r (total)"] == found
    assert {cases[f"c: r.{name}"][0] for name in "xy"} == {"skipped"}


def test_any_text_gives_a_valid_document(summary_of, grade):
    odd = "a\x00b \x1b[31m <x> & ]]> \ud800 \ufffe é\r\n\"'"
    _, cases = read(
        junit(
            summary_of({odd: [[grade(odd, "reply.kind", "FAIL", reason=odd)]]}, notices=(odd,)),
            Decision("fail", (odd,)),
        )
    )
    name = next(name for name in cases if name.startswith("a"))
    assert name == "a␀b ␛[31m <x> & ]]> \\ud800 \\ufffe é\n\"': reply.kind"
    assert "␀" in cases[name][2]
