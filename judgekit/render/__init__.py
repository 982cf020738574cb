"""Rubric, case and output -> prompt: sandboxed, strict about what is missing, with untrusted text between fences."""

from judgekit.render.fences import NOTICE
from judgekit.render.message import compile_message
from judgekit.render.prompt import missing_needs, render, verdicts
from judgekit.render.template import Template, compile_template

__all__ = ["NOTICE", "Template", "compile_message", "compile_template", "missing_needs", "render", "verdicts"]
