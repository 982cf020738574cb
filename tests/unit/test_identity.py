import pytest

from judgekit.errors import SelfGrading
from judgekit.identity import Canonical, canonical, check_judge, compare

SAME = {
    "gpt-4o": [
        "openai:gpt-4o",
        "openai/gpt-4o",
        "openai:/gpt-4o",
        "openai/openai/gpt-4o",
        "openrouter/openai/gpt-4o",
        "litellm:openai/gpt-4o",
        "azure:gpt-4o",
        "azure/eu/gpt-4o",
        "replay:gpt-4o",
        "GPT-4o",
        " gpt-4o ",
        "GPT\u20114o",
        "gpt_4o",
        "azure:gpt4o",
        "gpt-4o-2024-08-06",
        "gpt-4o-latest",
        "ft:gpt-4o-2024-08-06:acme::Ab12",
        "openai:ft:gpt-4o:acme:tone:Ab12:ckpt-step-88",
        "gpt-4o-2024-08-06.ft-0123abcd",
    ],
    "gpt-3.5-turbo": ["gpt-3.5-turbo-0613", "gpt-3.5-turbo-1106", "azure:gpt-35-turbo"],
    "gpt-5-mini": ["gpt-5-mini-2025-08-07", "openrouter/openai/gpt-5-mini-high"],
    "gemini-2.5-flash": [
        "google/gemini-2.5-flash",
        "gemini:gemini-2.5-flash",
        "openrouter/google/gemini-2.5-flash:free",
        "gemini-2.5-flash-free",
        "models/gemini-2.5-flash",
        "publishers/google/models/gemini-2.5-flash@001",
        "projects/p1/locations/europe-west4/publishers/google/models/gemini-2.5-flash",
        "vertex_ai/gemini-2.5-flash-001",
        "gemini-2.5-flash-preview-05-20",
        "gemini-2.5-flash-preview-09-2025",
    ],
    "claude-sonnet-4-5": [
        "anthropic:claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "anthropic/claude-sonnet-4.5",
        "anthropic/claude-4.5-sonnet",
        "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/eu-central-1/anthropic.claude-sonnet-4-5-20250929-v1:0",
        "arn:aws:bedrock:us-east-1:012345678901:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "vertex_ai/claude-sonnet-4-5@20250929",
        "databricks-claude-sonnet-4-5",
    ],
    "claude-3-5-sonnet": ["claude-3.5-sonnet", "claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet-latest"],
    "claude-haiku-4-5": ["claude-haiku-4-5-20251001"],
    "mistral-large-latest": ["mistral:mistral-large-2411", "mistral.mistral-large-2402-v1:0"],
    "meta-llama/Llama-3.1-8B-Instruct": [
        "ollama/llama3.1:8b",
        "ollama:llama3.1:8b-instruct-q4_K_M",
        "meta.llama3-1-8b-instruct-v1:0",
        "accounts/fireworks/models/llama-v3p1-8b-instruct",
        "groq:llama-3.1-8b-instant",
        "together:meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo",
        "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit",
        "someone/Llama-3.1-8B-Instruct-GGUF",
        "@cf/meta/llama-3.1-8b-instruct",
        "local:/models/Llama-3.1-8B-Instruct-Q4_K_M.gguf",
        "C:\\models\\Llama-3.1-8B-Instruct.Q4_K_M.gguf",
    ],
    "Qwen/Qwen2.5-7B-Instruct": ["qwen2.5:7b", "Qwen/Qwen2.5-7B-Instruct-AWQ", "qwen2.5-7b-instruct-fp8"],
    "openai/gpt-oss-20b": ["gpt-oss:20b", "openai.gpt-oss-20b-1:0"],
    "model-large": ["replay:model-large", "local:model-large"],
    "acme/chat-large": ["openrouter/acme/chat-large", "together:acme/chat-large", "Acme/Chat-Large:free"],
}


@pytest.mark.parametrize(("model", "spelling"), [(m, s) for m, spellings in SAME.items() for s in spellings])
def test_the_same_model_is_seen_through_hosts_dates_and_packaging(model, spelling):
    assert compare(spelling, model).kind == "same"
    assert compare(model, spelling).kind == "same"


