"""scikit-learn's side of the attribution benchmark: seconds to learn and to predict, MB, accuracy in percent.

The file has an author, a tab and a text on each line. Every fifth text of an author is tested.
"""
import os
import resource
import sys
import time

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

lines = [line.split("\t", 1) for line in open(sys.argv[1], encoding="utf-8").read().split("\n") if "\t" in line]
seen, learn, test = {}, [], []
for author, text in lines:
    place = seen[author] = seen.get(author, -1) + 1
    (test if place % 5 == 4 else learn).append((author, text))

jobs = int(os.environ.get("BENCH_JOBS", "1"))
start = time.time()
features = TfidfVectorizer(analyzer="char", ngram_range=(3, 5))
rows = features.fit_transform([text for _, text in learn])
machine = LinearSVC() if jobs == 1 else OneVsRestClassifier(LinearSVC(), n_jobs=jobs)
machine.fit(rows, [author for author, _ in learn])
fit = time.time() - start

start = time.time()
guesses = machine.predict(features.transform([text for _, text in test]))
predict = time.time() - start
hits = sum(guess == author for guess, (author, _) in zip(guesses, test))
memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
print(fit, predict, memory, 100 * hits / len(test))
