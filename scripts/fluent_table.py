"""Compares `fluent` with other mechanisms at equal true epsilon per token, and prints a table in Markdown.

    python3 scripts/fluent_table.py --allonym target/release/allonym --data posts.jsonl --encoder use_lite \
        --embeddings glove.txt.gz --public-text other.txt --out DIR [--attackers word-svm,char-svm] [--epsilons 4,6,8,10,12]

The data has columns `id`, `text` and, for attacks, `author`. Cut the texts to what is drawn of them (50 tokens) beforehand, since what is
not drawn cannot be kept; the number of tokens is kept. Releases
are seeded, so that the table can be made again: they are not private. All mechanisms draw from the same 10,000 words.

- two-set, band: the text's own words are proposed (for both the most that can be had of them).
- subset: the text's own word and the four nearest by word vectors.
- fluent: as it comes with the program.
"""

import argparse
import json
import os
import subprocess


def systems(epsilons, embeddings):
    words = ["--vocabulary-size", "10000"]
    for epsilon in epsilons:
        loss = ["--epsilon-per-token", str(epsilon)]
        # Two-set does not exist below ln(9,999) = 9.21.
        if epsilon > 9.22:
            yield "two-set", epsilon, ["--method", "two-set", *loss, *words]
        yield "subset", epsilon, ["--method", "subset", *loss, *words, "--embeddings", embeddings]
        yield "band", epsilon, ["--method", "band", *loss, *words]
        yield "fluent", epsilon, ["--method", "fluent", *loss]
    yield "two-set", 11.4, ["--method", "two-set", "--epsilon-per-token", "11.4", *words]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ["allonym", "data", "encoder", "embeddings", "public-text", "out"]:
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--attackers", default="")
    parser.add_argument("--epsilons", default="4,6,8,10,12")
    parser.add_argument("--max-tokens", default="50")
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    all_systems = list(systems([float(e) for e in given.epsilons.split(",")], given.embeddings))
    files = []
    for name, epsilon, flags in all_systems:
        file = os.path.join(given.out, f"{name}-{epsilon:g}.jsonl")
        command = [given.allonym, "anonymize", given.data, "-o", file, "--length", "public", "--seed", "1"]
        subprocess.run([*command, "--max-tokens", given.max_tokens, *flags], check=True, capture_output=True)
        files.append(file)
    command = [given.allonym, "evaluate", "--original", given.data, "--released", *files, "--json"]
    command += ["--encoder", given.encoder, "--public-text", given.public_text]
    if given.attackers:
        command += ["--attacks", "attribution", "--attackers", given.attackers, "--together", "1"]
    else:
        command += ["--attacks", "reconstruction"]
    sheet = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    with open(os.path.join(given.out, "sheet.json"), "w") as out:
        json.dump(sheet, out, indent=1)
    attackers = [name for name in given.attackers.split(",") if name]
    head = ["mechanism", "epsilon a token", "similarity", "content words kept", "perplexity", "change of style"]
    head += [f"{name}, {how}" for name in attackers for how in ["static", "adaptive"]]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))

    def found(findings, attacker, learned, tested):
        for finding in findings:
            if finding["attack"] == "attribution" and (finding["attacker"], finding["learned_from"], finding["tested_on"]) == (attacker, learned, tested):
                return f"{100 * finding['accuracy']['value']:.1f} %"
        return ""

    def perplexity(fluency):
        return f"{fluency['perplexity']:.0f}" if fluency else ""

    first = sheet["releases"][0]["utility"]
    row = ["original", "", "1.000", "100 %", perplexity(first["fluency_original"]), "0"]
    row += [found(sheet["before"], name, "original", "original") if how == 0 else "" for name in attackers for how in [0, 1]]
    print("| " + " | ".join(row) + " |")
    for (name, epsilon, _), release in zip(all_systems, sheet["releases"]):
        utility, style = release["utility"], release.get("style")
        row = [name, f"{epsilon:g}", f"{utility['similarity']['mean']['value']:.3f}"]
        row += [f"{100 * utility['content_words_kept']:.1f} %", perplexity(utility["fluency_released"])]
        row += [f"{style['distance']:.2f}" if style else ""]
        for attacker in attackers:
            row += [found(release["findings"], attacker, learned, "released") for learned in ["original", "released"]]
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
