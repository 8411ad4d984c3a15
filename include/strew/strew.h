// Everything Strew offers.
#pragma once

#include "strew/adapt.h"
#include "strew/dialects/directml.h"
#include "strew/dialects/numpy.h"
#include "strew/dialects/onnx.h"
#include "strew/dialects/paddle.h"
#include "strew/dialects/pytorch.h"
#include "strew/dialects/tensorflow.h"
#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/half.h"
#include "strew/op.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/small_vector.h"
#include "strew/tensor.h"
#include "strew/version.h"
