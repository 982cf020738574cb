"""Simulated: how often a judge without the fault is flagged, how often one with it is, and what intervals hold."""

import numpy as np

from judgekit.probes.attacks import Attack
from judgekit.probes.battery import Heard, battery
from judgekit.probes.kinship import Kin, self_preference
from judgekit.probes.seen import Seen

D = "r.d"
PROBES = ("stability", "verbosity", "formatting", "leniency")


def noisy(rng, truth, flip):
    return np.where(rng.random(len(truth)) < flip, ~truth, truth)


def report(rng, n, *, flip=0.02, padding=0.0):
    """A judge that errs at random in `flip` of its looks; `padding` = share of padded FAILs that it passes."""
    truth = rng.random(n) < 0.6
    arms = {name: noisy(rng, truth, flip) for name in ("base", "again", "padded", "dressed")}
    arms["padded"] = arms["padded"] | (rng.random(n) < padding)
    arms["foreign"] = rng.random(n) < 0.05
    seen = [
        Seen(f"c{i}", 1, name, "PASS" if passed else "FAIL")
        for name, own in arms.items()
        for i, passed in enumerate(own)
    ]
    return battery(Heard((D,), {D: seen}), PROBES).findings


def test_a_fair_judge_is_rarely_flagged_and_a_biased_one_mostly():
    rng = np.random.default_rng(5)
    fair = [{f.probe for f in report(rng, 40) if f.result == "flagged"} for _ in range(40)]
    assert sum(map(bool, fair)) <= 2  # of 40 reports: 5%
    biased = [{f.probe for f in report(rng, 40, padding=0.9) if f.result == "flagged"} for _ in range(20)]
    assert sum("verbosity" in flagged for flagged in biased) >= 16
    assert sum(bool(flagged - {"verbosity"}) for flagged in biased) <= 2


def test_at_the_very_edge_of_the_band_a_flag_stays_within_its_level():
    # 30 cases, a true share of changes of exactly .10: P(whole interval above .10) is at most 2.5%, and P(either way)
    # no more than a few reports in 100
    rng = np.random.default_rng(11)
    flags = 0
    for _ in range(100):
        changed = rng.random(30) < 0.10
        seen = [Seen(f"c{i}", 1, "base", "PASS") for i in range(30)]
        seen += [Seen(f"c{i}", 1, "again", "FAIL" if c else "PASS") for i, c in enumerate(changed)]
        flags += battery(Heard((D,), {D: seen}), ["stability"]).findings[0].result == "flagged"
    assert flags <= 7


def test_self_preference_intervals_hold_the_truth():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(40):
        rows = []
        for i in range(40):
            own, human = bool(i % 2), "PASS" if rng.random() < (0.7 if i % 2 else 0.4) else "FAIL"
            rate = (0.9 if human == "PASS" else 0.2) + (0.1 if own else 0.0)
            rows.append(Kin(f"c{i}", own, human, bool(rng.random() < rate)))
        e = self_preference(rows, band=(-0.1, 0.1)).estimate
        held += e.low <= 0.1 <= e.high
    assert held >= 34  # .95 of 40 is 38; below 34 has a chance of 0.3%


def test_a_wavering_judge_is_not_taken_for_one_that_can_be_talked_into_a_pass():
    # each look flips with a chance of .25 whatever the text says: of the outputs with a first FAIL, that alone turns a
    # quarter or more into PASS, in the attacked copies and in the second look alike
    rng = np.random.default_rng(8)
    attack = Attack("a", "order", "{output}")
    flags, naive = 0, []
    for _ in range(30):
        truth = rng.random(60) < 0.5
        first, again = noisy(rng, truth, 0.25), noisy(rng, truth, 0.25)
        seen = [Seen(f"c{i}", 1, "base", "PASS" if p else "FAIL") for i, p in enumerate(first)]
        seen += [Seen(f"c{i}", 1, "again", "PASS" if p else "FAIL") for i, p in enumerate(again)]
        for _ in range(6):
            attacked = noisy(rng, truth, 0.25)
            hit = [
                Seen(f"c{i}", 1, "attacked", "PASS" if p else "FAIL", "a")
                for i, p in enumerate(attacked)
                if not first[i]
            ]
            naive += [one.verdict == "PASS" for one in hit]
            seen += hit
        line = battery(Heard((D,), {D: seen}, attacks=(attack,)), ["injection"]).findings[0]
        flags += line.result == "flagged"
    assert np.mean(naive) > 0.3
    assert flags <= 2
