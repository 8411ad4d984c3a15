"""Trains a voxel pooling in TensorFlow: the points of a cloud become features, the largest in each voxel counts, and a grid is classified.

    python examples/tensorflow_voxels.py [--steps 60]

A cloud is a ball or the shell of a cube, of 200 points. Many points share a voxel: strew.tf.tensor_scatter_nd_max takes the largest feature,
and its gradient goes back to the points that had it.
"""

import argparse

import tensorflow as tf

import strew.tf

POINTS, SIDE, FEATURES = 200, 4, 8


def clouds(count):
    """Points in [0, 1)^3, and whether they are the shell of a cube."""
    label = tf.random.uniform([count], 0, 2, tf.int32)
    direction = tf.random.normal([count, POINTS, 3])
    ball = direction / tf.norm(direction, axis=-1, keepdims=True) * tf.random.uniform([count, POINTS, 1]) ** (1 / 3)
    cube = direction / tf.reduce_max(tf.abs(direction), axis=-1, keepdims=True)
    return tf.where(label[:, None, None] == 1, cube, ball) * 0.49 + 0.5, label


class Voxels(tf.Module):
    def __init__(self):
        self.point = tf.Variable(tf.random.normal([3, FEATURES]))
        self.grid = tf.Variable(tf.random.normal([SIDE**3 * FEATURES, 2]) * 0.05)

    def __call__(self, points):
        count = tf.shape(points)[0]
        features = tf.nn.relu(tf.reshape(points, [-1, 3]) @ self.point)
        cloud = tf.repeat(tf.range(count)[:, None], POINTS, axis=0)
        voxel = tf.concat([cloud, tf.reshape(tf.cast(points * SIDE, tf.int32), [-1, 3])], axis=1)
        grid = strew.tf.tensor_scatter_nd_max(tf.zeros([count, SIDE, SIDE, SIDE, FEATURES]), voxel, features)
        return tf.reshape(grid, [count, -1]) @ self.grid


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    steps = parser.parse_args().steps
    tf.random.set_seed(1)
    network = Voxels()

    @tf.function
    def step(points, label):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(label, network(points)))
        for variable, gradient in zip(network.trainable_variables, tape.gradient(loss, network.trainable_variables)):
            variable.assign_sub(0.5 * gradient)
        return loss

    for i in range(steps):
        loss = step(*clouds(32))
        if i % 10 == 0 or i == steps - 1:
            print(f"step {i:3}: loss {float(loss):.3f}")


if __name__ == "__main__":
    main()
