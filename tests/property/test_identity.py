from hypothesis import assume, given
from hypothesis import strategies as st

from judgekit.identity import canonical, compare

known = st.sampled_from(
    [
        "gpt-4o",
        "gpt-4o-mini",
        "o3-mini",
        "claude-sonnet-4-5",
        "claude-3-5-haiku-20241022",
        "gemini-2.5-flash",
        "gemma-3-27b-it",
        "grok-3",
        "llama-3.1-8b-instruct",
        "mistral-large-2411",
        "qwen2.5-7b-instruct",
        "deepseek-chat",
        "command-r-plus",
        "phi-3-mini-4k",
    ]
)
word = st.text(alphabet="abcdefgjkmnprstvwz", min_size=3, max_size=8)
opaque = st.lists(word, min_size=1, max_size=3).map("-".join)
plain = known | opaque | st.builds("{}/{}".format, word, opaque)
anything = plain | st.text(max_size=40) | st.text(alphabet="gpt4o-:/@.v0123ftclaudellama_ ", max_size=40)
host = st.sampled_from(
    [
        "openai:",
        "openai/",
        "azure:",
        "azure/",
        "anthropic:",
        "openrouter/",
        "openrouter:",
        "litellm:",
        "litellm/",
        "bedrock:",
        "vertex_ai/",
        "replay:",
        "together:",
        "hf:",
        "azure/eu/",
    ]
)
tail = st.sampled_from(["", ":free", "-latest", "-2024-08-06", "-20251001"])


@given(anything)
def test_canonical_of_canonical_is_itself(model):
    once = canonical(model)
    again = canonical(once.id)
    assert (again.maker, again.family, again.name) == (once.maker, once.family, once.name)


@given(anything, anything)
def test_the_relation_of_two_models_does_not_depend_on_who_judges(one, other):
    assume(one.strip() and other.strip())
    assert compare(one, other).kind == compare(other, one).kind


@given(plain, st.lists(host, max_size=3), tail)
def test_hosts_dates_and_router_tags_do_not_change_the_model(model, hosts, end):
    dressed = canonical("".join(hosts) + model + end)
    assert dressed.id == canonical(model).id
    assert compare(dressed.as_given, model).kind == "same"


@given(plain)
def test_letter_case_does_not_change_the_model(model):
    assert canonical(model.upper()).id == canonical(model).id


@given(st.builds("{}/{}".format, word, opaque), word)
def test_an_unrecognised_name_of_two_organisations_is_never_the_same_model(model, organisation):
    name = model.partition("/")[2]
    assume(not model.startswith(f"{organisation}/") and canonical(model).family is None)
    assert compare(model, f"{organisation}/{name}").kind != "same"


@given(anything, anything, known)
def test_same_as_never_turns_the_same_model_into_another(judge, author, told):
    assume(author.strip())
    if compare(judge, author).kind == "same":
        assert compare(judge, author, judge_same_as=told).kind == "same"


@given(opaque, known)
def test_a_name_without_a_model_in_it_is_never_checked_and_fine(judge, author):
    assume(canonical(judge).family is None)
    assert compare(judge, author).kind in {"unknown", "family"}
