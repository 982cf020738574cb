"""What stands around a provider: cache, budget, retries, limits. Each wraps a sender and is one itself."""
