"""What the calls of one command came to."""

from __future__ import annotations

from dataclasses import dataclass

from judgekit.types import Reply


@dataclass(slots=True)
class Counters:
    """Counted while a command runs; shared by all its senders, and read by its summary.

    sent         requests that reached a provider, retries included
    cached       replies that cost this command nothing: from the cache, or shared with an equal request in flight
    retries      how many of `sent` were second and later tries
    failed       calls that ended without a reply, after all their tries
    cost_usd     what the priced replies cost, in US dollars
    unpriced     replies whose cost is not known (an unlisted model, or no usage): never counted as 0
    input_tokens, output_tokens   as the providers counted them
    uncounted    replies that came without token counts, so that the totals are incomplete
    """

    sent: int = 0
    cached: int = 0
    retries: int = 0
    failed: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0

    def answered(self, reply: Reply) -> None:
        """Count a reply that was sent for; `reply.cost_usd` is already what is known of its cost."""
        if reply.cost_usd is None:
            self.unpriced += 1
        else:
            self.cost_usd += reply.cost_usd
        usage = reply.usage
        if usage.input_tokens is None or usage.output_tokens is None:
            self.uncounted += 1
        self.input_tokens += usage.input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
