"""Agreement of a judge with people, from their table: kappa and its kin, recalls, predictive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from judgekit.stats.draws import SEED, Floats, Ints, Seed, draws_for
from judgekit.stats.intervals import posterior, posterior_values, share
from judgekit.stats.rates import WithError
from judgekit.stats.tables import Table
from judgekit.types import Estimate

Weights = Literal["linear", "quadratic"]

POSTERIOR = "posterior, two priors"


# ── point statistics over stacks of tables ───────────────────────────────────────────────────────────────


def kappas(tables: Floats, disagreement: Floats | None = None) -> Floats:
    """Kappa of each table of a stack: 1 - observed / expected disagreement; NaN where the latter is 0.

    tables         (..., k, k), any positive totals, rows human
    disagreement   (k, k), 0 on the diagonal; without it every error weighs the same
    returns        (...,) at most 1
    source         Cohen (1960), Educ. Psychol. Meas. 20:37; weighted: Cohen (1968), Psychol. Bull. 70:213
    """
    weights = 1 - np.eye(tables.shape[-1]) if disagreement is None else disagreement
    human, judge = tables.sum(axis=-1), tables.sum(axis=-2)
    observed = np.einsum("...ij,ij->...", tables, weights)
    expected = np.einsum("...i,ij,...j->...", human, weights, judge)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - observed * human.sum(axis=-1) / expected)


def matthews_all(tables: Floats) -> Floats:
    """Matthews' correlation of each table of a stack; NaN where one side used one label.

    source   Matthews (1975), BBA 405:442; several labels: Gorodkin (2004), Comput. Biol. Chem. 28:367
    """
    human, judge = tables.sum(axis=-1), tables.sum(axis=-2)
    n = human.sum(axis=-1)
    right = np.trace(tables, axis1=-2, axis2=-1)
    top = right * n - (human * judge).sum(axis=-1)
    spread = (n**2 - (human**2).sum(axis=-1)) * (n**2 - (judge**2).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(top / np.sqrt(spread))


# ── kappa ────────────────────────────────────────────────────────────────────────────────────────────────


def kappa(table: Table, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Cohen's kappa with its posterior interval: agreement beyond what the two sides' habits alone would give.

    returns     at most 1; 0 = chance; never clamped. Labels that nobody used are left out.
    undefined   no pairs, or people used one label only: nothing can be told about the judge then.
                A judge that used one label while people used two has kappa 0: that is an answer, not a gap.
    source      Cohen (1960), Educ. Psychol. Meas. 20:37; interval: see `judgekit.stats.intervals`
    """
    return _of_kappa(table, None, "", level, seed)


def weighted_kappa(
    table: Table,
    weights: Weights,
    *,
    values: Sequence[float] | None = None,
    level: float = 0.95,
    seed: Seed = SEED,
) -> Estimate:
    """Kappa for ordered labels, where a near miss costs less than a far one.

    weights     `linear`: an error costs the distance of the two labels; `quadratic`: its square
    values      (k,) the number behind each label of the table; without it the labels must be numbers themselves.
                Positions in a sort order are never taken for values.
    returns     at most 1; quadratic weights are close to an intraclass correlation
    undefined   as `kappa`
    source      Cohen (1968), Psychol. Bull. 70:213
    """
    used = table.occurring()
    return _of_kappa(used, _costs(table, used, weights, values), f"{weights} weights, ", level, seed)


def values_of(labels: Sequence[str], values: Sequence[float] | None = None) -> Floats:
    """(k,) the number of each label: as given, or read from labels such as "1" and "2.5"; ValueError for words."""
    if values is None:
        try:
            numbers = np.array([float(label) for label in labels])
        except ValueError:
            raise ValueError(f"labels {list(labels)} are words: an order needs a number for each of them") from None
    else:
        numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (len(labels),) or not np.isfinite(numbers).all() or len(set(numbers)) != len(labels):
        raise ValueError(f"{len(labels)} labels need as many different numbers, not {numbers.tolist()}")
    return numbers


def distances(values: Floats, weights: Weights) -> Floats:
    """(k, k) what each error costs: |a - b| or (a - b)^2."""
    apart = np.abs(values[:, None] - values[None, :])
    return apart if weights == "linear" else apart**2


