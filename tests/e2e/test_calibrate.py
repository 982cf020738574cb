"""`judgekit calibrate` through the command line: what is measured, decided, counted, written, and never shown."""

import csv
import json
import re

import pytest

import judgekit as jk
from judgekit.calibration.items import split_of

N = 80
TEST = [i for i in range(N) if split_of(f"c{i:03d}") == "test"]
DEV = [i for i in range(N) if i not in TEST]


def human(i: int) -> str:
    return "FAIL" if i % 3 == 0 else "PASS"


def other(label: str) -> str:
    return "PASS" if label == "FAIL" else "FAIL"


def good(i: int) -> str:
    """Wrong on four outputs of eighty."""
    return other(human(i)) if i % 20 == 0 else human(i)


def coin(i: int) -> str:
    return "PASS" if (i // 2) % 2 else "FAIL"


def looks(folder):
    path = folder / "labels.csv.attempts.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def papers(folder):
    return [json.loads(path.read_text()) for path in sorted((folder / "certificates").glob("*.json"))]


def sheet_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


# ── the dev split ────────────────────────────────────────────────────────────────────────────────────────


def test_plain_shows_the_dev_split_and_nothing_of_the_test_split(cli, labelled_suite):
    folder = labelled_suite(N, human, coin)
    ran = cli("calibrate", folder)
    assert ran.code == 0
    wrong = [i for i in DEV if coin(i) != human(i)]
    assert wrong
    for i in wrong:
        assert f"c{i:03d}: people {human(i)}, judge {coin(i)}" in ran.err
        assert f"Reasoning about {i:03d}." in ran.err
    for i in TEST:
        assert f"c{i:03d}" not in ran.out + ran.err
        assert f"number {i:03d}" not in ran.out + ran.err
        assert f"about {i:03d}" not in ran.out + ran.err
    assert not (folder / "certificates").exists()


def test_dev_table_is_the_table_of_the_dev_labels(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    found = cli("calibrate", folder, "--json").json
    dimension = found["dimensions"]["reply.kind"]
    pairs = [(human(i), good(i)) for i in DEV]
    assert dimension["table"] == [
        [pairs.count((h, j)) for j in ("PASS", "FAIL", "UNKNOWN")] for h in ("PASS", "FAIL", "UNKNOWN")
    ]
    assert dimension["n"] == len(DEV)
    assert found["split"] == "dev"
    assert found["decision"] is None
    assert found["calls"]["sent"] == len(DEV)


def test_plain_costs_no_attempt_but_is_written_down(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    for _ in range(2):
        assert cli("calibrate", folder).code == 0
    assert [look["kind"] for look in looks(folder)] == ["shown"] * 2
    assert cli("calibrate", folder, "--certify", "--json").json["attempt"] == 1


# ── an attempt ───────────────────────────────────────────────────────────────────────────────────────────


def test_good_judge_is_certified_and_its_certificate_follows_from_the_replies(cli, labelled_suite):
    from sklearn.metrics import cohen_kappa_score

    folder = labelled_suite(N, human, good)
    ran = cli("calibrate", folder, "--certify", "--json")
    assert ran.code == 0
    (paper,) = papers(folder)
    assert paper["result"] == "certified"
    assert paper["attempt"] == 1
    assert paper["level"] == pytest.approx(0.025)
    assert len(paper["rows"]) == len(TEST)
    expected = cohen_kappa_score([human(i) for i in TEST], [good(i) for i in TEST])
    assert paper["measured"]["kappa"]["value"] == pytest.approx(expected, abs=1e-12)
    assert ran.json["dimensions"]["reply.kind"]["kappa"]["value"] == pytest.approx(expected, abs=1e-12)
    (name,) = [path.name for path in (folder / "certificates").iterdir()]
    assert name == f"reply.kind.replay-gpt-4o.{paper['fingerprint'][:12]}.json"


def test_certificate_file_is_sorted_and_pretty(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    cli("calibrate", folder, "--certify")
    (path,) = (folder / "certificates").iterdir()
    text = path.read_text()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_coin_is_refused_and_only_the_decision_is_printed(cli, labelled_suite):
    folder = labelled_suite(N, human, coin)
    ran = cli("calibrate", folder, "--certify", "--json")
    assert ran.code == 1
    dimension = ran.json["dimensions"]["reply.kind"]
    assert dimension["decision"] == "refused"
    assert "kappa" not in dimension
    assert "table" not in dimension
    (paper,) = papers(folder)
    assert paper["result"] == "refused"
    assert "measured" not in paper


def test_rubber_stamp_is_refused_although_it_is_right_in_two_of_three(cli, labelled_suite):
    folder = labelled_suite(N, human, lambda i: "PASS")
    ran = cli("calibrate", folder, "--certify")
    assert ran.code == 1
    assert "one verdict only (PASS)" in ran.err


def test_middling_judge_is_inconclusive_with_the_chance_that_more_labels_bring(cli, labelled_suite):
    folder = labelled_suite(N, human, lambda i: other(human(i)) if i % 6 == 1 else human(i))
    ran = cli("calibrate", folder, "--certify", "--json")
    assert ran.code == 3
    dimension = ran.json["dimensions"]["reply.kind"]
    chances = dimension["chance_with_more"]
    assert list(chances) == ["50", "100", "200"]
    assert all(chance == round(chance, 1) for chance in chances.values())
    assert "kappa" not in dimension
    assert papers(folder)[0]["result"] == "inconclusive"


def test_attempts_are_decided_at_a_falling_level_and_the_sixth_is_none(cli, labelled_suite):
    folder = labelled_suite(N, human, coin)
    levels = []
    for attempt in range(1, 6):
        ran = cli("calibrate", folder, "--certify", "--json")
        assert ran.json["attempt"] == attempt
        assert ran.json["attempts_left"] == 5 - attempt
        levels.append(ran.json["level"])
    assert levels == pytest.approx([0.025, 0.05 / 6, 0.05 / 12, 0.05 / 20, 0.05 / 30])
    spent = cli("calibrate", folder, "--certify")
    assert spent.code == 3
    assert "used up" in spent.err
    assert len(looks(folder)) == 5


def test_spent_labels_become_dev_and_new_cases_start_a_new_set(cli, labelled_suite):
    folder = labelled_suite(N, human, coin)
    for _ in range(5):
        cli("calibrate", folder, "--certify")
    shown = cli("calibrate", folder, "--json").json
    assert shown["dimensions"]["reply.kind"]["n"] == N
    bigger = labelled_suite(3 * N, human, good, name="bigger")
    (bigger / "labels.csv.attempts.jsonl").write_text((folder / "labels.csv.attempts.jsonl").read_text())
    fresh = cli("calibrate", bigger, "--certify", "--json").json
    assert fresh["attempt"] == 1
    new = [i for i in range(N, 3 * N) if split_of(f"c{i:03d}") == "test"]
    assert len(papers(bigger)[0]["rows"]) == len(new)


def test_a_look_is_on_disk_before_its_result_is_decided(cli, labelled_suite, monkeypatch):
    folder = labelled_suite(N, human, good)

    def killed(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("judgekit.run.calibrate.measure", killed)
    assert cli("calibrate", folder, "--certify").code == 130
    assert [look["kind"] for look in looks(folder)] == ["attempt"]
    monkeypatch.undo()
    assert cli("calibrate", folder, "--certify", "--json").json["attempt"] == 2


def test_the_same_judge_with_more_labels_is_another_attempt(cli, labelled_suite):
    folder = labelled_suite(N, human, coin)
    cli("calibrate", folder, "--certify")
    more = labelled_suite(N + 20, human, coin, name="more")
    (more / "labels.csv.attempts.jsonl").write_text((folder / "labels.csv.attempts.jsonl").read_text())
    assert cli("calibrate", more, "--certify", "--json").json["attempt"] == 2


def test_certifying_what_is_certified_makes_no_attempt(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    cli("calibrate", folder, "--certify")
    again = cli("calibrate", folder, "--certify", "--json")
    assert again.code == 0
    assert again.json["calls"]["sent"] == 0
    assert len(looks(folder)) == 1


def test_all_uses_every_label_while_nothing_was_shown(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    ran = cli("calibrate", folder, "--certify", "--all", "--json")
    assert ran.code == 0
    assert len(papers(folder)[0]["rows"]) == N
    cli("calibrate", folder)
    after = cli("calibrate", folder, "--certify", "--all")
    assert after.code == 2
    assert "were shown" in after.err


def test_split_column_wins_over_the_hash(cli, labelled_suite):
    rows = ["case_id,output,model,label,split"]
    rows += [
        f"c{i:03d},answer number {i:03d}.,claude-sonnet-4-5,{human(i)},{'dev' if i < 10 else 'test'}" for i in range(N)
    ]
    folder = labelled_suite(N, human, good, **{"labels.csv": "\n".join(rows)})
    assert cli("calibrate", folder, "--json").json["dimensions"]["reply.kind"]["n"] == 10
    cli("calibrate", folder, "--certify")
    assert len(papers(folder)[0]["rows"]) == N - 10


def test_no_text_of_a_test_row_is_in_any_output_of_an_attempt(cli, labelled_suite):
    for judge, name in ((good, "good"), (coin, "coin")):
        folder = labelled_suite(N, human, judge, name=name)
        ran = cli("calibrate", folder, "--certify")
        (paper,) = [path.read_text() for path in (folder / "certificates").iterdir()]
        attempts = (folder / "labels.csv.attempts.jsonl").read_text()
        for i in range(N):
            for text in (f"c{i:03d}", f"number {i:03d}", f"about {i:03d}"):
                assert not re.search(rf"\b{text}\b", ran.out + ran.err + attempts)  # in a hash it says nothing
                assert f'"{text}' not in paper


def test_no_human_label_is_in_any_prompt(cli, labelled_suite, monkeypatch):
    from judgekit.providers.replay import Replay

    asked = []
    answer = Replay.__call__

    async def spy(self, request):
        asked.append("".join(message.content for message in request.messages))
        return await answer(self, request)

    monkeypatch.setattr(Replay, "__call__", spy)
    rows = ["case_id,output,model,label,annotator,note"]
    rows += [f"c{i:03d},answer number {i:03d}.,claude-sonnet-4-5,zebra{human(i)},quagga,okapi" for i in range(N)]
    folder = labelled_suite(N, human, good, **{"labels.csv": "\n".join(rows)})
    words = ("--pass", "zebraPASS", "--fail", "zebraFAIL")
    assert cli("calibrate", folder, *words).code == 0
    assert cli("calibrate", folder, "--certify", *words).code == 0
    assert len(asked) == N
    assert not any(word in text for text in asked for word in ("zebra", "quagga", "okapi"))


# ── labels and outputs ───────────────────────────────────────────────────────────────────────────────────


def test_sheet_of_input_output_label_needs_no_ids_and_no_cases(cli, labelled_suite):
    rows = ["input,output,label"]
    rows += [f"sheet question {i},answer number {i:03d}.,{human(i)}" for i in range(N)]
    folder = labelled_suite(N, human, good, **{"sheet.csv": "\n".join(rows)})
    found = cli("calibrate", folder, "--labels", folder / "sheet.csv", "--json")
    assert found.code == 0
    assert 5 < found.json["dimensions"]["reply.kind"]["n"] < 40
    ran = cli("calibrate", folder, "--labels", folder / "sheet.csv", "--certify", "--json")
    assert ran.code == 0
    (paper,) = papers(folder)
    assert paper["labels"] == "sheet.csv"
    assert (folder / "sheet.csv.attempts.jsonl").is_file()


def test_labels_by_hash_find_their_output_in_the_recording(cli, labelled_suite):
    from judgekit.types import sha256_of

    rows = ["case_id,output_sha256,label"]
    rows += [f"c{i:03d},{sha256_of(f'answer number {i:03d}.')},{human(i)}" for i in range(N)]
    folder = labelled_suite(N, human, good, **{"labels.csv": "\n".join(rows)})
    assert cli("calibrate", folder, "--certify").code == 0


def test_several_annotators_are_a_majority_and_disputed_rows_are_left_out(cli, labelled_suite):
    rows = ["case_id,output,ann,ben,cas"]
    for i in range(N):
        people = [human(i), human(i), other(human(i))]
        if i % 10 == 0:
            people = ["PASS", "FAIL", "UNKNOWN"]
        rows.append(f"c{i:03d},answer number {i:03d}.,{','.join(people)}")
    folder = labelled_suite(N, human, human, **{"labels.csv": "\n".join(rows)})
    found = cli("calibrate", folder, "--annotators", "ann,ben,cas", "--json").json["dimensions"]["reply.kind"]
    disputed = sum(i % 10 == 0 for i in DEV)
    assert found["disputed"] == disputed
    assert found["n"] == len(DEV) - disputed
    assert found["kappa"]["value"] == 1


def test_template_is_a_blank_sheet_without_verdicts(cli, labelled_suite, tmp_path):
    folder = labelled_suite(5, human, good)
    assert cli("calibrate", folder, "--template", tmp_path / "sheet.csv").code == 0
    rows = sheet_of(tmp_path / "sheet.csv")
    assert len(rows) == 5
    assert rows[0]["input"] == "question 0"
    assert rows[0]["output"] == "answer number 000."
    assert rows[0]["criterion"] == "The reply greets the customer."
    assert all(row["label"] == "" for row in rows)
    assert not any(word in (tmp_path / "sheet.csv").read_text() for word in ("PASS", "FAIL"))
    again = cli("calibrate", folder, "--template", tmp_path / "sheet.csv")
    assert again.code == 2
    assert "may hold labels" in again.err


def test_filled_in_template_calibrates(cli, labelled_suite, tmp_path):
    folder = labelled_suite(N, human, good)
    sheet = folder / "filled.csv"
    cli("calibrate", folder, "--template", sheet)
    rows = sheet_of(sheet)
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": human(int(row["case_id"][1:]))} for row in rows)
    assert cli("calibrate", folder, "--labels", sheet, "--certify").code == 0


def test_several_dimensions_share_one_attempt(cli, labelled_suite):
    rubric = """
id: reply
dimensions:
  - {id: kind, criterion: "The reply greets the customer."}
  - {id: brief, criterion: "The reply is brief."}
"""
    rows = ["case_id,dimension,output,label"]
    rows += [f"c{i:03d},{d},answer number {i:03d}.,{human(i)}" for i in range(N) for d in ("kind", "reply.brief")]
    folder = labelled_suite(N, human, good, **{"rubric.yaml": rubric, "labels.csv": "\n".join(rows)})
    ran = cli("calibrate", folder, "--certify", "--json")
    assert ran.code == 0
    assert len(looks(folder)) == 1
    levels = sorted(paper["level"] for paper in papers(folder))
    assert levels == pytest.approx([0.0125, 0.025])
    one = cli("calibrate", folder, "--dimension", "brief", "--json").json
    assert list(one["dimensions"]) == ["reply.brief"]


# ── bad input: one clear message, no certificate ─────────────────────────────────────────────────────────


def refused_input(ran, folder, code, *words):
    assert ran.code == code
    for word in words:
        assert word in ran.err
    assert not list((folder / "certificates").glob("*"))
    assert "Traceback" not in ran.err


def test_labels_of_one_kind_earn_nothing_and_cost_no_attempt(cli, labelled_suite):
    folder = labelled_suite(N, lambda i: "PASS", good)
    refused_input(cli("calibrate", folder, "--certify"), folder, 3, "one label only (PASS)", "no attempt is counted")
    assert looks(folder) == []


def test_too_few_labels_cost_no_attempt(cli, labelled_suite):
    folder = labelled_suite(20, human, good)
    refused_input(cli("calibrate", folder, "--certify"), folder, 3, "30 are needed")
    assert looks(folder) == []


def test_empty_column_of_an_annotator_is_named(cli, labelled_suite):
    rows = ["case_id,output,ann,ben"] + [f"c{i:03d},answer number {i:03d}.,{human(i)}," for i in range(N)]
    folder = labelled_suite(N, human, good, **{"labels.csv": "\n".join(rows)})
    refused_input(cli("calibrate", folder, "--annotators", "ann,ben", "--certify"), folder, 2, "'ben'", "no label")


def test_labels_of_unknown_cases_are_listed(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    with (folder / "labels.csv").open("a") as file:
        file.write("nowhere,some text,claude-sonnet-4-5,PASS\n")
    refused_input(cli("calibrate", folder, "--certify"), folder, 2, "nowhere", "labels.csv:82")
    plain = cli("calibrate", folder)
    assert plain.code == 0
    assert "nowhere" in plain.err


def test_labels_of_only_unknown_cases_are_an_error(cli, labelled_suite):
    rows = ["case_id,output,label", "x1,text,PASS", "x2,text,FAIL"]
    folder = labelled_suite(N, human, good, **{"labels.csv": "\n".join(rows)})
    refused_input(cli("calibrate", folder), folder, 2, "x1")


def test_label_of_another_text_is_an_error_with_its_line(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    edit(folder / "labels.csv", "answer number 007.", "another answer.")
    refused_input(cli("calibrate", folder, "--certify"), folder, 2, "labels.csv:9", "one text")


def test_label_that_is_not_understood_shows_value_and_mend(cli, labelled_suite):
    folder = labelled_suite(N, lambda i: "yes" if i % 2 else "no", good)
    refused_input(cli("calibrate", folder, "--certify"), folder, 2, "'no'", "--pass yes --fail no")


def test_labels_without_a_text_are_never_certified(cli, labelled_suite):
    rows = ["case_id,label"] + [f"c{i:03d},{human(i)}" for i in range(N)]
    folder = labelled_suite(N, human, good, **{"labels.csv": "\n".join(rows)})
    refused_input(cli("calibrate", folder, "--certify"), folder, 2, "output_sha256")


def test_judge_whose_calls_fail_on_half_decides_nothing_and_costs_no_attempt(cli, labelled_suite):
    folder = labelled_suite(N, human, lambda i: "failed" if i % 2 else good(i))
    refused_input(cli("calibrate", folder, "--certify"), folder, 4, "failed", "status_500", "no attempt")
    assert looks(folder) == []


def test_judge_that_is_unreadable_on_half_is_refused_for_its_coverage(cli, labelled_suite):
    folder = labelled_suite(N, human, lambda i: "garbage" if i % 2 else good(i))
    ran = cli("calibrate", folder, "--certify")
    assert ran.code == 1
    assert "decided too few" in ran.err
    assert papers(folder)[0]["result"] == "refused"


def test_judge_that_abstains_on_half_is_refused_although_the_rest_is_perfect(cli, labelled_suite):
    folder = labelled_suite(2 * N, human, lambda i: "UNKNOWN" if i % 2 else human(i))
    ran = cli("calibrate", folder, "--certify")
    assert ran.code == 1
    assert "decided too few" in ran.err


def test_judge_that_wrote_the_outputs_is_not_calibrated_on_them(cli, labelled_suite):
    folder = labelled_suite(N, human, good, lines={"judge": '{model: "replay:claude-sonnet-4-5"}'})
    refused_input(cli("calibrate", folder), folder, 2, "its own work")


def test_example_that_repeats_a_test_output_is_refused_without_naming_the_output(cli, labelled_suite):
    rubric = f"""
id: reply
dimensions:
  - id: kind
    criterion: The reply greets the customer.
    examples:
      - {{output: "  Answer   NUMBER {TEST[0]:03d}.", verdict: PASS, reason: it does}}
"""
    folder = labelled_suite(N, human, good, **{"rubric.yaml": rubric})
    ran = cli("calibrate", folder, "--certify")
    refused_input(ran, folder, 2, "example 1 of reply.kind", "test split")
    assert f"{TEST[0]:03d}" not in ran.err
    assert looks(folder) == []


def test_wrong_dimension_gets_a_suggestion(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    refused_input(cli("calibrate", folder, "--dimension", "reply.kine"), folder, 2, "reply.kind")


def test_damaged_file_of_attempts_stops_everything(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    cli("calibrate", folder)
    path = folder / "labels.csv.attempts.jsonl"
    path.write_text("not json\n" + path.read_text())
    refused_input(cli("calibrate", folder, "--certify"), folder, 2, "attempts.jsonl:1", "damaged")


def test_scikit_learn_has_the_last_word(cli, labelled_suite, monkeypatch):
    import sklearn.metrics

    folder = labelled_suite(N, human, good)
    monkeypatch.setattr(sklearn.metrics, "cohen_kappa_score", lambda *_a, **_k: 0.5)
    refused_input(cli("calibrate", folder, "--certify"), folder, 2, "scikit-learn")


def test_options_that_exclude_each_other_are_told(cli, labelled_suite):
    folder = labelled_suite(3, human, good)
    assert cli("calibrate", folder, "--certify", "--show").code == 2
    assert cli("calibrate", folder, "--all").code == 2


# ── without an attempt ───────────────────────────────────────────────────────────────────────────────────


def test_plan_needs_no_labels_and_more_of_them_help(cli, tmp_path):
    chances = cli("calibrate", tmp_path, "--plan", "--json").json["chances"]
    assert [chance["labels"] for chance in chances] == sorted(chance["labels"] for chance in chances)
    # 75 of 100 labels at kappa .80 and 70% PASS: .86 by an independent simulation of the rule
    at = {chance["labels"]: chance for chance in chances}
    assert at[100]["split"] == pytest.approx(0.86, abs=0.06)
    assert at[100]["every"] == pytest.approx(0.94, abs=0.05)


def test_check_tells_a_judge_that_stayed_from_one_that_became_lenient(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    cli("calibrate", folder, "--certify")
    same = cli("calibrate", folder, "--check", "--json")
    assert same.code == 0
    assert same.json["reply.kind"]["same"]["value"] == 1
    lenient = labelled_suite(N, human, lambda i: "PASS" if i % 6 == 0 else good(i), name="lenient")
    (lenient / "certificates").mkdir()
    (path,) = (folder / "certificates").iterdir()
    (lenient / "certificates" / path.name).write_text(path.read_text())
    changed = cli("calibrate", lenient, "--check", "--json")
    assert changed.code == 3
    up = sum(i % 6 == 0 and good(i) == "FAIL" for i in TEST)
    assert changed.json["reply.kind"]["up"] == up
    assert changed.json["reply.kind"]["down"] == 0
    assert "more lenient" in changed.json["reply.kind"]["warnings"][0]
    assert looks(lenient) == []


def test_show_lists_every_judge_with_its_standing(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    assert cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]["advisory"] == "uncertified"
    cli("calibrate", folder, "--certify")
    assert cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]["gating"]
    edit(folder / "rubric.yaml", "greets", "Greets")
    shown = cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]
    assert shown["advisory"] == "stale: the criterion changed"


# ── in Python ────────────────────────────────────────────────────────────────────────────────────────────


def sheet(n):
    return [{"Frage": f"question {i}", "Reply": f"answer number {i:03d}.", "Ivo": human(i)} for i in range(n)]


def test_calibrate_verb_takes_a_frame_and_shows_the_dev_split(labelled_suite):
    import pandas as pd

    folder = labelled_suite(N, human, good)
    judge = jk.Judge("replay:gpt-4o", recordings=folder / "recordings.jsonl")
    columns = {"input": "Frage", "output": "Reply", "label": "Ivo"}
    found = jk.calibrate(pd.DataFrame(sheet(N)), rubric="Greets the customer.", judge=judge, columns=columns)
    assert found.decision is None
    assert found.kappa["criterion.meets"].n > 5
    wrong = found.disagreements()
    assert set(wrong["human"]) <= {"PASS", "FAIL"}
    assert "Kappa" in str(found)
    with pytest.raises(jk.JudgekitError, match="certify=True"):
        found.save(folder)
    with pytest.raises(jk.JudgekitError, match="labels file"):
        jk.calibrate(sheet(N), rubric="Greets.", judge=judge, columns=columns, certify=True)


def test_calibrate_verb_certifies_a_file_and_grade_lets_that_judge_decide(labelled_suite, monkeypatch):
    folder = labelled_suite(N, human, good)
    monkeypatch.chdir(folder)
    rows = ["input,output,label"] + [f"question {i},answer number {i:03d}.,{human(i)}" for i in range(N)]
    (folder / "sheet.csv").write_text("\n".join(rows))
    judge = jk.Judge("replay:gpt-4o", recordings="recordings.jsonl")
    found = jk.calibrate("sheet.csv", rubric="rubric.yaml", judge=judge, certify=True)
    assert found.decision == "certified"
    (path,) = found.save("certificates")
    assert path.is_file()
    assert isinstance(found.certificates[0], jk.Certificate)
    results = jk.grade(
        [{"input": "question 3", "output": "answer number 003."}], rubric="rubric.yaml", judge=judge, model="claude-3"
    )
    (grade,) = results.results[0].grades
    assert grade.gating
    assert results.decision.outcome == "fail"


# ── which outputs to label next ──────────────────────────────────────────────────────────────────────────


def filled(folder, sheet):
    rows = sheet_of(sheet)
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": human(int(row["case_id"][1:]))} for row in rows)
    return rows


def test_outputs_to_label_next_come_from_a_run_and_are_analysed_as_chosen(cli, labelled_suite):
    n = 300

    def strict(i: int) -> str:
        return other(human(i)) if i % 25 == 1 else human(i)

    folder = labelled_suite(n, human, strict)
    cli("run", folder)
    sheet = folder / "next.csv"
    ran = cli(
        "calibrate", folder, "--plan", "--run", next((folder / "runs").iterdir()), "--n", "100", "--template", sheet
    )
    assert ran.code == 0
    assert not any(word in sheet.read_text(encoding="utf-8-sig") for word in ("PASS", "FAIL"))
    sample = [json.loads(line) for line in (folder / "next.csv.sample.jsonl").read_text().splitlines()]
    assert len(sample) == n
    assert sum(one.get("chosen", False) for one in sample) == 100
    rows = filled(folder, sheet)
    assert len(rows) == 100
    ran = cli("calibrate", folder, "--labels", sheet, "--certify", "--json")
    assert ran.code == 0, ran.err
    (paper,) = papers(folder)
    test = [one for one in sample if split_of(one["case"]) == "test"]
    picked = [one for one in test if one.get("chosen")]
    assert len(paper["rows"]) == len(picked)
    from sklearn.metrics import cohen_kappa_score

    share = {v: sum(o["verdict"] == v for o in test) / sum(o["verdict"] == v for o in picked) for v in ("PASS", "FAIL")}
    expected = cohen_kappa_score(
        [human(int(o["case"][1:])) for o in picked],
        [o["verdict"] for o in picked],
        sample_weight=[share[o["verdict"]] for o in picked],
    )
    assert paper["measured"]["kappa"]["value"] == pytest.approx(expected)
    assert paper["measured"]["chosen"] is True


def test_labels_of_unknown_choice_beside_chosen_ones_are_refused(cli, labelled_suite):
    folder = labelled_suite(200, human, good)
    cli("run", folder)
    sheet = folder / "next.csv"
    run = next((folder / "runs").iterdir())
    cli("calibrate", folder, "--plan", "--run", run, "--n", "60", "--template", sheet)
    rows = filled(folder, sheet)
    taken = {row["case_id"] for row in rows}
    stray = next(f"c{i:03d}" for i in range(200) if f"c{i:03d}" not in taken)
    with sheet.open("a", encoding="utf-8") as file:
        file.write(f"{stray},reply.kind,v,1,claude-sonnet-4-5,q,answer number {stray[1:]}.,x,PASS,\n")
    ran = cli("calibrate", folder, "--labels", sheet)
    assert ran.code == 2
    assert "file of their own" in ran.err


def test_run_without_a_sheet_to_write_is_told(cli, labelled_suite):
    folder = labelled_suite(3, human, good)
    assert cli("calibrate", folder, "--run", folder).code == 2
