"""Frame in, frame out: grade a column of replies with a judge, offline. Run it, or open it as a notebook.

All texts were written by us as an example; the judge's replies are recordings.
"""

from pathlib import Path

import pandas as pd

import judgekit as jk

# %% What the feature answered: one row for each reply.
df = pd.DataFrame(
    [
        ("Where is my parcel?", "It left us this morning; the link in our mail shows where it is."),
        ("The mug came broken.", "I am sorry about the mug. We give you all of your money back today."),
        ("Can I change the address?", "As I said before, read the mail we sent you."),
        ("And what about the other thing?", "The other thing is as agreed."),
    ],
    columns=["input", "output"],
)

# %% The judge. A real one would be jk.Judge("anthropic:claude-sonnet-4-5"); this one answers from a file.
judge = jk.Judge("replay:judge-model", recordings=Path(__file__).with_name("notebook-recordings.jsonl"))

# %% One verdict a row. `model` says what wrote the replies, so that no model grades itself.
result = jk.grade(df, rubric="Polite. Promises no refund.", judge=judge, model="model-large")

# %% Back as a frame. UNKNOWN is a verdict of its own: the judge says that it cannot tell.
graded = result.to_frame()

if __name__ == "__main__":
    print(graded.to_string())
