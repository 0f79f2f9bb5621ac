"""What C says of its figures 12 to 29, each statement held against the tables of a study.

Their parts are in checks.py. A statement that C prints a number for (P) has a tolerance, which is ours: C
gives no spread. In others (Q) words such as "negligible" are given a number here. What rises or falls does so
from each value of what varies to the next. What C only computes, such as the shares of receivers by equation
2 (figure 17) or the breaks of a link (figure 18), no run can support: it is no statement here.
"""

from __future__ import annotations

from mftpubsub.sources.cugola import checks
from mftpubsub.sources.cugola.checks import OURS, Check
from mftpubsub.studies.source import Claim
from mftpubsub.worlds.reconfiguration.groups import DEFERRED, INFORMED

_KINDS = {"P": "printed", "Q": "in words"}


def _claim(id_: str, kind: str, says: str, check: Check) -> Claim:
    """A statement: its figure and letter, P (C prints a number) or Q, our words with the tolerance."""
    figure = id_.rstrip("abcdef")
    where = f"figure {figure}" if figure.isdigit() else f"section {figure}"
    return Claim(id_, f"C {where}, {_KINDS[kind]}", says, check)


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "12a",
        "P",
        "exactly 100 % of what is published from 7.1 s on is delivered, at both rates",
        checks.delivered_in_the_end,
    ),
    _claim(
        "12b",
        "Q",
        "marginal loss at the low rate (< 5 %), clearly more (twice) at the high one",
        checks.loss_by_rate,
    ),
    _claim(
        "13a",
        "P",
        "3.44 REC (of the head path and the new link) of a cost of 90.9, within 15 %",
        checks.rec,
    ),
    _claim(
        "13b",
        "Q",
        "FLUSH and RECACK negligible (each < 5 % of the cost); REC and ACTIVATE cost more than a SUB",
        checks.control,
    ),
    _claim("14a", "Q", "every cost rises with N", checks.rises("scale", ("strawman", *OURS))),
    _claim("14b", "P", "the best protocol improves by up to 75 %, within 8 points", checks.best),
    _claim(
        "14c",
        "P",
        "deferred unsubscription about 20 points below ILA and RP, within 8",
        checks.deferred_below_informed,
    ),
    _claim("14d", "Q", "TDU as NDU (within 3 points)", checks.as_good_as("tdu", "ndu", 3)),
    _claim("14e", "Q", "ILA as RP (within 5 points)", checks.as_good_as("ila", "rp", 5)),
    _claim("14f", "Q", "improvements fall slightly with N", checks.improvement_moves("scale", OURS, 0, -1)),
    _claim(
        "15a", "Q", "on random trees every cost is higher than on balanced ones", checks.random_costs_more
    ),
    _claim(
        "15b",
        "P",
        "there deferred unsubscription improves by about 10 points less, within 6",
        checks.random_change(DEFERRED, -16, -4),
    ),
    _claim(
        "15c",
        "P",
        "there ILA and RP improve by about 10 points more, within 6",
        checks.random_change(INFORMED, 4, 16),
    ),
    _claim("15d", "Q", "there absolute savings are larger", checks.savings),
    _claim(
        "16a",
        "Q",
        "strawman's cost rises with the number of patterns",
        checks.rises("patterns", ("strawman",)),
    ),
    _claim("16b", "Q", "every improvement rises with it", checks.improvement_moves("patterns", OURS, 0, 1)),
    _claim(
        "17a",
        "P",
        "if all subscribe, TDU and NDU still improve by 20 % (within 10 points), ILA by 40 % (12)",
        checks.everyone_subscribes,
    ),
    _claim(
        "17b",
        "Q",
        "improvements fall from a density of 0.2 on",
        checks.improvement_moves("subscribers", OURS, 2, -1),
    ),
    _claim(
        "18a",
        "Q",
        "with the rate strawman's cost rises, then falls; the others' later and less",
        checks.rate_peaks,
    ),
    _claim("18b", "Q", "all stay below strawman", checks.below_strawman),
    _claim("18c", "Q", "NDU above TDU at high rates (30 to 200)", checks.notified_above_timed),
    _claim(
        "19a",
        "P",
        "T_u below t_rep = 0.1 s costs nearly as much as strawman (> 80 %), above it much less",
        checks.step_at_repair("unsubscribe-timer", "cost"),
    ),
    _claim("19b", "Q", "a long T_u lowers TDU's cost, NDU's less", checks.long_timer_helps),
    _claim("19c", "P", "ILA's cost rises again for T_u > T_s + t_rep = 0.25 s", checks.second_step),
    _claim(
        "20a",
        "Q",
        "with a small T_s ILA is like deferred unsubscription (within 20 to 25 %)",
        checks.short_subscribe_timer,
    ),
    _claim("20b", "P", "the threshold is T_s = T_u - t_rep = 0.05 s", checks.subscribe_threshold),
    _claim("20c", "Q", "a long T_s never costs messages", checks.long_subscribe_timer),
    _claim(
        "21a",
        "Q",
        "at many events the deferred ones are worst of the four, NDU better than TDU; ILA a little above RP",
        checks.worst_at_many_events,
    ),
    _claim(
        "22a",
        "Q",
        "misrouted: strawman's negligible (< 5 % of TDU's), TDU > NDU > ILA, not below RP by 20 %; linear",
        checks.misrouted,
    ),
    _claim(
        "23",
        "Q",
        "TDU's misrouted negligible at 1 event/s (< 5 % of the overhead), large at 51.2 (> 25 %)",
        checks.misrouted_share,
    ),
    _claim(
        "24a",
        "P",
        "at 1 event/s overhead to good events as 1:2 (strawman) and 1:10 (ILA), within a factor of 1.6",
        checks.traffic_ratios,
    ),
    _claim("24b", "Q", "a higher rate lifts overhead", checks.faster_lifts),
    _claim(
        "25a",
        "P",
        "T_u has its step at 0.1 s with events too",
        checks.step_at_repair("unsubscribe-timer-events", "overhead"),
    ),
    _claim("25b", "Q", "beyond it TDU grows fastest; NDU and ILA hardly (< 15 %)", checks.grows_with_timer),
    _claim(
        "26a",
        "P",
        "outside the burst EF makes 2 times the traffic of subscription forwarding, within 0.3",
        checks.outside_burst,
    ),
    _claim("26b", "Q", "in the burst ILA makes more than EF", checks.in_burst),
    _claim(
        "26c",
        "Q",
        "at reasonable rates (10/s) subscription forwarding makes less than EF",
        checks.below_forwarding,
    ),
    _claim("27a", "P", "all of ours involve less than half of strawman's dispatchers", checks.half_involved),
    _claim(
        "27b", "P", "ILA and RP 90 % fewer, within 5 points, from 100 dispatchers on", checks.few_involved
    ),
    _claim("27c", "Q", "the share involved falls with N", checks.share_involved_falls),
    _claim(
        "28",
        "Q",
        "ILA and, more so, RP nearly independent of the number of patterns (5 points)",
        checks.independent("patterns"),
    ),
    _claim(
        "29",
        "Q",
        "ILA and, more so, RP nearly independent of the density of subscribers (5 points)",
        checks.independent("subscribers"),
    ),
    _claim(
        "VIII",
        "P",
        "TDU costs up to 50 % less (default scenario, within 10 points), the best up to 80 % (within 8)",
        checks.abstract,
    ),
)
