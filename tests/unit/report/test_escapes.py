"""Text of others: nothing in it is markup, nothing of it is lost without a sign."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt

from judgekit.report.escapes import code, command, visible

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
NASTY = [
    "a | b", "a \\| b", "a \\\\| b", "||||", "| --- |\n| x |", "`", "``", "a ` b", "`a", "a`", "```\nx\n```", "`" * 300 + "|",
    "<script>alert(1)</script>", "</details>", "<!--", "@octocat and #12, GH-12, a/b#3", "[x](javascript:alert(1))",
    "![i](https://evil.example/p.png)", "https://evil.example www.evil.example", "**bold** _it_ ~~no~~", "$x$", ":tada:",
    "\\", "\\`", "`\\", "a\\", "&lt;&amp;&#64;", "# head", "- item", "> quote", "line\r\nnext\rlast", "\x00\x1b[31m\x7f\x85",
    "\u202egnp.exe", "\ud800", "  ", "", "`|`", "`` | `", "\\`|\\`",
]  # fmt: skip
texts = st.one_of(
    st.text(alphabet="a|`\\<>&@#[]()!*_~$ \n-:é", max_size=60), st.text(max_size=60), st.sampled_from(NASTY)
)


def spans(inline):
    return [(t.type, t.content) for t in inline.children if t.type != "text" or t.content.strip()]


@given(st.lists(texts, min_size=1, max_size=4))
def test_any_text_in_a_cell_leaves_a_table_of_the_same_size_with_nothing_but_code_in_it(cells):
    row = " | ".join(code(c, 1000, cell=True) for c in cells)
    width = len(cells)
    table = "\n".join(f"| {r} |" for r in (" | ".join("h" * width), " | ".join(["---"] * width), row, row))
    tokens = MARKDOWN.parse(table)
    assert [t.type for t in tokens].count("table_open") == 1
    assert [t.type for t in tokens].count("td_open") == 2 * width
    body = [t for t in tokens[[t.type for t in tokens].index("tbody_open") :] if t.type == "inline"]
    for cell, inline in zip([*cells, *cells], body, strict=True):
        kinds = [kind for kind, _ in spans(inline)]
        assert kinds == (["code_inline"] if " ".join(visible(cell).split()) else [])


@given(texts)
def test_outside_a_table_the_span_holds_the_visible_text_on_one_line(text):
    marked = code(text, 10_000)
    (paragraph,) = [t for t in MARKDOWN.parse(f"- **rule**: {marked} end") if t.type == "inline"]
    found = [content for kind, content in spans(paragraph) if kind == "code_inline"]
    if "`" * 17 not in text:
        assert found == [" ".join(visible(text).split())] or (not found and not marked)
    assert not any(t.type in ("html_inline", "link_open", "image", "em_open") for t in paragraph.children)


def test_a_pipe_is_shown_as_a_pipe():
    table = f"| h |\n| --- |\n| {code('a | b', 99, cell=True)} |"
    assert "<code>a | b</code>" in MARKDOWN.render(table)


def test_a_long_text_is_cut_with_a_sign_and_a_short_one_is_not():
    assert code("x" * 100, 10) == "`" + "x" * 9 + "…`"
    assert code("x" * 10, 10) == "`" + "x" * 10 + "`"


@given(st.one_of(texts, st.text(st.characters(exclude_categories=[]), max_size=50)))
def test_visible_text_is_valid_xml_and_utf8_and_as_long_in_signs(text):
    shown = visible(text)
    element = etree.Element("x")
    element.text = shown  # lxml refuses what XML 1.0 cannot hold
    assert etree.fromstring(etree.tostring(element)).text in (shown, shown or None)
    shown.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b", "a␀b"),
        ("\x1b[0m", "␛[0m"),
        ("\x7f", "␡"),
        ("\x85", "\\u0085"),
        ("\u202ex", "\\u202ex"),
        ("\ud800", "\\ud800"),
        ("é\t\n👩‍🚀", "é\t\n👩‍🚀"),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_unseen_characters_get_a_sign(text, shown):
    assert visible(text) == shown


def test_a_command_escapes_what_the_runner_would_read():
    made = command("error", "50% off:\r\n::set-env a,b", title="a: b, c%\n", file="x,y.csv", line=3)
    assert made == "::error title=a%3A b%2C c%25%0A,file=x%2Cy.csv,line=3::50%25 off:%0A::set-env a,b"
    assert command("warning", "x", file=None, line=None, title="") == "::warning::x"


@given(texts, texts)
def test_a_command_is_always_one_line_that_decodes_to_what_was_said(title, message):
    made = command("error", message, title=title or "t")
    assert len(made.splitlines()) == 1
    head, _, data = made.removeprefix("::error title=").partition("::")
    decode = [("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]
    for a, b in decode:
        head = head.replace(a, b)
    for a, b in (decode[0], decode[3]):
        data = data.replace(a, b)
    assert (head, data) == (visible(title or "t"), visible(message))
