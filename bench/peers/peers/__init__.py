"""The peers: a file each.

A peer has a name, the thread counts to measure (0: it decides itself), set_threads, the forms that race (on two threads they do
not count where there are duplicates, not even when they are lucky), and a function for each kind and op, such as rows_add. That
takes a problem and returns its forms by name: functions that work in place on `problem.out`, or a `Call` with memory of its own.
"""
from dataclasses import dataclass
from typing import Callable

OURS = ("strew", "C")  # take part in every round, and are not the best peer
SHARING = (*OURS, "torch", "numpy")  # work on NumPy's memory; the others copy all of it


@dataclass
class Call:
    run: Callable  # what is timed
    reset: Callable  # puts the target back
    result: Callable  # the target as a NumPy array


def all_peers():
    """Paddle has to be loaded before TensorFlow: the other way round the process crashes."""
    from peers import plain, strew_peer, paddle_peer, tensorflow_peer, torch_peer, numpy_peer, jax_peer, onnx_peer

    return [plain.Plain(), strew_peer.Strew(), torch_peer.Torch(), numpy_peer.NumPy(), jax_peer.Jax(), onnx_peer.Onnx(),
            tensorflow_peer.TensorFlow(), paddle_peer.Paddle()]
