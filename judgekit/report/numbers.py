"""How numbers are written for people: never without n and interval, never a rounding that says too much."""

from __future__ import annotations

from judgekit.types import Estimate


def rate(estimate: Estimate) -> str:
    """`0.75 [0.41, 0.94]`, or `undefined: <why>`."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return f"undefined: {estimate.undefined}"
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def rate_with_n(estimate: Estimate, unit: str = "case") -> str:
    """`0.75 [0.41, 0.94] over 8 cases`, with what was left out."""
    if estimate.value is None:
        return rate(estimate)
    left_out = f", {plural(estimate.missing, unit)} left out" if estimate.missing else ""
    return f"{rate(estimate)} over {plural(estimate.n, unit)}{left_out}"


def plural(n: int, unit: str) -> str:
    """`1 case`, `8 cases`."""
    return f"{n:,} {unit}" if n == 1 else f"{n:,} {unit}s"


def money(usd: float | None) -> str:
    """`$0.0123`; an unknown price is said, never shown as 0."""
    if usd is None:
        return "cost unknown"
    if usd == 0:
        return "$0"
    return f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"


def short(text: str, width: int) -> str:
    """One line of at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: max(0, width - 1)].rstrip() + "…"
