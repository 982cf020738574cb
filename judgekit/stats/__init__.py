"""Statistics of judges and of what they judge: pure functions over counts, every result an `Estimate`."""
