// Plain serial loops that check an index before they use it: what anybody would write, and the answer that others are compared with.
// The compiler is told ELEMENT, STEP(out, update), DEPTH and WIDTH, so that each is as fast as a loop written for its case.
// Each returns how many indices it used: fewer than there are if it met a bad one.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline float from_bfloat16(uint16_t x) {
  const uint32_t bits = (uint32_t)x << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds to the nearest, ties to even. There are no NaNs here.
static inline uint16_t to_bfloat16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline uint16_t add_bfloat16(uint16_t a, uint16_t b) { return to_bfloat16(from_bfloat16(a) + from_bfloat16(b)); }

// The offset of a tuple, or -1 if one of its indices is bad.
static inline int64_t offset(const int64_t* tuple, const int64_t* extents) {
  int64_t at = 0;
  for (int d = 0; d < DEPTH; ++d) {
    if ((uint64_t)tuple[d] >= (uint64_t)extents[d]) return -1;
    at = at * extents[d] + tuple[d];
  }
  return at * WIDTH;
}

// out[index[i], j] = STEP(out[index[i], j], updates[i, j])
int64_t scatter(ELEMENT* restrict out, const int64_t* restrict extents, const int64_t* restrict index, const ELEMENT* restrict updates,
                int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = offset(index + i * DEPTH, extents);
    if (at < 0) return i;
    for (int64_t j = 0; j < WIDTH; ++j) out[at + j] = STEP(out[at + j], updates[i * WIDTH + j]);
  }
  return count;
}

// out[i, j] = from[index[i], j]
int64_t gather(ELEMENT* restrict out, const int64_t* restrict extents, const int64_t* restrict index, const ELEMENT* restrict from,
               int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = offset(index + i * DEPTH, extents);
    if (at < 0) return i;
    for (int64_t j = 0; j < WIDTH; ++j) out[i * WIDTH + j] = from[at + j];
  }
  return count;
}

// out[o, index[o, a, i], i] = STEP(out[o, index[o, a, i], i], updates[o, a, i])
int64_t scatter_elements(ELEMENT* restrict out, int64_t outer, int64_t extent, int64_t inner, const int64_t* restrict index,
                         const ELEMENT* restrict updates, int64_t along) {
  for (int64_t o = 0; o < outer; ++o) {
    ELEMENT* const block = out + o * extent * inner;
    for (int64_t a = 0; a < along; ++a) {
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t from = (o * along + a) * inner + i;
        if ((uint64_t)index[from] >= (uint64_t)extent) return from;
        ELEMENT* const to = block + index[from] * inner + i;
        *to = STEP(*to, updates[from]);
      }
    }
  }
  return outer * along * inner;
}

// As scatter_elements, then each touched element is divided by one more than its updates. Returns -1 without memory for the counts.
int64_t mean_elements(ELEMENT* restrict out, int64_t outer, int64_t extent, int64_t inner, const int64_t* restrict index,
                      const ELEMENT* restrict updates, int64_t along) {
  const int64_t size = outer * extent * inner;
  int32_t* const counts = calloc((size_t)size, sizeof *counts);
  if (!counts) return -1;
  int64_t done = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t a = 0; a < along; ++a) {
      for (int64_t i = 0; i < inner; ++i, ++done) {
        if ((uint64_t)index[done] >= (uint64_t)extent) goto out_of_range;
        const int64_t to = (o * extent + index[done]) * inner + i;
        out[to] = STEP(out[to], updates[done]);
        ++counts[to];
      }
    }
  }
  for (int64_t i = 0; i < size; ++i) {
    if (counts[i]) out[i] = (ELEMENT)(out[i] / (ELEMENT)(counts[i] + 1));
  }
out_of_range:
  free(counts);
  return done;
}
