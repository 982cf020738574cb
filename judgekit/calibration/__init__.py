"""What a judge has to show before it may decide, and the paper that says it did."""