FAMILY = [
    ("gpt-4o", "gpt-4o-mini"),
    ("gpt-4o", "openai:gpt-5"),
    ("gpt-4", "gpt-4-32k"),
    ("gpt-3.5-turbo", "gpt-3.5-turbo-instruct"),
    ("openai:o3", "gpt-4o"),
    ("o1-preview", "o1"),
    ("claude-x-small", "claude-y-large"),
    ("claude-sonnet-4", "claude-sonnet-4-5"),
    ("claude-3-5-sonnet", "claude-3-5-haiku"),
    ("anthropic.claude-v2:1", "anthropic.claude-v2"),
    ("gemini-2.5-flash", "gemini-2.5-pro"),
    ("llama3.1:8b", "meta-llama/Llama-3.1-70B-Instruct"),
    ("acme/llama-3.1-8b-support", "llama3.1:8b"),
    ("qwen3-235b-a22b-thinking-2507", "qwen3-235b-a22b-instruct-2507"),
    ("mistral-7b-instruct-v0.1", "mistral-7b-instruct-v0.3"),
    ("deepseek-v3", "deepseek-r1"),
    ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mistral:7b"),
    ("deepseek-r1-distill-llama-8b", "llama3.1:8b"),
    ("NousResearch/Hermes-3-Llama-3.1-8B", "llama3.1:8b"),
    ("azure:prod-gpt-4o", "gpt-4o"),
    ("acme/chat-large", "acme/chat-small"),
]


@pytest.mark.parametrize(("one", "other"), FAMILY)
def test_sizes_and_versions_of_one_line_are_family_and_not_the_same(one, other):
    assert compare(one, other).kind == "family"
    assert compare(other, one).kind == "family"


