"""The loop of ETE-Anon's agent in PyTorch and scikit-learn: prints texts a second and the largest memory in MB.

ete_anon.py LAYERS CELLS WIDTH VOCABULARY AUTHORS SIDE_BY_SIDE THREADS SECONDS
Each step draws one number of the context anew, decodes the text, has two linear support vector machines judge it, and lets the Q-network learn from 32
transitions. One text at a time is what the paper describes; with SIDE_BY_SIDE above 1 the texts of several episodes are decoded and judged together.
"""

import random
import resource
import sys
import time

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC
from torch import nn

layers, cells, width, vocabulary, authors, side_by_side, threads = map(int, sys.argv[1:8])
seconds = float(sys.argv[8])
torch.set_num_threads(threads)
torch.manual_seed(1)
random.seed(1)
STEPS, TOKENS, REPLAY, BATCH, DISCOUNT, EVERY, ALPHA = 25, 20, 10_000, 32, 0.9, 15, 0.5

words = [f"w{i}" for i in range(vocabulary)]
embedding, gru, output = nn.Embedding(vocabulary, width), nn.GRU(width, cells, num_layers=layers), nn.Linear(cells, vocabulary)


def texts_of(contexts):
    """Greedy decoding from the states of all layers."""
    state, before, tokens = contexts, torch.zeros(1, contexts.shape[1], dtype=torch.long), []
    for _ in range(TOKENS):
        outputs, state = gru(embedding(before), state)
        before = output(outputs).argmax(dim=2)
        tokens.append(before[0])
    return [" ".join(words[i] for i in row) for row in torch.stack(tokens, dim=1).tolist()]


def classifier(classes):
    texts = [" ".join(random.choices(words, k=TOKENS)) for _ in range(40 * classes)]
    features = TfidfVectorizer()
    machine = LinearSVC(loss="squared_hinge").fit(features.fit_transform(texts), [i % classes for i in range(len(texts))])

    def chances(texts):
        scores = machine.decision_function(features.transform(texts))
        if scores.ndim == 1:
            scores = np.stack([-scores, scores], axis=1)
        chances = 1 / (1 + np.exp(-scores))
        return chances / chances.sum(axis=1, keepdims=True)

    return chances


sentiment, author = classifier(2), classifier(authors)


def rewards(contexts, subjects):
    texts = texts_of(contexts)
    found = []
    for (who, label), of_label, of_who in zip(subjects, sentiment(texts), author(texts)):
        lead = of_who[who] - np.delete(of_who, who).max()
        entropy = -(of_who * np.log2(of_who)).sum() / (np.log2(authors) * authors)
        found.append(ALPHA * (of_label[label] - of_label[1 - label]) - (1 - ALPHA) * (lead - entropy))
    return found


def q_network():
    return nn.Sequential(nn.Linear(cells, 4200), nn.ReLU(), nn.Linear(4200, 3 * cells))


policy, target = q_network(), q_network()
target.load_state_dict(policy.state_dict())
optimiser = torch.optim.RMSprop(policy.parameters(), lr=1e-4)
huber, memory, place = nn.HuberLoss(), [], 0
ranges = [(-1.0, -0.9), (-0.01, 0.01), (0.9, 1.0)]


def learn():
    batch = random.sample(memory, BATCH)
    states = torch.stack([transition[0] for transition in batch])
    actions = torch.tensor([transition[1] for transition in batch]).unsqueeze(1)
    gained = torch.tensor([transition[2] for transition in batch])
    following = torch.stack([transition[3] for transition in batch])
    going = torch.tensor([transition[4] for transition in batch])
    with torch.no_grad():
        later = target(following).max(dim=1).values * going
    loss = huber(policy(states).gather(1, actions).squeeze(1), gained + DISCOUNT * later)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def episodes():
    """Some episodes side by side, with a step of learning for each of their steps."""
    global place
    contexts = torch.tanh(torch.randn(layers, side_by_side, cells))
    subjects = [(random.randrange(authors), random.randrange(2)) for _ in range(side_by_side)]
    for step in range(STEPS):
        states = contexts[0].clone()
        with torch.no_grad():
            best = policy(states).argmax(dim=1).tolist()
            actions = [random.randrange(3 * cells) if random.random() < 0.5 else action for action in best]
            for row, action in enumerate(actions):
                low, high = ranges[action % 3]
                contexts[0, row, action // 3] = random.uniform(low, high)
            gained = rewards(contexts, subjects)
        for row, action in enumerate(actions):
            transition = (states[row], action, float(gained[row]), contexts[0, row].clone(), float(step + 1 < STEPS))
            if len(memory) < REPLAY:
                memory.append(transition)
            else:
                memory[place % REPLAY] = transition
            place += 1
        if len(memory) >= BATCH:
            for _ in range(side_by_side):
                learn()
    return side_by_side * STEPS


run, decoded = episodes(), 0
start, since = time.perf_counter(), 0
while decoded == 0 or time.perf_counter() - start < seconds:
    decoded += episodes()
    since += side_by_side
    if since >= EVERY:
        target.load_state_dict(policy.state_dict())
        since = 0
print(decoded / (time.perf_counter() - start), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
