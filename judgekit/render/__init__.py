"""Rubric, case and output -> prompt: sandboxed, strict about what is missing, with untrusted text between fences."""

from judgekit.render.fences import NOTICE
from judgekit.render.message import compile_message
from judgekit.render.pairwise import pair_misses, render_pair
from judgekit.render.prompt import missing_needs, render, verdicts
from judgekit.render.template import Template, compile_pair_template, compile_template

__all__ = [
    "NOTICE",
    "Template",
    "compile_message",
    "compile_pair_template",
    "compile_template",
    "missing_needs",
    "pair_misses",
    "render",
    "render_pair",
    "verdicts",
]