DIFFERENT = [
    ("acme/chat-large", "zeta/chat-large"),
    ("openrouter/acme/chat-large", "openrouter/zeta/chat-large"),
    ("claude-sonnet-4-5", "gpt-4o"),
    ("azure:gpt-4o", "vertex_ai/claude-sonnet-4@20250514"),
    ("mistral-large-latest", "llama3.1:8b"),
    ("gemini-2.5-flash", "gemma-3-27b-it"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_models_of_different_makers_or_lines_are_different(one, other):
    assert compare(one, other).kind == "different"
    assert compare(other, one).kind == "different"


UNKNOWN = [
    ("azure:prod-judge", "gpt-4o"),
    ("openai:prod-judge", "claude-sonnet-4-5"),
    ("replay:judge", "replay:model-large"),
    ("prod-beta", "prod-default"),
    ("acme/chat-large", "gpt-4o"),
    ("gateway/prod-judge", "gpt-4o"),
    ("chat-large", "acme/chat-large"),
    ("python:my.gpt:judge", "gpt-4o"),
    ("arn:aws:bedrock:eu-west-1:012345678901:application-inference-profile/a1b2c3", "claude-sonnet-4-5"),
    ("falcon", "gpt-4o"),
    ("nova", "gpt-4o"),
    ("command", "gpt-4o"),
]


@pytest.mark.parametrize(("one", "other"), UNKNOWN)
def test_a_name_that_may_stand_for_any_model_is_never_called_different(one, other):
    assert compare(one, other).kind == "unknown"
    assert compare(other, one).kind == "unknown"


def test_a_deployment_name_asks_for_same_as():
    assert "`same_as`" in compare("azure:prod-judge", "gpt-4o").reason
    assert "author prod-v2" in compare("gpt-4o", "prod-v2").reason


@pytest.mark.parametrize("author", [None, "", "  "])
def test_outputs_without_an_author_are_unknown(author):
    assert compare("gpt-4o", author).kind == "unknown"


def test_same_as_settles_a_deployment_name():
    assert compare("azure:prod-judge", "gpt-4o-2024-08-06", judge_same_as="gpt-4o").kind == "same"
    assert compare("azure:prod-judge", "gpt-4o-mini", judge_same_as="gpt-4o").kind == "family"
    different = compare("azure:prod-judge", "claude-sonnet-4-5", judge_same_as="gpt-4o")
    assert different.kind == "different"
    assert "taken as gpt-4o" in different.reason


def test_same_as_cannot_hide_that_a_model_grades_itself():
    assert compare("openai:gpt-4o", "gpt-4o", judge_same_as="claude-sonnet-4-5").kind == "same"
    assert compare("openai:gpt-4o-mini", "gpt-4o", judge_same_as="claude-sonnet-4-5").kind == "family"
    assert compare("azure:prod", "azure:prod", judge_same_as="gpt-4o").kind == "same"
    assert compare("azure:gpt-4o", "gpt-4.1", judge_same_as="gpt-4.1").kind == "same"


def test_canonical_keeps_what_was_given_and_says_maker_and_family():
    given = "OpenRouter/Google/Gemini-2.5-Flash:free"
    assert canonical(given) == Canonical("google", "gemini", "gemini-2-5-flash", given)
    assert canonical("acme/chat-large") == Canonical("acme", None, "chat-large", "acme/chat-large")
    assert canonical("prod-judge") == Canonical(None, None, "prod-judge", "prod-judge")
    assert canonical("python:Pkg.Mod:Judge").name == "python:Pkg.Mod:Judge"
    assert canonical("deepseek-v3").name == "deepseek-v3"


@pytest.mark.parametrize("name", ["", " ", ":", "/", "openai:", "-free", ":free", "@001", "ft:", "//", "..", "\\"])
def test_a_name_that_is_hardly_one_is_no_crash_and_not_recognised(name):
    assert canonical(name).family is None
    assert compare(name, "gpt-4o").kind == "unknown"


# ── check_judge ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_judge_that_wrote_the_outputs_is_refused_with_counts_and_the_way_out():
    authors = {"gpt-4o": 12, "openai:gpt-4o-2024-08-06": 3, "claude-sonnet-4-5": 40}
    with pytest.raises(SelfGrading) as caught:
        check_judge(["azure:gpt-4o"], authors, allow_self=None)
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("judge azure:gpt-4o would grade its own work, 12 outputs by gpt-4o:")
    assert "3 outputs by openai:gpt-4o-2024-08-06" in lines[1]
    assert 'allow_self: "<reason>"' in lines[2]
    assert "claude" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_every_member_of_a_panel_is_checked():
    with pytest.raises(SelfGrading, match="judge openai:gpt-4o would"):
        check_judge(["anthropic:claude-sonnet-4-5", "openai:gpt-4o"], {"gpt-4o": 1}, allow_self=None)


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_reason_allows_nothing(blank):
    with pytest.raises(SelfGrading):
        check_judge(["gpt-4o"], {"gpt-4o": 1}, allow_self=blank)


def test_an_override_is_told_with_its_reason_and_count():
    notices = check_judge(["gpt-4o"], {"gpt-4o": 7}, allow_self="only model we may use")
    assert notices == (
        'judge gpt-4o grades its own work, 7 outputs by gpt-4o, allowed because "only model we may use"',
    )


def test_a_reason_says_nothing_when_no_judge_grades_itself():
    assert check_judge(["gpt-4o"], {"claude-sonnet-4-5": 7}, allow_self="just in case") == ()


def test_family_and_not_known_are_notices():
    notices = check_judge(["gpt-4o", "azure:prod"], {"gpt-4o-mini": 1, None: 4, "": 1}, allow_self=None)
    assert len(notices) == 3
    assert notices[0].startswith("judge gpt-4o may favour its kin, 1 output by gpt-4o-mini:")
    assert notices[1].startswith("cannot tell whether judge azure:prod grades its own work, 1 output by gpt-4o-mini:")
    assert "5 outputs without an author" in notices[2]


def test_authors_of_no_output_do_not_count():
    assert check_judge(["gpt-4o"], {"gpt-4o": 0, None: 0}, allow_self=None) == ()


def test_same_as_is_used_for_the_one_unrecognised_judge_of_a_panel():
    panel = ["anthropic:claude-sonnet-4-5", "azure:prod"]
    with pytest.raises(SelfGrading, match="judge azure:prod would") as caught:
        check_judge(panel, {"gpt-4o": 5}, allow_self=None, same_as="gpt-4o")
    assert "claude" not in str(caught.value)


def test_same_as_is_not_guessed_between_two_unrecognised_judges():
    notices = check_judge(["azure:one", "azure:two"], {"gpt-4o": 5}, allow_self=None, same_as="gpt-4o")
    assert "same_as is not used" in notices[0]
    assert sum("cannot tell" in notice for notice in notices) == 2
