"""A run folder: every line there once it was added, a torn end dropped, the manifest never half written."""

from datetime import UTC, datetime

import pytest

from judgekit.errors import InputError
from judgekit.run.lock import FolderLock
from judgekit.run.pairs.folder import PairFolder, PairManifest
from judgekit.run.store import Manifest, RunStore, read_manifest, read_run, run_folders
from judgekit.types import Call, Fault, Grade, Message, Output, Reply, Request, RunInfo

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
GRADE = Grade(case="c", trial=1, grader="r", kind="judge", dimension="d", verdict="PASS", reason="ok")
CALL = Call(Request("openai:gpt-5", (Message("user", "hi"),)), Reply("<result>PASS</result>", key="k"))


def made(root, variant="v", token="t"):
    store, lock = RunStore.create(root, Manifest(RunInfo("", "s", variant), "f"), now=NOW, token=token)
    with lock:
        return store


def test_what_was_added_is_there_before_the_store_is_closed(tmp_path):
    with made(tmp_path) as store:
        store.add(Output(id="c", output="hé"))
        store.add(GRADE)
        stored = read_run(store.folder)
    assert stored.outputs == {("c", 1): Output(id="c", output="hé")}
    assert stored.grades == {("c", 1, "r", "d"): GRADE}


def test_the_folder_is_named_by_time_variant_and_token(tmp_path):
    assert made(tmp_path).folder.name == "20260102-030405-v-t"


def test_a_later_line_replaces_an_earlier_one(tmp_path):
    failed = Grade(case="c", trial=1, grader="r", kind="judge", dimension="d", fault=Fault("failed", "timeout", "slow"))
    with made(tmp_path) as store:
        store.add(failed)
        store.add(GRADE)
    assert list(read_run(store.folder).grades.values()) == [GRADE]


def test_calls_are_kept_on_disk_and_read_only_when_asked_for(tmp_path):
    whole = Grade(case="c", trial=1, grader="r", kind="judge", dimension="d", verdict="PASS", calls=(CALL,))
    with made(tmp_path) as store:
        store.add(whole)
    assert next(iter(read_run(store.folder).grades.values())).calls == ()
    assert next(iter(read_run(store.folder, calls=True).grades.values())) == whole


@pytest.mark.parametrize(
    "tail", [b'{"case": "d", "tri', b'{"case":"d","trial":1,"grader":"r","kind":"judge","verdict":"PASS"}']
)
def test_a_torn_last_line_is_dropped_with_a_note_and_cut_when_repaired(tmp_path, tail):
    with made(tmp_path) as store:
        store.add(GRADE)
    path = store.folder / "grades.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + tail)
    stored = read_run(store.folder)
    assert list(stored.grades.values()) == [GRADE]
    assert "line 2" in stored.notes[0]
    assert path.read_bytes() == whole + tail
    read_run(store.folder, repair=True)
    assert path.read_bytes() == whole


def test_a_damaged_line_in_the_middle_is_an_error_with_its_place(tmp_path):
    with made(tmp_path) as store:
        store.add(GRADE)
    path = store.folder / "grades.jsonl"
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(InputError, match=r"grades.jsonl:1: is damaged"):
        read_run(store.folder)


def test_a_folder_that_is_no_run_is_said_to_be_none(tmp_path):
    with pytest.raises(InputError, match=r"is no run folder: it has no run.json"):
        read_manifest(tmp_path)


def test_runs_are_found_newest_first_and_by_variant(tmp_path):
    for variant, token in (("a", "1"), ("b", "2"), ("a", "3")):
        made(tmp_path, variant, token)
    assert [f.name[-3:] for f in run_folders(tmp_path, "a")] == ["a-3", "a-1"]
    assert len(run_folders(tmp_path)) == 3
    assert run_folders(tmp_path / "none") == []


def test_a_lock_is_taken_once_and_ends_with_its_holder(tmp_path):
    first, second = FolderLock(tmp_path), FolderLock(tmp_path)
    with first:
        assert first.take()
        assert not second.take()
    assert second.take()
    second.__exit__(None, None, None)


@pytest.mark.parametrize("kind", ["run", "pairs"])
def test_a_run_is_locked_before_others_can_see_it(tmp_path, monkeypatch, kind):
    seen = []
    store, manifest = {"run": (RunStore, Manifest), "pairs": (PairFolder, PairManifest)}[kind]
    save = store.save

    def spy(self, written):
        seen.append(FolderLock(self.folder).take())
        save(self, written)

    monkeypatch.setattr(store, "save", spy)
    _, lock = store.create(tmp_path, manifest(RunInfo("", "s", "v"), "f"), now=NOW, token="t")
    with lock:
        assert seen == [False]
