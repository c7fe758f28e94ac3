"""The network of ER-AE in PyTorch: prints tokens a second and the largest memory in MB.

er_ae.py TASK CELLS VOCABULARY WIDTH BATCH THREADS LENGTHS
TASK is train-equal, train-real, private-equal, private-real, generate-1 or generate-64. Batches are padded to their longest text, as
users of PyTorch do, and packed for the recurrent layers.
"""

import resource
import sys
import time

import torch
from torch import nn

task, cells, vocabulary, width, batch, threads = sys.argv[1], *map(int, sys.argv[2:7])
lengths = [int(length) for length in sys.argv[7].split(",")]
mean = sum(lengths) // len(lengths)
torch.set_num_threads(threads)
torch.manual_seed(1)
kind, variant = task.split("-")
if kind == "private" and cells > 256:
    # Opacus keeps a gradient for every example: 128 of them would take 12 GB and more.
    batch = 16


class Net(nn.Module):
    def __init__(self, gru):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.embedding.weight.requires_grad = False
        self.encoder = gru(width, cells, num_layers=2, bidirectional=True, batch_first=True)
        self.latent = nn.Linear(2 * cells, cells, bias=False)
        self.generator = gru(width + cells, cells, num_layers=2, batch_first=True)
        self.output = nn.Linear(cells, vocabulary)

    def encode(self, tokens, sizes):
        vectors = self.embedding(tokens)
        if sizes is not None:
            vectors = nn.utils.rnn.pack_padded_sequence(vectors, sizes, batch_first=True, enforce_sorted=False)
        _, last = self.encoder(vectors)
        return self.latent(torch.cat([last[-2], last[-1]], dim=1))

    def forward(self, tokens, before, sizes):
        latent = self.encode(tokens, sizes)
        inputs = torch.cat([self.embedding(before), latent.unsqueeze(1).expand(-1, tokens.shape[1], -1)], dim=2)
        outputs, _ = self.generator(inputs)
        return self.output(outputs)


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def generate(count):
    net = Net(nn.GRU).eval()
    with torch.inference_mode():
        latent = net.encode(torch.randint(vocabulary, (count, mean)), None)
        before, state, tokens, start = torch.ones(count, dtype=torch.long), None, 0, time.perf_counter()
        while tokens == 0 or time.perf_counter() - start < 4:
            inputs = torch.cat([net.embedding(before), latent], dim=1).unsqueeze(1)
            outputs, state = net.generator(inputs, state)
            before = net.output(outputs[:, 0]).argmax(dim=1)
            tokens += count
    return tokens / (time.perf_counter() - start)


def train(private):
    if variant == "equal":
        batches = [[mean] * batch]
    else:
        batches = [lengths[i : i + batch] for i in range(0, len(lengths) - batch + 1, batch)]
    made = []
    for sizes in batches:
        longest = max(sizes)
        tokens = torch.randint(vocabulary, (batch, longest))
        mask = torch.arange(longest) < torch.tensor(sizes).unsqueeze(1)
        before = torch.cat([torch.ones(batch, 1, dtype=torch.long), tokens[:, :-1]], dim=1)
        packed = None if min(sizes) == longest else torch.tensor(sizes)
        made.append((tokens, before, packed, mask, sum(sizes)))
    if private:
        from opacus.grad_sample import GradSampleModule
        from opacus.layers import DPGRU
        from opacus.optimizers import DPOptimizer

        net = GradSampleModule(Net(DPGRU))
        trained = [p for p in net.parameters() if p.requires_grad]
        optimiser = DPOptimizer(
            torch.optim.Adam(trained, lr=0.001), noise_multiplier=0.0, max_grad_norm=1.0, expected_batch_size=batch
        )
    else:
        net = Net(nn.GRU)
        optimiser = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.001)
    tokens, start, turn = 0, time.perf_counter(), 0
    while True:
        text, before, packed, mask, count = made[turn % len(made)]
        optimiser.zero_grad()
        logits = net(text, before, packed)
        loss = nn.functional.cross_entropy(logits[mask], text[mask])
        loss.backward()
        optimiser.step()
        turn += 1
        if turn == 1:
            start = time.perf_counter()
            continue
        tokens += count
        if (private or turn % len(made) == 1 % len(made)) and time.perf_counter() - start >= 4:
            return tokens / (time.perf_counter() - start)


rate = generate(int(variant)) if kind == "generate" else train(kind == "private")
print(rate, memory())
