"""Which of two answers is preferred: from pairs judged in both orders to numbers, words, a terminal and JSON."""
