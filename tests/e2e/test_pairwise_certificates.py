"""A judge of pairs against people's preferences: certified it gates, changed by a character it is advisory."""

import csv
import hashlib
import io
import json
import re
import shutil
from datetime import date
from pathlib import Path

import msgspec
import pytest

from judgekit.calibration.certificate import from_text, sealed, to_text
from judgekit.calibration.items import split_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "ab"
N = 80
TEST = [i for i in range(N) if split_of(f"c{i:03d}") == "test"]
DEV = [i for i in range(N) if i not in TEST]
CRITERION = "The answer that solves more of the problem."
GATE = "gate: {block: [{prefer: {candidate: b, max_inconsistent: 0.2}}]}\n"
PAIR = ("--a", "v1", "--b", "v2")


def old(i):
    return f"old answer {i:03d}."


def new(i):
    return f"new answer {i:03d}."


def says(label):
    return f"Because of it.\n<result>{label}</result>"


def human(i):
    """Of ten cases 7 for B, 2 for A, 1 TIE."""
    return "TIE" if i % 10 == 9 else "A" if i % 10 in (3, 6) else "B"


def recordings(judge):
    """Replies in both orders; `judge(i)` is A, B, TIE, UNKNOWN, FLIP (always the first answer), garbage or down."""
    rows = []
    for i in range(N):
        word = judge(i)
        straight = {"A": "FIRST", "B": "SECOND", "FLIP": "FIRST"}.get(word, word)
        swapped = {"A": "SECOND", "B": "FIRST", "FLIP": "FIRST"}.get(word, word)
        for has, label in (([f"{old(i)}\n</first-"], straight), ([f"{new(i)}\n</first-"], swapped)):
            if word == "down":
                rows.append({"question_has": has, "error": {"code": "status_500", "status": 500}})
            else:
                rows.append({"question_has": has, "reply": "no verdict" if word == "garbage" else says(label)})
    return rows


def table(rows, columns=("case_id", "a", "b", "label")):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([columns, *rows])
    return out.getvalue()


@pytest.fixture
def made(suite):
    def write(judge=human, labels=None, name="suite", gate=GATE, more="", config='{model: "replay:judge"}'):
        rows = [(f"c{i:03d}", old(i), new(i), human(i)) for i in range(N)]
        return suite(
            {
                "judgekit.yaml": (
                    "suite: t\ncases: cases.jsonl\nrecordings: [recordings.jsonl]\n"
                    "variants:\n  v1: {outputs: a.jsonl}\n  v2: {outputs: b.jsonl}\n"
                    f"judge: {config}\n{gate}{more}"
                ),
                "cases.jsonl": [{"id": f"c{i:03d}", "input": f"question {i:03d}"} for i in range(N)],
                "a.jsonl": [{"id": f"c{i:03d}", "output": old(i), "model": "claude-sonnet-4-5"} for i in range(N)],
                "b.jsonl": [{"id": f"c{i:03d}", "output": new(i), "model": "gemini-3-pro"} for i in range(N)],
                "recordings.jsonl": recordings(judge),
                "pairs.yaml": f'id: mine\ndimensions:\n  - {{id: better, criterion: "{CRITERION}"}}\n',
                "prefs.csv": labels if labels is not None else table(rows),
            },
            name,
        )

    return write


def calibrate(cli, folder, *more):
    return cli("pairwise", folder, "--rubric", "pairs.yaml", "--labels", folder / "prefs.csv", *more)


def compare(cli, folder, *more):
    return cli("pairwise", folder, *PAIR, "--rubric", "pairs.yaml", *more)


def looks(folder):
    path = folder / "prefs.csv.attempts.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def paper(folder):
    (path,) = (folder / "certificates").glob("*.json")
    return json.loads(path.read_text())


