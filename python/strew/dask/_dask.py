"""What strew.dask uses of Dask, whose functions have no types."""

from __future__ import annotations

from typing import Any

import dask
import dask.array
import dask.base
import dask.highlevelgraph
import dask.utils

da: Any = dask.array
config: Any = dask.config
tokenize: Any = dask.base.tokenize
parse_bytes: Any = dask.utils.parse_bytes
HighLevelGraph: Any = dask.highlevelgraph.HighLevelGraph
Array = Any  # a dask.array.Array
