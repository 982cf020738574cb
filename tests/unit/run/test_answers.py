"""How variants answer: what goes wrong is a missing output with its reason, never an exception and never a failure."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from judgekit.errors import CallFailed, InputError
from judgekit.run.answers import (
    answer_by_command,
    answer_by_model,
    answer_by_python,
    load_function,
    output_of_reply,
    prompted,
)
from judgekit.suite import Variant
from judgekit.types import Case, Message, Output, Reply

CASE = Case(id="c", input="Where is my parcel?", context="It is in Sofia.")
BASE = Output(id="c")


def command(tmp_path, script, **options):
    (tmp_path / "answer.py").write_text(script)
    variant = Variant(command=(sys.executable, "answer.py"), **options)
    return asyncio.run(answer_by_command(variant, folder=tmp_path, name="v")(CASE, 3))


def python(function, **options):
    return asyncio.run(answer_by_python(Variant(python="m:f", **options), function, name="v")(CASE, 3))


def test_a_command_gets_the_case_and_prints_text(tmp_path):
    output = command(tmp_path, "import json,sys; c=json.load(sys.stdin); print(c['input'], c['trial'])")
    assert output.text == "Where is my parcel? 3"


def test_a_command_may_print_an_object(tmp_path):
    output = command(tmp_path, 'print(\'{"output": "Sofia", "citations": ["a"], "label": "where"}\')')
    assert (output.text, output.citations, output.label) == ("Sofia", ("a",), "where")


def test_a_command_has_a_fresh_folder_for_each_trial(tmp_path):
    script = "import os,pathlib; print(len(os.listdir())); pathlib.Path('left').write_text('x')"
    assert [command(tmp_path, script).text for _ in range(2)] == ["0", "0"]
    assert not (tmp_path / "left").exists()


def test_a_command_that_fails_is_a_missing_output_that_says_why(tmp_path):
    output = command(tmp_path, "import sys; print('Error'); sys.exit('no database')")
    assert output.output is None
    assert (output.fault.kind, output.fault.code) == ("failed", "exit_status")
    assert "no database" in output.fault.why


def test_a_command_that_hangs_is_ended_with_what_it_started(tmp_path):
    script = (
        "import subprocess,sys,time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(p.pid))\n"
        "time.sleep(60)\n"
    )
    output = command(tmp_path, script, timeout_s=1.5)
    assert output.fault.code == "timeout"
    pid = int((tmp_path / "pid").read_text())
    ended = 0
    while ended < 10_000:  # a killed process leaves the table once its new parent has looked
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                break
        except FileNotFoundError:
            break
        os.sched_yield()
        ended += 1
    assert ended < 10_000


def test_an_unknown_command_is_a_missing_output(tmp_path):
    variant = Variant(command=("no-such-program-here",))
    assert asyncio.run(answer_by_command(variant, folder=tmp_path, name="v")(CASE, 1)).fault.code == "no_command"


def test_a_function_is_given_what_it_names():
    assert python(lambda question: question.upper()).text == "WHERE IS MY PARCEL?"
    assert python(lambda question, case, trial: f"{case.id} {trial}").text == "c 3"


def test_an_async_function_is_awaited():
    async def answer(question):
        await asyncio.sleep(0)
        return "later"

    assert python(answer).text == "later"


def test_a_sync_function_runs_beside_the_loop():
    async def both():
        gate = __import__("threading").Event()
        slow = answer_by_python(Variant(python="m:f"), lambda q: gate.wait(5) and "done", name="v")
        task = asyncio.create_task(slow(CASE, 1))
        await asyncio.sleep(0)
        gate.set()  # reached only if the loop is free while the function waits
        return await task

    assert asyncio.run(both()).text == "done"


def test_an_exception_is_a_missing_output_and_not_a_failed_answer():
    output = python(lambda q: 1 / 0)
    assert (output.output, output.fault.kind, output.fault.code) == (None, "failed", "exception")
    assert "ZeroDivisionError" in output.fault.why


def test_a_function_that_is_not_there_is_an_error_before_anything_runs(tmp_path):
    (tmp_path / "judgekit_test_app.py").write_text("def answer(q): return q\n")
    try:
        assert load_function("judgekit_test_app:answer", folder=tmp_path, name="v")("x") == "x"
        with pytest.raises(InputError, match="Did you mean 'answer'"):
            load_function("judgekit_test_app:answr", folder=tmp_path, name="v")
    finally:
        sys.path.remove(str(tmp_path))


def test_a_prompt_sends_the_system_text_and_the_input(tmp_path):
    (tmp_path / "s.md").write_text("Be short.\n")
    sent = prompted(
        Variant(model="openai:gpt-5", system="s.md", params={"temperature": 0.7}), folder=tmp_path, name="v"
    )
    request = sent.request(CASE, 2)
    assert request.messages == (Message("system", "Be short."), Message("user", "Where is my parcel?"))
    assert (request.params, request.trial) == ({"temperature": 0.7}, 2)


def test_a_chat_is_sent_turn_by_turn(tmp_path):
    turns = (Message("user", "Hi"), Message("assistant", "Hello"), Message("user", "Where?"))
    sent = prompted(Variant(model="openai:gpt-5"), folder=tmp_path, name="v")
    assert sent.request(Case(id="c", input=turns), 1).messages == turns


def test_the_input_is_data_in_a_user_template(tmp_path):
    (tmp_path / "u.md").write_text("Question: {{ input }}\nFacts: {{ context }}")
    sent = prompted(Variant(model="openai:gpt-5", user="u.md"), folder=tmp_path, name="v")
    odd = Case(id="c", input="{{ context }} {% x", context="<b>")
    assert sent.request(odd, 1).messages[-1].content == "Question: {{ context }} {% x\nFacts: <b>"


def test_a_missing_prompt_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"no\.md"):
        prompted(Variant(model="openai:gpt-5", system="no.md"), folder=tmp_path, name="v")


def test_a_json_reply_gives_label_and_citations():
    variant = Variant(model="openai:gpt-5", parse="json")
    fenced = '```json\n{"answer": "Yes", "label": "ok", "citations": ["a"]}\n```'
    output = output_of_reply(Reply(fenced), BASE, variant)
    assert (output.text, output.label, output.citations) == ("Yes", "ok", ("a",))
    broken = output_of_reply(Reply("Yes, of course"), BASE, variant)
    assert (broken.text, broken.label, broken.fault) == ("Yes, of course", None, None)


def test_citations_are_found_by_a_pattern():
    variant = Variant(model="openai:gpt-5", citation_pattern=r"\[([a-z-]+)\]")
    assert output_of_reply(Reply("So [a-b] and [c]."), BASE, variant).citations == ("a-b", "c")
    assert output_of_reply(Reply("So."), BASE, variant).citations == ()


def test_a_cut_reply_is_flagged_and_an_empty_one_is_missing():
    variant = Variant(model="openai:gpt-5")
    assert output_of_reply(Reply("half of", finish="length"), BASE, variant).finish == "length"
    assert output_of_reply(Reply("", finish="length"), BASE, variant).fault.code == "empty_length"
    assert output_of_reply(Reply("", finish="stop"), BASE, variant).fault is None


def test_a_failed_call_is_a_missing_output(tmp_path):
    async def send(_request):
        raise CallFailed("no answer within 60 s", code="timeout")

    answer = answer_by_model(prompted(Variant(model="openai:gpt-5"), folder=tmp_path, name="v"), send, name="v")
    output = asyncio.run(answer(CASE, 1))
    assert (output.fault.kind, output.fault.code, output.fault.why) == ("failed", "timeout", "no answer within 60 s")
    assert json.dumps(output.fault.why)