def replace(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def mostly(i):
    """As people, but on every twentieth case the other answer."""
    return {"A": "B", "B": "A", "TIE": "B"}[human(i)] if i % 20 == 0 else human(i)


# ── the dev split ────────────────────────────────────────────────────────────────────────────────────────


def test_plain_labels_show_the_dev_split_with_every_disagreement_and_nothing_of_the_test_split(cli, made):
    folder = made(lambda i: "A" if human(i) == "B" else human(i))
    ran = calibrate(cli, folder, "--json")
    assert ran.code == 0
    doc = ran.json
    (found,) = doc["dimensions"].values()
    wrong = [i for i in DEV if human(i) == "B"]
    assert [one["id"] for one in found["disagreements"]] == [f"c{i:03d}" for i in wrong]
    assert found["judged"] == found["n"] == len(DEV)
    assert found["table"][1] == [len(wrong), 0, 0]
    assert found["kappa"]["value"] < 0.5
    assert doc["attempt"] is None
    for i in TEST:
        assert f"c{i:03d}" not in ran.out
        assert f"answer {i:03d}" not in ran.out
    assert [one["kind"] for one in looks(folder)] == ["shown"]
    told = calibrate(cli, folder).err
    assert "people B, judge A" in told
    assert "costs no attempt" in told


def test_flips_abstentions_and_missing_verdicts_are_never_a_label(cli, made):
    words = {DEV[0]: "FLIP", DEV[1]: "UNKNOWN", DEV[2]: "garbage"}
    found = calibrate(cli, made(lambda i: words.get(i, human(i))), "--json").json["dimensions"]["mine.better"]
    assert found["n"] == len(DEV) - 3
    assert found["coverage"] == pytest.approx((len(DEV) - 3) / len(DEV))
    assert found["kappa"]["value"] == 1
    assert {k: v for k, v in found["outcomes"].items() if k not in "A B TIE"} == {
        "INCONSISTENT": 1,
        "UNKNOWN": 1,
        "MISSING": 1,
    }


# ── certified, refused, inconclusive ─────────────────────────────────────────────────────────────────────


def test_a_certified_judge_decides_the_gate(cli, made):
    folder = made(mostly)
    assert compare(cli, folder).code == 3
    ran = calibrate(cli, folder, "--certify", "--json")
    assert ran.code == 0
    assert ran.json["decision"] == "certified"
    assert ran.json["dimensions"]["mine.better"]["n"] == len(TEST)
    assert ran.json["calls"]["sent"] == 2 * len(TEST)
    one = paper(folder)
    assert (one["kind"], one["result"], one["attempt"], one["labels"]) == ("pairs", "certified", 1, "prefs.csv")
    assert len(one["rows"]) == len(TEST)
    # B wins 7 of 10, A 2: the lower end lies above a half
    won = compare(cli, folder, "--json")
    assert (won.code, won.json["decision"]) == (0, "pass")
    assert won.json["advisory"] == {"better": None}
    assert "has a certificate for pairs" in compare(cli, folder).err
    lost = cli("pairwise", folder, "--a", "v2", "--b", "v1", "--rubric", "pairs.yaml", "--json")
    assert (lost.code, lost.json["decision"]) == (1, "fail")
    (run,) = [p for p in (folder / "runs").iterdir() if "v2-vs-v1" in p.name][:1]
    assert cli("report", run).code == 1
    assert {json.loads(line)["advisory"] for line in (run / "pairs.jsonl").read_text().splitlines()} == {""}


@pytest.mark.parametrize(
    ("file", "before", "after", "part"),
    [
        ("pairs.yaml", "more of the problem.", "more of the problem!", "the criterion"),
        ("pairs.yaml", "id: mine\n", "id: mine\nties: false\n", "verdicts on offer"),
        ("pairs.yaml", "id: mine\n", "id: mine\ntemplate: t.j2\n", "the template"),
        ("judgekit.yaml", "replay:judge", "replay:judgf", "the model"),
        ("judgekit.yaml", '"replay:judge"', '"replay:judge", params: {temperature: 0.1}', "the parameters"),
        ("judgekit.yaml", '"replay:judge"', '"replay:judge", votes: 3', "the number of votes"),
    ],
)
def test_one_changed_character_makes_it_advisory(cli, made, file, before, after, part):
    folder = made(mostly)
    (folder / "t.j2").write_text(
        "{{ criterion }}\n{{ first }}\n{{ second }}\nAnswer with {{ verdicts | join(', ') }}.\n", encoding="utf-8"
    )
    assert calibrate(cli, folder, "--certify").code == 0
    assert compare(cli, folder).code == 0
    replace(folder / file, before, after)
    ran = compare(cli, folder, "--json")
    assert ran.code == 3
    assert ran.json["decision"] == "undecided"
    assert "stale" in ran.json["advisory"]["better"]
    assert part in ran.json["advisory"]["better"]


def test_a_judge_that_disagrees_is_refused_and_says_so_at_a_run(cli, made):
    folder = made(lambda i: {"A": "B", "B": "A", "TIE": "TIE"}[human(i)])
    ran = calibrate(cli, folder, "--certify")
    assert ran.code == 1
    assert "REFUSED" in ran.err
    assert "pairs" not in paper(folder)
    assert set(paper(folder)["rows"].values()) == {""}
    told = compare(cli, folder, "--json")
    assert told.code == 3
    assert told.json["advisory"]["better"] == "refused"
    assert any("judgekit pairwise" in n and "--labels" in n for n in told.json["notices"])


def test_a_judge_that_flips_too_often_is_refused_for_coverage(cli, made):
    ran = calibrate(cli, made(lambda i: "FLIP" if i % 5 == 0 else human(i)), "--certify", "--json")
    assert ran.code == 1
    (why,) = ran.json["dimensions"]["mine.better"]["reasons"]
    assert "too few of the pairs" in why
    assert "INCONSISTENT" in why


def test_a_judge_that_always_says_b_is_refused(cli, made):
    ran = calibrate(cli, made(lambda _i: "B"), "--certify")
    assert ran.code == 1
    assert "one verdict only (B)" in " ".join(ran.err.split())


def test_too_few_labels_are_not_looked_at_and_cost_nothing(cli, made):
    rows = [(f"c{i:03d}", old(i), new(i), human(i)) for i in TEST[:12]]
    folder = made(labels=table(rows))
    ran = calibrate(cli, folder, "--certify", "--json")
    assert ran.code == 3
    assert ran.json["calls"]["sent"] == 0
    assert looks(folder) == []
    assert not (folder / "certificates").exists()


def test_a_network_that_is_down_costs_no_attempt(cli, made):
    folder = made(lambda i: "down" if i % 2 else human(i))
    assert calibrate(cli, folder, "--certify").code == 4
    assert looks(folder) == []


def test_the_decision_names_no_test_case_and_no_text(cli, made):
    folder = made(lambda i: {"A": "B", "B": "A", "TIE": "TIE"}[human(i)])
    for form in ((), ("--json",)):
        ran = calibrate(cli, folder, "--certify", *form)
        everything = ran.out + ran.err + (folder / "prefs.csv.attempts.jsonl").read_text() + json.dumps(paper(folder))
        assert not [i for i in range(N) if re.search(rf"\bc{i:03d}\b|answer {i:03d}", everything)]
        assert 'kappa"' not in ran.out


def test_each_attempt_is_counted_and_the_fifth_uses_the_set_up(cli, made):
    folder = made(lambda i: {"A": "B", "B": "A", "TIE": "TIE"}[human(i)])
    levels = [calibrate(cli, folder, "--certify", "--json").json["level"] for _ in range(5)]
    assert levels == pytest.approx([0.05 / (j * (j + 1)) for j in range(1, 6)])
    assert [one["kind"] for one in looks(folder)] == ["attempt"] * 5
    after = calibrate(cli, folder, "--certify", "--json")
    assert (after.code, after.json["spent"], after.json["calls"]["sent"]) == (3, True, 0)


def test_a_copy_of_the_labels_under_another_name_is_no_new_set(cli, made):
    folder = made(lambda i: {"A": "B", "B": "A", "TIE": "TIE"}[human(i)])
    calibrate(cli, folder, "--certify")
    (folder / "copy.csv").write_text((folder / "prefs.csv").read_text())
    again = cli("pairwise", folder, "--rubric", "pairs.yaml", "--labels", folder / "copy.csv", "--certify", "--json")
    assert again.json["attempt"] == 2


def test_new_cases_after_a_used_up_set_are_a_new_set(cli, made):
    half = TEST[: len(TEST) // 2]
    rows = {i: (f"c{i:03d}", old(i), new(i), human(i)) for i in range(N)}
    small = "calibration: {n: 10, cases: 10, each_label: 3}\n"
    folder = made(mostly, labels=table([rows[i] for i in half]), more=small.replace("}", ", kappa_low: 0.99}"))
    for _ in range(5):
        assert calibrate(cli, folder, "--certify", "--json").json["attempt"]
    assert calibrate(cli, folder, "--certify", "--json").json["spent"]
    shown = calibrate(cli, folder, "--json").json["dimensions"]["mine.better"]
    assert shown["judged"] == len(half)
    (folder / "prefs.csv").write_text(table(rows.values()))
    fresh = calibrate(cli, folder, "--certify", "--json").json
    assert (fresh["attempt"], fresh["attempts_left"]) == (1, 4)
    assert fresh["calls"]["sent"] == 2 * (len(TEST) - len(half))


def test_looks_at_labels_of_single_outputs_are_no_looks_at_pairs(cli, made):
    folder = made(mostly)
    (folder / "one.yaml").write_text("id: one\ndimensions:\n  - {id: good, criterion: It is good.}\n")
    with (folder / "judgekit.yaml").open("a") as file:
        file.write("rubrics: [one.yaml]\n")
    verdicts = [(f"c{i:03d}", old(i), "PASS" if i % 2 else "FAIL") for i in range(N)]
    (folder / "labels.csv").write_text(table(verdicts, ("case_id", "output", "label")))
    with (folder / "recordings.jsonl").open("a") as file:
        file.write(json.dumps({"reply": says("PASS")}) + "\n")
    first = cli("calibrate", folder, "--labels", folder / "labels.csv", "--certify", "--json")
    assert first.json["attempt"] == 1
    assert calibrate(cli, folder, "--certify", "--json").json["attempt"] == 1
    again = cli("calibrate", folder, "--labels", folder / "labels.csv", "--certify", "--json")
    assert again.json["attempt"] == 2


def test_certifying_again_on_the_same_labels_makes_no_attempt(cli, made):
    folder = made(mostly)
    calibrate(cli, folder, "--certify")
    again = calibrate(cli, folder, "--certify", "--json")
    assert (again.code, again.json["attempt"], again.json["calls"]["sent"]) == (0, None, 0)
    assert len(looks(folder)) == 1


# ── what takes it away ───────────────────────────────────────────────────────────────────────────────────


def test_changed_labels_revoke_it_and_added_ones_or_another_order_of_rows_and_sides_do_not(cli, made):
    folder = made(mostly)
    calibrate(cli, folder, "--certify")
    path = folder / "prefs.csv"
    whole = path.read_text()
    lines = whole.splitlines()[1:]
    turned = [
        [case, b, a, {"A": "B", "B": "A"}.get(label, label)]
        for case, a, b, label in (line.split(",") for line in reversed(lines))
    ]
    path.write_text(table([*turned, ("c000", old(0), "a third answer", "A")]))
    assert compare(cli, folder).code == 0
    line = next(x for x in lines if x.startswith(f"c{TEST[0]:03d},"))
    path.write_text(whole.replace(line, line.rpartition(",")[0] + ",UNKNOWN"))
    ran = compare(cli, folder, "--json")
    assert (ran.code, ran.json["advisory"]["better"]) == (3, "labels changed")
    path.unlink()
    assert compare(cli, folder, "--json").json["advisory"]["better"] == "labels changed"


def test_an_old_an_edited_and_a_too_lenient_certificate_are_advisory(cli, made):
    folder = made(mostly)
    calibrate(cli, folder, "--certify")
    (path,) = (folder / "certificates").glob("*.json")
    whole, config = path.read_text(), folder / "judgekit.yaml"
    settings = config.read_text()
    config.write_text(settings + "calibration: {kappa_low: 0.7}\n")
    assert compare(cli, folder, "--json").json["advisory"]["better"] == "policy is stricter now"
    config.write_text(settings)
    path.write_text(whole.replace('"attempt": 1', '"attempt": 2'))
    assert compare(cli, folder, "--json").json["advisory"]["better"] == "certificate not valid"

    made_on = date.fromisoformat(paper_date(whole)).replace(year=2020).isoformat()
    aged = msgspec.structs.replace(from_text(whole, file=path.name), made=f"{made_on}T00:00:00+00:00", sha256="")
    path.write_text(to_text(sealed(aged)))
    ran = compare(cli, folder, "--json")
    assert (ran.code, ran.json["advisory"]["better"]) == (3, "certificate expired")


def paper_date(text):
    return json.loads(text)["made"][:10]


def test_a_certificate_for_pairs_says_nothing_of_single_outputs_and_the_other_way_round(cli, made):
    folder = made(mostly)
    calibrate(cli, folder, "--certify")
    (folder / "mine.yaml").write_text(f'id: mine\ndimensions:\n  - {{id: better, criterion: "{CRITERION}"}}\n')
    with (folder / "judgekit.yaml").open("a") as file:
        file.write("rubrics: [mine.yaml]\n")
    shown = cli("calibrate", folder, "--show", "--json").json
    assert shown["judges"]["mine.better"]["advisory"] == "uncertified"
    (other,) = shown["others"]
    assert "pairs" in other


# ── labels ───────────────────────────────────────────────────────────────────────────────────────────────


def test_hashes_stand_for_texts_that_the_suite_has(cli, made):
    def sha(text):
        return hashlib.sha256(text.encode()).hexdigest()

    rows = [(f"c{i:03d}", sha(old(i)), sha(new(i)), human(i)) for i in range(N)]
    folder = made(mostly, labels=table(rows, ("case_id", "a_sha256", "b_sha256", "label")))
    assert calibrate(cli, folder, "--certify").code == 0
    assert compare(cli, folder).code == 0


def test_other_names_of_columns_are_kept_with_the_certificate(cli, made):
    rows = [(f"c{i:03d}", old(i), new(i), human(i)) for i in range(N)]
    folder = made(mostly, labels=table(rows, ("case_id", "Reply1", "Reply2", "Winner")))
    names = ("--columns", "a=Reply1,b=Reply2,label=Winner")
    assert calibrate(cli, folder, "--certify", *names).code == 0
    assert compare(cli, folder).code == 0


def test_every_bad_label_is_told_with_its_line_and_its_mend(cli, made):
    rows = [
        ("c000", old(0), new(0), "left"),
        ("c001", old(1), "", "A"),
        ("cOO2", old(2), new(2), "A"),
        ("c003", old(3), new(3), "A"),
        ("c003", new(3), old(3), "A"),
    ]
    ran = calibrate(cli, made(labels=table(rows)))
    assert ran.code == 2
    assert "prefs.csv:2: label 'left' is not understood: write A, B, TIE or UNKNOWN" in ran.err
    assert "prefs.csv:3: answer B is missing" in ran.err
    assert "prefs.csv:6: case 'c003' has a second label of the same pair; the first is at prefs.csv:5" in ran.err
    assert ran.err.count("prefs.csv:") == 4
    ran = calibrate(cli, made(labels=table(rows[2:4]), name="stranger"))
    assert ran.code == 2
    assert "case 'cOO2' is no case of this suite" in ran.err


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("case_id,a,label\nc000,x,A\n", "there is no column 'b'"),
        ("case_id,a,b\nc000,x,y\n", "there is no column 'label'"),
        ("case_id,a,b,label\nc000,x,y,\n", "holds no preference"),
        ("case_id,a,b,label\n", "holds no preference"),
        ("case_id,a_sha256,b_sha256,label\nc000,12,34,A\n", "is no SHA-256"),
        (f"case_id,a_sha256,b_sha256,label\nc000,{'0' * 64},{'1' * 64},A\n", "no output of case 'c000'"),
        ("case_id,a,b,label,split\nc000,x,y,A,train\n", "neither 'dev' nor 'test'"),
        ("case_id,a,b,label,dimension\nc000,x,y,A,tone\n", "no dimension 'tone' is judged"),
        (f"case_id,a,a_sha256,b,label\nc000,x,{'0' * 64},y,A\n", "'a_sha256' is not the hash of 'a'"),
    ],
)
def test_labels_that_cannot_be_used_are_errors(cli, made, labels, told):
    ran = calibrate(cli, made(labels=labels))
    assert ran.code == 2
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_a_judge_that_wrote_one_of_the_answers_is_refused(cli, made):
    ran = calibrate(cli, made(config='{model: "replay:gemini-3-pro"}'), "--certify")
    assert ran.code == 2
    assert "would grade its own work" in ran.err


