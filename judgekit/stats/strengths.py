"""Strengths of several variants from pairwise preferences (Bradley-Terry), and which differences are resolved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from judgekit.stats.draws import SEED, Floats, Seed, central, draws_for, generator
from judgekit.types import Estimate, Frozen

METHOD = "Bradley-Terry, case weights"
STEPS = 60
CHUNK = 2_000


class Duel(Frozen, frozen=True):
    """One scored pair of answers to a case: how far `b` is preferred to `a`, from 0 to 1."""

    case: str
    a: str
    b: str
    score: float


class Strength(Frozen, frozen=True):
    """One variant. `strength` is a log-odds above the mean of all; `pairs` is how many carried it."""

    name: str
    strength: Estimate
    pairs: int


class Contrast(Frozen, frozen=True):
    """Two variants: the chance that `better` is preferred, and whether the data settle which of them it is."""

    better: str
    worse: str
    chance: Estimate
    resolved: bool


class Ranking(Frozen, frozen=True):
    """All variants, the strongest first, and every two of them. `level` holds for all contrasts together."""

    strengths: tuple[Strength, ...]
    contrasts: tuple[Contrast, ...]
    level: float
    undefined: str = ""


def rank(duels: Sequence[Duel], *, level: float = 0.95, seed: Seed = SEED) -> Ranking:
    """Bradley-Terry strengths, with half a win each way for every two variants that met.

    Intervals come from Exponential(1) weights per case (and per pseudo-win). A contrast is resolved when its interval
    excludes 1/2 at level 1 - (1 - level)/m for m contrasts, so that all of them hold together (Bonferroni).

    undefined   fewer than two variants, or two groups that never met
    source      Bradley & Terry (1952), Biometrika 39:324; ties as half a win each way
    """
    names = sorted({name for d in duels for name in (d.a, d.b)})
    why = _apart(names, duels)
    if why:
        return Ranking((), (), level, why)
    at = {name: i for i, name in enumerate(names)}
    k = len(names)
    cases = sorted({d.case for d in duels})
    row = {case: i for i, case in enumerate(cases)}
    wins = np.zeros((len(cases), k, k))
    for d in duels:
        wins[row[d.case], at[d.b], at[d.a]] += d.score
        wins[row[d.case], at[d.a], at[d.b]] += 1 - d.score
    total = wins.sum(axis=0)
    prior = 0.5 * ((total + total.T) > 0)
    value = fit(total[None] + prior)[0]
    pairs = list(combinations(range(k), 2))
    strict = 1 - (1 - level) / len(pairs)
    draws = _draws(wins, prior, draws_for(strict), seed)
    met = (total + total.T).sum(axis=1)
    order = np.argsort(-value, kind="stable")
    return Ranking(
        strengths=tuple(
            Strength(names[i], _interval(float(value[i]), draws[:, i], round(met[i]), level), round(met[i]))
            for i in order
        ),
        contrasts=tuple(
            _contrast(names, int(i), int(j), value, draws, round((total + total.T)[i, j]), strict)
            for i, j in ((a, b) if value[a] >= value[b] else (b, a) for a, b in pairs)
        ),
        level=level,
    )


def fit(wins: Floats) -> Floats:
    """(d, k) log-strengths with mean 0 of each of d tables of wins (row over column); every chain of wins finite."""
    k = wins.shape[-1]
    games = wins + wins.transpose(0, 2, 1)
    won = wins.sum(axis=2)
    theta = np.zeros(won.shape)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
        gradient = won - (games * p).sum(axis=2)
        curve = games * p * (1 - p)
        hessian = np.einsum("dij->di", curve)[:, :, None] * np.eye(k) - curve
        hessian += 1 / k  # the level of all strengths is free: this holds it where it is
        move = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        theta += np.clip(move, -2.0, 2.0)  # far from the top a whole step can overshoot
        if np.abs(move).max() < 1e-9:
            break
    return np.asarray(theta - theta.mean(axis=1, keepdims=True))


def _draws(wins: Floats, prior: Floats, draws: int, seed: Seed) -> Floats:
    rng = generator(seed)
    k = wins.shape[-1]
    # cases with the same table share one gamma draw: the sum of their exponential weights
    flat, times = np.unique(wins.reshape(len(wins), k * k), axis=0, return_counts=True)
    parts = []
    for start in range(0, draws, CHUNK):
        size = min(CHUNK, draws - start)
        drawn = (rng.standard_gamma(times, (size, len(times))) @ flat).reshape(size, k, k)
        parts.append(fit(drawn + rng.standard_gamma(np.broadcast_to(prior, drawn.shape))))
    return np.vstack(parts)


def _interval(value: float, draws: Floats, n: int, level: float) -> Estimate:
    low, high = central(draws, level)
    return Estimate(value, min(low, value), max(high, value), n=n, method=METHOD, level=level)


def _contrast(names: Sequence[str], i: int, j: int, value: Floats, draws: Floats, n: int, level: float) -> Contrast:
    chance = _interval(_odds(value[i] - value[j]), _odds_all(draws[:, i] - draws[:, j]), n, level)
    assert chance.low is not None
    return Contrast(names[i], names[j], chance, resolved=chance.low > 0.5)


def _odds(difference: float) -> float:
    return float(1 / (1 + np.exp(-difference)))


def _odds_all(differences: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-differences)))


def _apart(names: Sequence[str], duels: Sequence[Duel]) -> str:
    """Why there is no common scale, or ""."""
    if len(names) < 2:
        return "a ranking needs two variants that met"
    group = {name: name for name in names}
    for d in duels:
        old, new = group[d.a], group[d.b]
        group = {name: new if g == old else g for name, g in group.items()}
    if len(set(group.values())) == 1:
        return ""
    other = next(name for name in names if group[name] != group[names[0]])
    return f"{names[0]} and {other} never met, not even through others: there is no common scale"