def kappa_asymptotic(
    table: Table,
    *,
    weights: Weights | None = None,
    values: Sequence[float] | None = None,
    level: float = 0.95,
) -> WithError:
    """Kappa (weighted, if asked) with its large-sample standard error, as other tools print it; for comparison only.

    returns     value +- z se, not clipped. At n = 30 and a good judge it covers in about half of all cases, and it
                is [1, 1] at perfect agreement: no decision rests on it.
    undefined   as `kappa`
    source      Fleiss, Cohen & Everitt (1969), Psychol. Bull. 72:323
    """
    from scipy.special import ndtri

    draws_for(level)
    used = table.occurring()
    disagreement = 1 - np.eye(len(used.labels)) if weights is None else _costs(table, used, weights, values)
    method = "asymptotic" if weights is None else f"{weights} weights, asymptotic"
    if why := undefined(used):
        return WithError(n=used.n, missing=used.missing, method=method, level=level, undefined=why)
    n = used.counts.sum()
    p = used.counts / n
    human, judge = p.sum(axis=1), p.sum(axis=0)
    value = float(kappas(used.counts, disagreement))
    expected = float(human @ disagreement @ judge)
    habit = (disagreement @ judge)[:, None] + (disagreement.T @ human)[None, :]
    inner = (p * (disagreement - habit * (1 - value)) ** 2).sum()
    spread = (inner - (expected * (1 - value)) ** 2) / (n * expected**2)
    se = float(np.sqrt(max(float(spread), 0.0)))
    half = float(ndtri((1 + level) / 2)) * se
    return WithError(value, value - half, value + half, used.n, used.missing, method, level, se=se)


def chance_below(table: Table, bar: float, *, level: float = 0.95, seed: Seed = SEED) -> float:
    """P(kappa < bar) under the prior of the lower limit: a judge clears the bar at tail t where this is at most t.

    level       decides the number of draws: `1 - 2 * tail`
    errors      ValueError where kappa is undefined
    """
    used = table.occurring()
    if why := undefined(used):
        raise ValueError(f"kappa is undefined: {why}")
    lower, _ = posterior_values(used, kappas, level=level, seed=seed)
    return float((lower < bar).mean())


def chance_above(table: Table, bar: float, *, level: float = 0.95, seed: Seed = SEED) -> float:
    """P(kappa > bar) under the prior of the upper limit: a judge is refused at tail t where this is at most t."""
    used = table.occurring()
    if why := undefined(used):
        raise ValueError(f"kappa is undefined: {why}")
    _, upper = posterior_values(used, kappas, level=level, seed=seed)
    return float((upper > bar).mean())


def undefined(table: Table) -> str:
    """Why nothing can be said about agreement beyond chance; "" where it can."""
    if table.n == 0:
        return "no pair of labels"
    if (table.human > 0).sum() < 2:
        only = table.labels[int(table.human.argmax())]
        return f"people used one label only ({only}): agreement beyond chance needs two"
    return ""


def one_verdict(table: Table) -> str | None:
    """The label that the judge gave every time (a rubber stamp), or None."""
    used = np.flatnonzero(table.judge)
    return table.labels[int(used[0])] if len(used) == 1 else None


def worst_case(table: Table, *, unknown: str = "UNKNOWN") -> Table:
    """The table in which every abstention and every missing verdict on a human-decided row counts as wrong.

    returns   the decided labels only; a wrong verdict of two labels is the other one, of more it is spread evenly
              over the others. Several rows per case: such rows count as cases of their own.
    """
    decided = table.without(unknown)
    k = len(decided.labels)
    if k < 2:
        return decided
    wrong = decided.no_verdict[:, None] * (1 - np.eye(k)) / (k - 1)
    counts, tally = decided.counts + wrong, decided.tally + _spread(decided.no_verdict)
    none = np.zeros(k, dtype=np.int64)
    added = int(decided.no_verdict.sum())
    if decided.stack is None or decided.times is None:
        return replace(decided, counts=counts, tally=tally, no_verdict=none, cases=decided.cases + added)
    rows, columns = np.nonzero(wrong)
    cells = np.zeros((len(rows), k, k))
    cells[range(len(rows)), rows, columns] = 1
    return replace(
        decided,
        counts=counts,
        tally=tally,
        no_verdict=none,
        cases=decided.cases + added,
        stack=np.concatenate([decided.stack, cells]),
        times=np.concatenate([decided.times, wrong[rows, columns]]),
    )