def test_texts_of_an_earlier_run_know_who_wrote_them(cli, tmp_path):
    folder = tmp_path / "ab"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("runs", ".judgekit"))
    assert cli("pairwise", folder, "--a", "v1", "--b", "v2", "--dimension", "overall").code == 0
    (run,) = (folder / "runs").iterdir()
    outputs = [json.loads(line) for line in (run / "outputs.jsonl").read_text().splitlines()]
    texts = {(one["variant"], one["id"]): one["output"] for one in outputs}
    rows = [(case, texts["v1", case], texts["v2", case], "A") for variant, case in texts if variant == "v1"]
    (folder / "prefs.csv").write_text(table(rows))
    ask = ("pairwise", folder, "--dimension", "overall", "--labels", folder / "prefs.csv")
    assert cli(*ask).code == 0
    ran = cli(*ask, "--judge", outputs[0]["model"])
    assert ran.code == 2
    assert "would grade its own work" in ran.err


def test_each_dimension_is_certified_for_itself(cli, made):
    columns = ("case_id", "a", "b", "label", "dimension")
    rows = [
        (f"c{i:03d}", old(i), new(i), human(i) if which == "overall" else "TIE", which)
        for i in range(N)
        for which in ("overall", "tone")
    ]
    folder = made(mostly, labels=table(rows, columns))
    ask = ("pairwise", folder, "--labels", folder / "prefs.csv", "--certify", "--json")
    ran = cli(*ask)
    assert ran.code == 3
    assert {name: one["decision"] for name, one in ran.json["dimensions"].items()} == {
        "pairwise.overall": "certified",
        "pairwise.tone": "inconclusive",
    }
    again = cli("pairwise", folder, *PAIR, "--json")
    assert again.code == 0
    assert again.json["advisory"]["overall"] is None
    assert again.json["advisory"]["tone"] == "uncertified"
    only = cli("pairwise", folder, *PAIR, "--dimension", "tone", "--json")
    assert only.code == 3


