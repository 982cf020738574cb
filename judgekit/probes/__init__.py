"""What a judge is worth before anybody labels anything: what moves its verdicts though it should not."""
