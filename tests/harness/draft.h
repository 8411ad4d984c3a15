// A case in the making: shapes, dtypes and attributes that fit together, before there are elements.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/choices.h"
#include "harness/generator.h"

namespace strew::harness {

// How an operator names places.
enum class Family : std::uint8_t { tuples, along_axis, slices, key, put, columns };
[[nodiscard]] Family family_of(const Operator& op);

// One part of what stands in a[...].
struct KeyDraft {
  enum Kind : std::uint8_t { integer, slice, ellipsis, new_axis, array, mask };
  Kind kind = integer;
  std::size_t axis = 0;        // the first one it takes
  Dims shape = {};             // of an array or a mask
  numpy::Slice slice_of = {};
  std::int64_t trues = 0;      // in a mask; of an ellipsis, the axes it stands for
  Dtype dtype = Dtype::int64;
};

struct Draft {
  OperatorForm form;
  Size size = Size::small;
  Family family = Family::tuples;
  Dims data, index, updates;
  std::int64_t axis = 0;
  std::int64_t batch = 0;
  std::int64_t padding = 0;                    // leading sizes of 1 before what counts in `data` (DirectML)
  Dtype data_dtype = Dtype::float32, updates_dtype = Dtype::float32, index_dtype = Dtype::int64;
  std::map<std::string, Number, std::less<>> fixed;  // attributes that the shapes depend on
  std::map<std::string, std::string, std::less<>> words;
  std::vector<KeyDraft> key;
  bool bad_indices = false;
  bool wraps = false;                          // negative indices count from the end

  // The size of the axis that the index at `place`, a flat position, addresses.
  [[nodiscard]] std::int64_t extent(std::int64_t place) const;
  [[nodiscard]] bool has(std::string_view parameter) const;
};

// A draft that the operator accepts.
[[nodiscard]] Draft valid_draft(const OperatorForm& form, Choices& choices, Size size);
// Makes something wrong with it, or odd.
void spoil(Draft& draft, Choices& choices);

// The same for operators whose indices are a key: NumPy's, and Strew's own, which take columns alone.
void draft_key(Draft& draft, Choices& choices);
void draft_columns(Draft& draft, Choices& choices);
void draft_put(Draft& draft, Choices& choices);
void spoil_key(Draft& draft, Choices& choices);
[[nodiscard]] KeySpec make_key(const Draft& draft, Choices& choices);

// Sizes whose product stays small; sometimes zero, if allowed.
[[nodiscard]] Dims small_shape(Choices& choices, std::size_t rank, std::int64_t budget, bool may_be_empty);

// A tensor of the draft with elements, and with strides of its own if `may_stride`; `may_repeat` allows strides of 0.
enum class Role : std::uint8_t { data, index, updates };
[[nodiscard]] TensorSpec make_tensor(const Draft& draft, Role role, Choices& choices, bool may_repeat);

// A number as source or factor.
[[nodiscard]] Number make_number(Choices& choices);

}  // namespace strew::harness
