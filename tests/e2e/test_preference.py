"""`judgekit preference`: recorded verdicts in, one sentence and one JSON document out."""

import pytest

KEYS = {
    "pairs", "a", "b", "tie", "leaning", "unknown", "inconsistent", "missing", "consistency", "first_position",
    "win_rate", "win_rate_decided", "bias_test", "sign_test", "gold", "by",
}  # fmt: skip


@pytest.fixture
def table(tmp_path):
    def write(text: str, name: str = "verdicts.csv"):
        file = tmp_path / name
        file.write_text(text)
        return file

    return write


BOTH = ("--original", "o", "--swapped", "s")


def test_the_document_has_the_agreed_shape(cli, table):
    ran = cli("preference", table("o,s,g,j\nFIRST,SECOND,A,x\nFIRST,FIRST,B,y\nTIE,,A,y\n"), *BOTH, "--gold", "g", "--by", "j", "--json")  # fmt: skip
    assert ran.code == 0
    assert set(ran.json) >= KEYS
    assert (ran.json["pairs"], ran.json["a"], ran.json["inconsistent"], ran.json["missing"]) == (3, 1, 1, 1)
    assert set(ran.json["by"]) == {"x", "y"}
    assert ran.json["by"]["x"]["a"] == 1
    assert ran.json["gold"]["original"]["accuracy"] == pytest.approx(1 / 3)
    assert ran.json["win_rate"]["of"] == "b"


def test_a_slot_coded_file_is_not_read_as_answer_coded(cli, table):
    file = table("o,s\n" + "A,B\n" * 8)
    asked = cli("preference", file, *BOTH)
    assert asked.code == 2
    assert "--coded answer" in asked.err
    assert "--coded position" in asked.err
    position = cli("preference", file, *BOTH, "--coded", "position", "--json").json
    answer = cli("preference", file, *BOTH, "--coded", "answer", "--json").json
    assert (position["a"], position["inconsistent"]) == (8, 0)
    assert (answer["a"], answer["inconsistent"]) == (0, 8)


def test_the_sentence_comes_first_and_names_both(cli, table):
    file = table("o,s\n" + "SECOND,FIRST\n" * 12 + "FIRST,FIRST\n")
    told = " ".join(cli("preference", file, *BOTH, "--names", "old,new").err.split())
    assert told.startswith("new wins 96%")
    assert "8% of pairs flipped with the order (one, to the first answer). new is better" in told


def test_lengths_are_told_beside_the_win_rate(cli, table):
    rows = "".join(f"SECOND,FIRST,{'x' * 10},{'y' * 20}\n" for _ in range(8)) + "FIRST,SECOND,xxxxx,yyyyyyyyyy\n" * 2
    doc = cli("preference", table("o,s,ta,tb\n" + rows), *BOTH, "--answers", "ta,tb", "--json").json
    assert doc["length"]["longer_wins"]["value"] == pytest.approx(0.8)
    assert doc["length"]["mean"] == {"a": pytest.approx(9), "b": pytest.approx(18)}
    assert doc["length"]["odds_per_doubling"]["value"] is None


def test_json_lines_and_one_order_alone_work(cli, table):
    file = table('{"o": "A", "g": "A"}\n{"o": "B", "g": "A"}\n{"o": null, "g": "A"}\n', "v.jsonl")
    ran = cli("preference", file, "--original", "o", "--coded", "answer", "--gold", "g", "--json")
    assert ran.code == 0
    assert ran.json["win_rate"]["value"] is None
    assert ran.json["gold"]["original"]["right"] == 1
    assert "Nothing can be said" in ran.json["meaning"]


def test_a_file_without_any_verdict_is_undecided(cli, table):
    assert cli("preference", table("o,s,x\n,,1\n,,2\n"), *BOTH).code == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--original", "o", "--swapped", "t"), "there is no column 't'"),
        ((*BOTH, "--coded", "slot"), "--coded is answer or position"),
        ((*BOTH, "--labels", "left"), "spelling=meaning"),
        ((*BOTH, "--labels", "left=C"), "none of A, B"),
        ((*BOTH, "--answers", "o"), "two different names"),
        ((*BOTH, "--names", "x,x"), "two different names"),
        ((), "--original COL --swapped COL"),
        ((*BOTH, "--outcome", "o"), "--original COL --swapped COL"),
    ],
)
def test_what_cannot_be_meant_is_told_in_one_line(cli, table, options, said):
    ran = cli("preference", table("o,s\nFIRST,SECOND\n"), *options)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_missing_file_is_told(cli, tmp_path):
    ran = cli("preference", tmp_path / "none.csv", *BOTH)
    assert ran.code == 2
    assert "cannot be read" in ran.err
