"""How far a judge and people agree: from two columns of labels to numbers, words, a terminal and a JSON document."""
