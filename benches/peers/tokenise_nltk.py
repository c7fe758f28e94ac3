"""Times NLTK's Treebank tokeniser on a file, a record a line, for `cargo bench -p allonym-text`.

Needs `pip install nltk`; NLTKWordTokenizer needs no data. Prints seconds and the number of tokens.
"""

import sys
import time

from nltk.tokenize import NLTKWordTokenizer

lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
tokenize = NLTKWordTokenizer().tokenize
start = time.perf_counter()
tokens = sum(len(tokenize(line)) for line in lines)
print(time.perf_counter() - start, tokens)
