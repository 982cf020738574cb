import pytest

from judgekit.errors import InputError
from judgekit.render import compile_message, compile_template
from judgekit.render.template import TRUSTED, UNTRUSTED
from judgekit.rubric import shipped_folder

REST = "\n{{ output }}\n{{ verdicts }}\n"


def problems(text: str, *, structured: bool = False) -> list[str]:
    with pytest.raises(InputError) as caught:
        compile_template(text, name="r.j2", ordinal=False, structured=structured)
    return [str(problem) for problem in caught.value.problems]


def compiles(text: str) -> None:
    compile_template(text, name="r.j2", ordinal=False, structured=False)


def test_an_unknown_variable_is_an_error_with_its_line_and_the_right_name() -> None:
    (problem,) = problems("Judge.\nReference: {{ refrence }}" + REST)
    assert problem.startswith("r.j2:2: unknown variable 'refrence'. Did you mean 'reference'?")


def test_an_unknown_variable_is_found_in_every_place() -> None:
    assert len(problems("{% if a %}{% endif %}{% for x in b %}{{ c }}{% endfor %}{{ output[d] }}" + REST)) == 4
    (problem,) = problems("{% block user %}\n{{ wat }}" + REST + "{% endblock %}")
    assert problem.startswith("r.j2:2: unknown variable 'wat'")


@pytest.mark.parametrize("text", ["{input}", "{ input }", "{{ criterion }} {input}", "{input.text}"])
def test_single_braces_are_an_error_that_shows_the_double_ones(text: str) -> None:
    (problem,) = problems(f"Judge.\n\n{text}" + REST)
    assert problem.startswith("r.j2:3: ")
    assert "write {{ input" in problem


@pytest.mark.parametrize(
    "text",
    ['{"input": 1}', "{ }", "{PASS, FAIL}", "{# {input} #}", "{{ {'a': criterion}.a }}", "${x}", "{{ '{input}' }}"],
)
def test_other_braces_are_text(text: str) -> None:
    compiles(text + REST)


@pytest.mark.parametrize(
    ("text", "line"), [("a\n{{ output", 2), ("a\n{% if output %}", 2), ("\n\n{{ output | }}", 3), ("{% wat %}", 1)]
)
def test_a_syntax_error_has_its_line(text: str, line: int) -> None:
    (problem,) = problems(text)
    assert problem.startswith(f"r.j2:{line}: ")


def test_an_unknown_filter_is_an_error_with_the_right_name() -> None:
    (problem,) = problems("\n{{ output | uper }}{{ verdicts }}")
    assert problem.startswith("r.j2:2: ")
    assert "Did you mean 'upper'?" in problem


@pytest.mark.parametrize("name", ["e", "escape", "safe", "urlize"])
def test_filters_of_html_are_not_there(name: str) -> None:
    assert "No filter named" in problems(f"{{{{ output | {name} }}}}{{{{ verdicts }}}}")[0]


def test_a_template_that_never_shows_the_output_is_an_error() -> None:
    (problem,) = problems("{{ input }}{{ verdicts }}")
    assert "{{ output }}" in problem


def test_a_template_that_never_asks_for_a_verdict_is_an_error() -> None:
    (problem,) = problems("{{ output }}")
    assert "{{ verdicts }}" in problem
    compiles("{{ output }} End with <result>PASS</result> or <result>FAIL</result>")
    assert "{{ verdicts }}" in problems("{{ output }} <result>PASS</result>", structured=True)[0]


def test_all_problems_are_listed_at_once_in_the_order_of_lines() -> None:
    found = problems("{{ wat }}\n{input}\n{% macro m() %}{% endmacro %}\n{{ output.__class__ }}")
    assert [p.split(": ")[0] for p in found] == ["r.j2:1", "r.j2:1", "r.j2:2", "r.j2:3", "r.j2:4"]


@pytest.mark.parametrize(
    "text",
    [
        "{% macro m() %}{% endmacro %}",
        "{% include 'x' %}",
        "{% import 'x' as x %}",
        "{% filter upper %}x{% endfilter %}",
        "{% set x %}y{% endset %}",
        "{% autoescape true %}x{% endautoescape %}",
        "{% extends 'x' %}",
    ],
)
def test_what_could_carry_text_around_the_fences_is_not_available(text: str) -> None:
    assert any("is not available here" in problem for problem in problems(text + REST))


@pytest.mark.parametrize(
    "text", ["{{ ''.__class__.__mro__ }}", "{{ self }}", "{{ range(3) }}", "{{ lipsum() }}", "{{ _marker }}"]
)
def test_a_template_sees_data_only(text: str) -> None:
    assert problems(text + REST)


@pytest.mark.parametrize("name", UNTRUSTED)
def test_untrusted_text_in_the_system_block_is_an_error(name: str) -> None:
    found = problems(f"{{% block system %}}\n{{{{ {name} }}}}{{% endblock %}}{{% block user %}}{REST}{{% endblock %}}")
    assert found[0].startswith(f"r.j2:2: `{name}` is untrusted")


@pytest.mark.parametrize("name", TRUSTED)
def test_what_comes_from_the_rubric_may_stand_in_the_system_block(name: str) -> None:
    compiles(f"{{% block system %}}{{{{ {name} }}}}{{% endblock %}}{{% block user %}}{REST}{{% endblock %}}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{% block sytem %}{% endblock %}{% block user %}" + REST + "{% endblock %}", "block 'sytem'"),
        ("{% block system %}x{% endblock %}" + REST, "no block `user`"),
        ("lost text {% block user %}" + REST + "{% endblock %}", "outside the blocks"),
        ("{% set a = 1 %}{% block user %}" + REST + "{% endblock %}", "outside the blocks"),
    ],
)
def test_blocks_are_system_and_user_side_by_side(text: str, said: str) -> None:
    assert any(said in problem for problem in problems(text))


@pytest.mark.parametrize("name", ["binary.j2", "ordinal.j2", "json.j2"])
def test_each_shipped_template_passes_the_checks_as_a_users_own(name: str) -> None:
    text = (shipped_folder() / "templates" / name).read_text(encoding="utf-8")
    compile_template(text, name=name, ordinal=False, structured=name == "json.j2")


def test_a_message_of_a_variant_never_sees_what_a_good_answer_must_hold() -> None:
    for name in ("reference", "expected", "rubric", "output"):
        with pytest.raises(InputError, match=f"unknown variable '{name}'"):
            compile_message(f"{{{{ {name} }}}}", name="user.md")
    with pytest.raises(InputError, match=r"user.md:2: \{input\} is not filled in"):
        compile_message("x\n{input}", name="user.md")
