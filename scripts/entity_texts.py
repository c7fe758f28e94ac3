"""Prepares what the shipped tagger of names learns from: cuts wikigold into a part to learn from and one to test on, and takes public texts that nobody marked.

    python3 scripts/entity_texts.py --wikigold wikigold.conll --texts public.jsonl --out DIR

`public.jsonl` is what scripts/public_texts.py writes (columns `source` and `text`). Writes `wikigold.train.conll` (the first four fifths of the sentences),
`wikigold.test.conll` (the rest) and `more.txt` (texts, one a line).
"""

import argparse
import json
import os
import random

TAKEN = {"imdb": 3000, "novels": 1500, "sotu": 1500, "peer-reviews": 500}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ["wikigold", "texts", "out"]:
        parser.add_argument("--" + name, required=True)
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    with open(given.wikigold) as file:
        sentences = [part for part in file.read().split("\n\n") if part.strip()]
    cut = len(sentences) * 4 // 5
    for name, part in [("wikigold.train.conll", sentences[:cut]), ("wikigold.test.conll", sentences[cut:])]:
        with open(os.path.join(given.out, name), "w") as out:
            out.write("\n\n".join(sentence.strip("\n") for sentence in part) + "\n")
    texts = {}
    with open(given.texts) as file:
        for line in file:
            record = json.loads(line)
            texts.setdefault(record["source"], []).append(" ".join(record["text"].split()))
    chance = random.Random(1)
    with open(os.path.join(given.out, "more.txt"), "w") as out:
        for source, count in TAKEN.items():
            chosen = chance.sample(texts.get(source, []), min(count, len(texts.get(source, []))))
            out.writelines(text + "\n" for text in chosen)


if __name__ == "__main__":
    main()
