# Written by scripts/python_stubs.
from . import tensorflow as tensorflow
from . import pytorch as pytorch
from . import paddle as paddle
from . import onnx as onnx
from . import directml as directml
from . import numpy as numpy
from ._own import *