def test_a_panel_is_another_judge_and_its_disagreements_name_who_said_what(cli, made):
    folder = made(lambda _i: "B")
    replace(folder / "judgekit.yaml", '"replay:judge"', '["replay:one", "replay:two", "replay:three"]')
    doc = calibrate(cli, folder, "--json").json
    (found,) = doc["dimensions"].values()
    assert [r["call"] for r in found["disagreements"][0]["reasons"]] == [
        f"{side} first, replay:{who}" for side in "AB" for who in ("one", "two", "three")
    ]
    assert doc["calls"]["sent"] == 2 * 3 * len(DEV)


def test_a_run_that_goes_on_has_the_standing_of_today(cli, made):
    folder = made(mostly)
    ran = compare(cli, folder, "--max-calls", "20")
    assert ran.code == 4
    assert calibrate(cli, folder, "--certify").code == 0
    done = compare(cli, folder, "--json")
    assert (done.code, done.json["decision"]) == (0, "pass")
    (run,) = (folder / "runs").iterdir()
    assert json.loads((run / "pairs.json").read_text())["standings"] == {"better": ""}
    assert cli("report", run).code == 0


def test_people_s_labels_are_in_no_prompt_and_both_orders_are_asked(cli, made):
    folder = made(mostly)
    replace(folder / "prefs.csv", "case_id,a,b,label\n", "case_id,a,b,label,annotator,note\n")
    text = (folder / "prefs.csv").read_text().splitlines()
    (folder / "prefs.csv").write_text("\n".join([text[0], *(f"{line},annette,xyzzy" for line in text[1:])]) + "\n")
    record = folder / "sent.jsonl"
    assert calibrate(cli, folder, "--record", record).code == 0
    sent = record.read_text()
    assert len(sent.splitlines()) == 2 * len(DEV)
    assert "annette" not in sent
    assert "xyzzy" not in sent


def test_options_that_labels_leave_nothing_to_say_about_are_errors(cli, made):
    folder = made()
    assert "leave out --repeats" in calibrate(cli, folder, "--repeats", "2").err
    assert "leave it out with --certify" in calibrate(cli, folder, "--certify", "--record", folder / "r.jsonl").err
    assert "give --labels" in compare(cli, folder, "--certify").err
    assert "--b is missing" in calibrate(cli, folder, "--a", "v1").err


def test_equal_texts_say_nothing_of_the_judge(cli, made):
    rows = [(f"c{i:03d}", old(i), old(i) if i in DEV[:3] else new(i), human(i)) for i in range(N)]
    ran = calibrate(cli, made(mostly, labels=table(rows)), "--json")
    assert ran.json["dimensions"]["mine.better"]["judged"] == len(DEV) - 3
    assert any("3 labelled pairs of equal texts" in note for note in ran.json["notices"])
