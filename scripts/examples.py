"""Writes docs/examples.md: the first twenty of the reviews that come with the project, each beside its release.

    python3 scripts/examples.py --allonym target/release/allonym

Nothing is chosen: the first twenty records, one seed, one run. The reviews are made up (`allonym demo`).
"""

import argparse
import csv
import os
import subprocess
import tempfile

COUNT = 20
EPSILONS = ["6", "8", "10"]
HEAD = """# Twenty examples

Made by `python3 scripts/examples.py --allonym target/release/allonym`: the first twenty of the made-up reviews in `fixtures/`, cut at
50 tokens, with one seed. None was chosen. Seeded releases are not private; these are for looking at.

What each costs: the given epsilon for each of at most 50 tokens, so 300, 400 and 500 for a review, whatever it says. A bound of that size
promises nothing in the worst case; what attackers find is measured in [fluent.md](fluent.md).
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--allonym", required=True)
    given = parser.parse_args()
    here = os.path.join(os.path.dirname(__file__), "..")
    reviews = os.path.join(here, "fixtures", "reviews.csv")
    texts = {"original": [row["text"] for row in csv.DictReader(open(reviews, newline=""))]}
    with tempfile.TemporaryDirectory() as place:
        for epsilon in EPSILONS:
            out = os.path.join(place, epsilon + ".csv")
            command = [given.allonym, "anonymize", reviews, "-o", out, "--epsilon-per-token", epsilon, "--seed", "1"]
            subprocess.run(command, check=True, capture_output=True)
            texts[epsilon] = [row["text"] for row in csv.DictReader(open(out, newline=""))]
    lines = [HEAD]
    for number in range(COUNT):
        lines.append(f"## {number + 1}\n")
        lines.append("| | |\n|---|---|")
        for name, own in texts.items():
            title = "original" if name == "original" else f"epsilon {name} a token"
            lines.append(f"| {title} | {own[number].replace('|', ' ')} |")
        lines.append("")
    with open(os.path.join(here, "docs", "examples.md"), "w") as out:
        out.write("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
