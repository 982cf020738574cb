"""The pass rate that people would have given, from a judge's verdicts and some human labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from judgekit.stats.draws import SEED, Floats, Seed, central, draws_for, generator, mean_draws, weighted_sums
from judgekit.stats.prevalence import recalls
from judgekit.stats.tables import Table, codes
from judgekit.types import Estimate, Frozen

NO_VERDICT = "no verdict"
MAX_UNLABELLED = 0.05
DOUBLE = "post-stratified double sampling, case posterior"


class Stratum(Frozen, frozen=True):
    """The outputs with one verdict (and tag).

    name       PASS, FAIL, UNKNOWN, `no verdict`, or `FAIL x tag`
    outputs    all outputs in it
    labelled   those with a human label; passed: the sum of these labels
    """

    name: str
    outputs: int
    labelled: int
    passed: float


class CorrectedRate(Frozen, frozen=True):
    """A pass rate corrected for the judge's errors, and what it rests on.

    strata       where labels join the run's own outputs, else empty
    unlabelled   share of outputs in strata without any label: their part of the rate is anything from 0 to 1
    gates        whether a decision may rest on it
    assumes      what has to be believed, for people; "" where only random labelling is
    """

    rate: Estimate
    strata: tuple[Stratum, ...] = ()
    unlabelled: float = 0.0
    gates: bool = False
    assumes: str = ""


@dataclass(frozen=True, eq=False)
class Judged:
    """All outputs of one run with the judge's verdicts, and the human labels that some of them carry.

    verdicts        (n,) the judge's verdict, None = no verdict: a stratum like any other
    human           (n,) 1 if people passed this very output, 0 if not, None = not labelled. A fraction is a rate of
                    its own: with whole cases as rows and their number of judged passes as verdict, a case's pass^k.
    cases           (n,) the case of each output; without it every output is its own case
    tags            (n,) labels were drawn at random within verdict and tag, not within verdict alone
    probabilities   (n,) the known chance with which a labelled output was chosen, if it varied within the strata
    errors          ValueError for columns of different length, a label outside [0, 1], a probability outside (0, 1]
    """

    verdicts: Sequence[str | None]
    human: Sequence[float | None]
    cases: Sequence[Hashable] | None = None
    tags: Sequence[str] | None = None
    probabilities: Sequence[float | None] | None = None

    def __post_init__(self) -> None:
        n = len(self.verdicts)
        for name in ("human", "cases", "tags", "probabilities"):
            column = getattr(self, name)
            if column is not None and len(column) != n:
                raise ValueError(f"{n} verdicts but {len(column)} {name}: one of each per output")
        if any(label is not None and not 0 <= label <= 1 for label in self.human):
            raise ValueError("a human label is 1 (PASS), 0 (FAIL), a rate between them, or None")
        for label, chance in zip(self.human, self.probabilities or (), strict=False):
            if label is not None and (chance is None or not 0 < chance <= 1):
                raise ValueError(f"a labelled output has {chance!r} as its probability of being chosen, not in (0, 1]")


def double_sampling(run: Judged, *, level: float = 0.95, seed: Seed = SEED) -> CorrectedRate:
    """Pass rate of all outputs of a run, of which some carry a human label: sum of share(v) x P(human PASS | v).

    returns     a fraction in [0, 1]; shares come from all outputs, with an Exponential(1) weight per case and
                Beta(1/3, 1/3) per stratum. An empty stratum keeps its prior: anything between 0 and 1.
    undefined   no output, or no label
    source      Tenenbein (1970), JASA 65:1350
    """
    draws = draws_for(level)
    if why := _no_labels(run):
        return CorrectedRate(Estimate(method=DOUBLE, missing=len(run.verdicts), level=level, undefined=why))
    strata = _Strata.of(run, {case: i for i, case in enumerate(dict.fromkeys(_cases(run)))})
    rng = generator(seed)
    rows, times = np.unique(strata.features, axis=0, return_counts=True)
    sums, _ = weighted_sums(rows, times.astype(np.float64), rng, draws)
    low, high = central(strata.rates(sums, rng), level)
    value = strata.value
    rate = Estimate(value, min(low, value), max(high, value), strata.labelled, 0, DOUBLE, level)
    return CorrectedRate(rate, strata.named, strata.empty, strata.empty <= MAX_UNLABELLED, _assumes(strata.named))


def double_sampling_difference(base: Judged, new: Judged, *, level: float = 0.95, seed: Seed = SEED) -> CorrectedRate:
    """Difference of two corrected pass rates, new - base, each with labels of its own; cases are matched by id.

    returns     a difference in [-1, 1], one Exponential(1) weight per case for both runs
    undefined   no label on one side: see `rogan_gladen_difference`
    source      as `double_sampling`, once per version
    """
    draws = draws_for(level)
    method = f"difference of two, {DOUBLE}"
    for name, run in (("base", base), ("new", new)):
        if why := _no_labels(run):
            none = Estimate(method=method, missing=len(run.verdicts), level=level, undefined=f"{name}: {why}")
            return CorrectedRate(none)
    matched = base.cases is not None and new.cases is not None
    theirs = _cases(new) if matched else [("new", case) for case in _cases(new)]
    index = {case: i for i, case in enumerate(dict.fromkeys([*_cases(base), *theirs]))}
    before = _Strata.of(base, index)
    after = _Strata.of(replace(new, cases=theirs), index)
    rng = generator(seed)
    rows, times = np.unique(np.concatenate([before.features, after.features], axis=1), axis=0, return_counts=True)
    sums, _ = weighted_sums(rows, times.astype(np.float64), rng, draws)
    split = before.features.shape[1]
    low, high = central(after.rates(sums[:, split:], rng) - before.rates(sums[:, :split], rng), level)
    value = after.value - before.value
    n, empty = before.labelled + after.labelled, max(before.empty, after.empty)
    rate = Estimate(value, min(low, value), max(high, value), n, 0, method, level)
    named = before.named + after.named
    assumes = "; ".join(filter(None, (_assumes(before.named), _assumes(after.named))))
    return CorrectedRate(rate, named, empty, empty <= MAX_UNLABELLED, assumes)


def rogan_gladen(
    passed: int,
    decided: int,
    calibration: Table,
    *,
    missing: int = 0,
    level: float = 0.95,
    seed: Seed = SEED,
) -> CorrectedRate:
    """Pass rate corrected with recalls that were measured on other outputs; believe it only if they still hold.

    passed, decided   cases that the judge passed, of those it decided; `missing` it did not decide
    calibration       2 x 2 table of the labelled outputs, PASS first
    returns           a fraction in [0, 1]: (judged + r_FAIL - 1) / (r_PASS + r_FAIL - 1), clipped as the posterior is
    undefined         nothing decided; people used one label only; or the recalls may add up to 1 or less, where the
                      verdicts say nothing
    source            Rogan & Gladen (1978), Am. J. Epidemiol. 107:71, with the posterior of both recalls
    """
    method = "Rogan-Gladen, posterior of both recalls"
    assumes = "unchanged recalls: that the judge errs on these outputs as often as on the labelled ones"
    if not 0 <= passed <= decided:
        raise ValueError(f"{passed} of {decided} passed: counts must satisfy 0 <= passed <= decided")
    draws = draws_for(level)
    rng = generator(seed)
    why = "no output was decided" if decided == 0 else _useless(calibration, draws, level, rng)
    if why:
        none = Estimate(n=decided, missing=missing, method=method, level=level, undefined=why)
        return CorrectedRate(none, assumes=assumes)
    of_pass, of_fail = recalls(calibration, draws=draws, seed=rng)
    judged = rng.beta(passed + 0.5, decided - passed + 0.5, size=draws)
    low, high = central(np.clip((judged + of_fail - 1) / (of_pass + of_fail - 1), 0.0, 1.0), level)
    right = np.diagonal(calibration.counts) / calibration.human
    value = (passed / decided + right[1] - 1) / (right.sum() - 1)
    value = float(min(1.0, max(0.0, value)))
    rate = Estimate(value, min(low, value), max(high, value), decided, missing, method, level)
    return CorrectedRate(rate, gates=True, assumes=assumes)


def rogan_gladen_difference(
    differences: Sequence[float], calibration: Table, *, level: float = 0.95, seed: Seed = SEED
) -> CorrectedRate:
    """Difference of pass rates corrected with one pair of recalls: it assumes that the judge errs equally on both.

    differences   per case, judged pass share new - base, in [-1, 1]
    returns       a difference in [-1, 1]: the mean over cases / (r_PASS + r_FAIL - 1); never gates
    undefined     as `rogan_gladen`
    source        Rogan & Gladen (1978), Am. J. Epidemiol. 107:71, applied to both rates
    """
    method = "difference, Rogan-Gladen, posterior of both recalls"
    assumes = "equal error rates: that the judge is as lenient to one version as to the other"
    x = np.asarray(differences, dtype=np.float64)
    draws = draws_for(level)
    rng = generator(seed)
    why = "no case was decided on both sides" if not len(x) else _useless(calibration, draws, level, rng)
    if why:
        none = Estimate(n=len(x), method=method, level=level, undefined=why)
        return CorrectedRate(none, assumes=assumes)
    of_pass, of_fail = recalls(calibration, draws=draws, seed=rng)
    drawn = mean_draws(x, (-1.0, 1.0), rng, draws) / (of_pass + of_fail - 1)
    low, high = central(np.clip(drawn, -1.0, 1.0), level)
    right = np.diagonal(calibration.counts) / calibration.human
    value = float(np.clip(x.mean() / (right.sum() - 1), -1.0, 1.0))
    rate = Estimate(value, min(low, value), max(high, value), len(x), 0, method, level)
    return CorrectedRate(rate, assumes=assumes)


# ── inside ───────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class _Strata:
    """What a run adds up to.

    features   (cases, 3 v): outputs, weights of labels and weighted passes of each of v strata, per case
    sizes      (v,) how much label weight the case of an average label brings: the size of a pseudo-case
    value      the corrected rate; a stratum without labels counts as 1/2
    """

    features: Floats
    sizes: Floats
    named: tuple[Stratum, ...]
    value: float
    labelled: int
    empty: float

    @classmethod
    def of(cls, run: Judged, index: Mapping[Hashable, int]) -> _Strata:
        """Count a run; `index` gives each case its row."""
        names = [NO_VERDICT if verdict is None else verdict for verdict in run.verdicts]
        if run.tags is not None:
            names = [f"{name} x {tag}" for name, tag in zip(names, run.tags, strict=True)]
        order = sorted(set(names))
        at, v = codes(names, order), len(order)
        seen = np.array([label is not None for label in run.human])
        good = np.array([0.0 if label is None else float(label) for label in run.human])
        weight = seen.astype(np.float64)
        if run.probabilities is not None:
            chances = np.array([p or np.inf for p in run.probabilities])  # a chance without a label says nothing
            weight /= chances
        case = np.array([index[c] for c in _cases(run)])
        features = np.zeros((max(index.values()) + 1, 3 * v))
        for part, column in enumerate((np.ones(len(at)), weight, weight * good)):
            np.add.at(features, (case, part * v + at), column)
        counts = [np.bincount(at, weights=w, minlength=v) for w in (None, weight, weight * good, seen, seen * good)]
        outputs, weighed, right, counted, passed = counts
        share = outputs / len(at)
        inside = np.divide(right, weighed, out=np.full(v, 0.5), where=weighed > 0)
        squares = (features[:, v : 2 * v] ** 2).sum(axis=0)
        return cls(
            features,
            np.divide(squares, weighed, out=np.ones(v), where=weighed > 0),
            tuple(Stratum(order[i], int(outputs[i]), int(counted[i]), float(passed[i])) for i in range(v)),
            float((share * inside).sum()),
            int(seen.sum()),
            float(share[counted == 0].sum()),
        )

    def rates(self, sums: Floats, rng: np.random.Generator) -> Floats:
        """(draws,) pass rates from weighted sums of the features."""
        v = len(self.named)
        prior = rng.standard_gamma(1 / 3, size=(len(sums), 2, v)) * self.sizes
        inside = (sums[:, 2 * v :] + prior[:, 0]) / (sums[:, v : 2 * v] + prior.sum(axis=1))
        outputs = sums[:, :v]
        return np.asarray((outputs * inside).sum(axis=1) / outputs.sum(axis=1))


def _cases(run: Judged) -> Sequence[Hashable]:
    return range(len(run.verdicts)) if run.cases is None else run.cases


def _no_labels(run: Judged) -> str:
    if not len(run.verdicts):
        return "no output"
    return "" if any(label is not None for label in run.human) else "no output of this run has a human label"


def _useless(calibration: Table, draws: int, level: float, rng: np.random.Generator) -> str:
    """Why recalls of this table can correct nothing; "" where they can."""
    if len(calibration.labels) != 2:
        raise ValueError(f"recalls need a table of PASS and FAIL, not of {list(calibration.labels)}")
    if (calibration.human == 0).any():
        return "people used one label only: one of the recalls is not known"
    of_pass, of_fail = recalls(calibration, draws=draws, seed=rng)
    if np.quantile(of_pass + of_fail - 1, (1 - level) / 2) <= 0:
        return "the recalls may add up to 1 or less: the verdicts may say nothing"
    return ""


def _assumes(strata: tuple[Stratum, ...]) -> str:
    empty = [s for s in strata if not s.labelled]
    if not empty:
        return ""
    n = sum(s.outputs for s in strata)
    parts = ", ".join(f"{s.outputs / n:.0%} of outputs have verdict {s.name} and no label" for s in empty)
    return f"{parts}: their pass rate is taken as anything from 0 to 1"