def _spread(rows: Ints) -> Ints:
    """(k, k) whole rows put into the wrong cells as evenly as they go."""
    k = len(rows)
    table = np.zeros((k, k), dtype=np.int64)
    for i, n in enumerate(rows.tolist()):
        others = [j for j in range(k) if j != i]
        for place, j in enumerate(others):
            table[i, j] = n // (k - 1) + (place < n % (k - 1))
    return table


# ── other coefficients of one table ──────────────────────────────────────────────────────────────────────


def agreement(table: Table, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Share of pairs with the same label, with the case posterior; says nothing about chance.

    returns     fractions in [0, 1]
    undefined   no pairs
    """
    k = len(table.labels)
    return _share(table, (np.eye(k), np.ones((k, k))), "no pair of labels", level, seed)


def matthews(table: Table, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Matthews' correlation: agreement that also falls where the two sides' pass rates differ.

    returns     -1 to 1
    undefined   no pairs, or one side used one label only
    source      Matthews (1975), BBA 405:442
    """
    used = table.occurring()
    method = f"Matthews, {POSTERIOR}"
    why = undefined(used)
    if not why and (stamp := one_verdict(used)):
        why = f"the judge used one label only ({stamp}): a correlation needs two"
    if why:
        return Estimate(n=used.n, missing=used.missing, method=method, level=level, undefined=why)
    value = float(matthews_all(used.counts))
    return posterior(used, matthews_all, value=value, method=method, level=level, seed=seed)


def recall(table: Table, label: str, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Share of the rows that people gave `label` where the judge gave it too (sensitivity if `label` is PASS).

    returns     fractions in [0, 1] with Beta(1/2, 1/2) limits (cases weighted where they hold several rows).
                The one-sided 95% lower bound is `low` at level 0.90.
    undefined   people never used `label`
    """
    at, k = table.at(label), len(table.labels)
    part, whole = np.zeros((k, k)), np.zeros((k, k))
    part[at, at], whole[at] = 1, 1
    return _share(table, (part, whole), f"people never said {label}", level, seed)


def predictive_value(table: Table, label: str, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Share of the judge's `label`s that people gave too (precision). It moves with the share of `label`s.

    returns     fractions in [0, 1] with Beta(1/2, 1/2) limits
    undefined   the judge never used `label`
    """
    at, k = table.at(label), len(table.labels)
    part, whole = np.zeros((k, k)), np.zeros((k, k))
    part[at, at], whole[:, at] = 1, 1
    return _share(table, (part, whole), f"the judge never said {label}", level, seed)


def _costs(table: Table, used: Table, weights: Weights, values: Sequence[float] | None) -> Floats:
    """What each error costs among the labels that occur, by the numbers declared for all of them."""
    if weights not in ("linear", "quadratic"):
        raise ValueError(f"weights are 'linear' or 'quadratic', not {weights!r}")
    at = dict(zip(table.labels, values_of(table.labels, values), strict=True))
    return distances(np.array([at[label] for label in used.labels]), weights)


def _share(table: Table, cells: tuple[Floats, Floats], what: str, level: float, seed: Seed) -> Estimate:
    """A share of the table's rows: those in the cells of the first mask among those in the second."""
    part, whole = cells
    n, missing = int((table.tally * whole).sum()), table.missing
    if table.stack is None or table.times is None:
        parts, wholes = part.ravel(), whole.ravel()
        times = table.counts.ravel()
    else:
        parts, wholes = (table.stack * part).sum(axis=(1, 2)), (table.stack * whole).sum(axis=(1, 2))
        times = table.times
    return share(parts, wholes, times, what=what, n=n, missing=missing, level=level, seed=seed)


def _of_kappa(table: Table, disagreement: Floats | None, extra: str, level: float, seed: Seed) -> Estimate:
    draws_for(level)
    used = table.occurring() if disagreement is None else table
    method = extra + POSTERIOR
    if why := undefined(used):
        return Estimate(n=used.n, missing=used.missing, method=method, level=level, undefined=why)

    def statistic(tables: Floats) -> Floats:
        return kappas(tables, disagreement)

    value = float(kappas(used.counts, disagreement))
    return posterior(used, statistic, value=value, method=method, level=level, seed=seed)
