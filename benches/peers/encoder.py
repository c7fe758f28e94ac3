"""Times sentence-transformers on a file of sentences, for `cargo bench -p allonym-nn --bench encoder`.

    python encoder.py MODEL_DIRECTORY SENTENCES THREADS

Needs `pip install sentence-transformers`. Prints sentences a second, in batches of 64, after a warm-up.
"""

import os
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "true"

import torch
from sentence_transformers import SentenceTransformer

torch.set_num_threads(int(sys.argv[3]))
model = SentenceTransformer(sys.argv[1], device="cpu")
with open(sys.argv[2], encoding="utf-8", newline="\n") as file:
    sentences = file.read().splitlines()
model.encode(sentences[:128], batch_size=64, show_progress_bar=False)
start = time.perf_counter()
model.encode(sentences, batch_size=64, show_progress_bar=False)
print(len(sentences) / (time.perf_counter() - start))
