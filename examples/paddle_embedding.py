"""Trains an embedding in Paddle: each word has a vector, a sentence is the mean of those of its words, and the label depends on the words.

    python examples/paddle_embedding.py [--steps 60]

Words repeat within a batch, so the gradient of the table is a scatter with duplicates: it is the backward pass of strew.paddle.gather_nd.
"""

import argparse

import paddle
from paddle import nn

import strew

WORDS, LENGTH, BATCH, WIDTH = 200, 12, 64, 16


class Embedding(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = self.create_parameter([WORDS, WIDTH])

    def forward(self, words):
        return strew.paddle.gather_nd(self.table, words.unsqueeze(-1))


class Sentences(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding, self.output = Embedding(), nn.Linear(WIDTH, 2)

    def forward(self, words):
        return self.output(self.embedding(words).mean(axis=1))


def batches(count):
    """Sentences whose words are mostly below WORDS / 2 (label 0) or above it (label 1)."""
    for _ in range(count):
        label = paddle.randint(0, 2, [BATCH])
        is_typical = paddle.rand([BATCH, LENGTH]) < 0.7
        side = paddle.where(is_typical, label.unsqueeze(-1).expand([BATCH, LENGTH]), 1 - label.unsqueeze(-1).expand([BATCH, LENGTH]))
        yield side * (WORDS // 2) + paddle.randint(0, WORDS // 2, [BATCH, LENGTH]), label


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    steps = parser.parse_args().steps
    paddle.seed(1)
    network = Sentences()
    optimizer = paddle.optimizer.Adam(0.05, parameters=network.parameters())
    for step, (words, label) in enumerate(batches(steps)):
        loss = nn.functional.cross_entropy(network(words), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 10 == 0 or step == steps - 1:
            print(f"step {step:3}: loss {float(loss):.3f}")


if __name__ == "__main__":
    main()
