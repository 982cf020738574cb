"""Does the longer answer win, and what is left of a preference when both answers are equally long?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judgekit.stats.counts import CASE_POSTERIOR
from judgekit.stats.draws import SEED, Floats, Seed, central, draws_for, generator
from judgekit.stats.rates import case_mean
from judgekit.stats.tables import number
from judgekit.types import Estimate, Frozen

LEAST_PAIRS = 50
PENALTY = 1.0
MOST_DRAWS = 2_000
CELLS = 1_000_000
STEPS = 25


class LengthEffect(Frozen, frozen=True):
    """Length beside preference.

    mean_a, mean_b    mean lengths in characters, over the pairs that were scored
    longer_wins       share of the preference that goes to the longer answer; 1/2 = length plays no part
    odds_per_doubling odds of winning of an answer twice as long as the other, against equal length; 1 = no effect
    at_equal_length   win rate of B that the fit gives two answers of the same length
    """

    mean_a: float | None
    mean_b: float | None
    longer_wins: Estimate
    odds_per_doubling: Estimate
    at_equal_length: Estimate


class Measured(Frozen, frozen=True):
    """One scored pair of a case: how far B is preferred (0 to 1), and both lengths in characters."""

    case: str
    score: float
    length_a: int
    length_b: int


def length_effect(pairs: Sequence[Measured], *, level: float = 0.95, seed: Seed = SEED) -> LengthEffect:
    """Ridge-penalised logistic regression of the preference on the log-ratio of lengths.

    A pair enters as B winning with weight `score` and losing with the rest, so ties and flips are halves; one
    pseudo-pair of equal length, half won, keeps the fit finite. The interval is refitted under Exponential(1)
    weights per case, by Newton steps from scikit-learn's fit.

    undefined   fewer than 50 pairs, or no pair of different length
    source      Hoerl & Kennard (1970), Technometrics 12:55, applied to logistic regression by le Cessie & van
                Houwelingen (1992), Appl. Stat. 41:191; weights: Rubin (1981), Ann. Stat. 9:130
    """
    longer: dict[str, list[float]] = {}
    for p in pairs:
        if p.length_a != p.length_b:
            longer.setdefault(p.case, []).append(p.score if p.length_b > p.length_a else 1 - p.score)
    same = len(pairs) - sum(map(len, longer.values()))
    share = case_mean([sum(v) / len(v) for v in longer.values()], missing=same, level=level, seed=seed)
    if share.undefined:
        share = Estimate(missing=same, method=CASE_POSTERIOR, level=level, undefined="no two answers differ in length")
    odds, equal = _fit(pairs, any(longer), level, seed)
    return LengthEffect(
        mean_a=float(np.mean([p.length_a for p in pairs])) if pairs else None,
        mean_b=float(np.mean([p.length_b for p in pairs])) if pairs else None,
        longer_wins=share,
        odds_per_doubling=odds,
        at_equal_length=equal,
    )


def _fit(pairs: Sequence[Measured], varied: bool, level: float, seed: Seed) -> tuple[Estimate, Estimate]:
    method = "ridge logistic regression, case weights"
    why = "no two answers differ in length" if not varied else ""
    if len(pairs) < LEAST_PAIRS:
        why = f"{len(pairs)} pairs are too few: it takes {LEAST_PAIRS}"
    if why:
        undefined = Estimate(n=len(pairs), method=method, level=level, undefined=why)
        return undefined, undefined
    ratio = np.array([np.log2((p.length_b + 1) / (p.length_a + 1)) for p in pairs])
    spread = float(np.sqrt((ratio**2).mean()))  # about 0, where both are equally long
    x = np.append(ratio / spread, 0.0)
    y = np.append([p.score for p in pairs], 0.5)
    case = number([p.case for p in pairs])
    start = sklearn_fit(x, y)
    rng = generator(seed)
    draws = min(draws_for(level), MOST_DRAWS)
    fits = []
    step = max(1, CELLS // len(x))
    for done in range(0, draws, step):
        n = min(step, draws - done)
        by_case = rng.standard_exponential((n, int(case.max()) + 1))
        weights = np.column_stack([by_case[:, case], rng.standard_exponential(n)])
        fits.append(newton(x, y, weights, start))
    drawn = np.vstack(fits)
    slope = _estimate(start[1], drawn[:, 1], len(pairs), method, level)
    equal = _estimate(start[0], drawn[:, 0], len(pairs), method, level)
    return _mapped(slope, lambda v: float(np.exp(v / spread))), _mapped(equal, lambda v: float(1 / (1 + np.exp(-v))))


def sklearn_fit(x: Floats, y: Floats) -> Floats:
    """(2,) intercept and slope of the penalised fit; x (n,), y (n,) shares of wins."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / PENALTY, tol=1e-10, max_iter=1000)
    rows = np.concatenate([x, x])[:, None]
    model.fit(rows, np.repeat([1, 0], len(x)), sample_weight=np.concatenate([y, 1 - y]))
    return np.array([model.intercept_[0], model.coef_[0, 0]])


def newton(x: Floats, y: Floats, weights: Floats, start: Floats) -> Floats:
    """(d, 2) intercepts and slopes under each row of `weights` (d, n): the same penalised fit as scikit-learn's."""
    fit = np.tile(start, (len(weights), 1))
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-(fit[:, :1] + fit[:, 1:] * x)))
        error, curve = weights * (y - p), weights * p * (1 - p)
        gradient = np.column_stack([error.sum(axis=1), error @ x - PENALTY * fit[:, 1]])
        aa, ab, bb = curve.sum(axis=1), curve @ x, curve @ x**2 + PENALTY
        det = aa * bb - ab**2
        move = (
            np.column_stack([bb * gradient[:, 0] - ab * gradient[:, 1], aa * gradient[:, 1] - ab * gradient[:, 0]])
            / det[:, None]
        )
        fit += np.clip(move, -1.0, 1.0)  # far from the top a whole step can overshoot
        if np.abs(move).max() < 1e-5:  # the error of what is left is its square
            break
    return fit


def _estimate(value: float, draws: Floats, n: int, method: str, level: float) -> Estimate:
    low, high = central(draws, level)
    return Estimate(float(value), min(low, float(value)), max(high, float(value)), n=n, method=method, level=level)


def _mapped(e: Estimate, to: object) -> Estimate:
    assert callable(to)
    assert e.value is not None
    assert e.low is not None
    assert e.high is not None
    return Estimate(to(e.value), to(e.low), to(e.high), e.n, e.missing, e.method, e.level)
