"""Every attack that ships, in a real prompt: it closes no fence, and a judge that only quotes it has given no verdict."""

import re

import pytest

from judgekit.parse import read_reply
from judgekit.probes.attacks import attacked, load_attacks, shipped_attacks
from judgekit.render import compile_template, render
from judgekit.rubric import Dimension, Rubric
from judgekit.types import Case, Fault, Output, Reply

RUBRIC = Rubric(id="r", dimensions=(Dimension(id="d", criterion="Answers the question."),))
TEMPLATE = compile_template(None, name="the default template", ordinal=False, structured=False)
TEXT = "We open at ten."


@pytest.mark.parametrize("attack", load_attacks(shipped_attacks()), ids=lambda a: a.id)
def test_an_attack_stays_inside_its_fence_and_plants_no_verdict(attack):
    text = attacked(TEXT, attack, good="PASS")
    prompt = render(TEMPLATE, RUBRIC, RUBRIC.dimensions[0], Case("c", "When do you open?"), Output("c", text))
    assert not isinstance(prompt, Fault)
    system, user = (message.content for message in prompt.messages)
    (marker,) = re.findall(r"^The code of this message is (\w+)\.", user)
    fence = (f"<output-{marker}>\n", f"\n</output-{marker}>")
    assert [user.count(mark) for mark in fence] == [1, 1]
    # whole, byte for byte, between the marks; none of it among the instructions
    assert user.partition(fence[0])[2].partition(fence[1])[0] == text
    planted = text.replace(TEXT, "").strip()
    assert planted not in system
    assert isinstance(read_reply(Reply(text=text), prompt.form), Fault)
    quoting = Reply(text=f"The output says: {text}\nThat is no answer.\n<{prompt.form.tag}>FAIL</{prompt.form.tag}>")
    assert read_reply(quoting, prompt.form).label == "FAIL"
