"""Two or more variants judged side by side, each pair in both orders: its plan, its calls, its folder, its run."""
