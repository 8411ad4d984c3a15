// Writes folds in the notation of school mathematics.
#include "picture/formula.h"

#include <span>

#include "base/text.h"
#include "kernels/types.h"
#include "picture/legible.h"

namespace strew::internal {
namespace {

// How a reduction is written: between its operands, or as a function of them.
struct Notation {
  std::string_view between;
  std::string_view function;
  std::string_view sentence;  // before the operands, if there is a function
};

// By the enumerators of Reduction.
constexpr Notation notations[] = {
    {"", "", "Each update replaces the element that its index selects. If several meet, the last one stays."},
    {" + ", "", "Each update is added to the element that its index selects."},
    {" - ", "", "Each update is subtracted from the element that its index selects."},
    {" \xC3\x97 ", "", "Each update is multiplied with the element that its index selects."},
    {"", "min", "Each selected element becomes the smallest of"},
    {"", "max", "Each selected element becomes the largest of"},
};
constexpr Notation mean{"", "mean", "Each selected element becomes the mean of"};
constexpr Notation either{" or ", "", "Each selected element becomes true if it or one of its updates is true."};
constexpr Notation both{" and ", "", "Each selected element stays true if all of its updates are true."};
constexpr Notation concatenation{" + ", "", "Each update is appended to the string that its index selects."};

Notation notation_of(const Fold& fold, Dtype dtype) {
  if (fold.finish == FoldFinish::mean) return mean;
  if (dtype == Dtype::string && fold.step == Reduction::add) return concatenation;
  if (dtype == Dtype::bool_ && fold.step == Reduction::add) return either;
  if (dtype == Dtype::bool_ && fold.step == Reduction::mul) return both;
  return notations[static_cast<std::size_t>(fold.step)];
}

// Operands separated, with the number of those that are left out before the last one.
std::string listed(std::span<const std::string> operands, std::int64_t left_out, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) append(text, separator);
    if (left_out > 0 && i + 1 == operands.size()) append(text, cat("(", grouped(left_out), " more)", separator));
    const bool is_alone = operands.size() == 1 || separator == ", ";
    append(text, is_alone ? operands[i] : operand(operands[i], i == 0));
  }
  return text;
}

std::string assignment(const Operands& operands) {
  const std::int64_t left_out = operands.count - static_cast<std::int64_t>(operands.updates.size());
  const std::string& last = operands.updates.back();
  if (operands.count == 1) return cat(last, " replaces ", operands.base);
  return cat(last, ", the last of ", listed(operands.updates, left_out, ", "), ", replaces ", operands.base);
}

}  // namespace

std::string operand(std::string_view number, bool is_first) {
  const bool is_signed = number.ends_with('j') || (!is_first && number.starts_with('-'));
  return is_signed ? cat("(", number, ")") : std::string(number);
}

std::string formula_of(const Fold& fold, Dtype dtype, const Operands& operands) {
  if (operands.updates.empty()) return {};
  if (fold.step == Reduction::assign && fold.finish == FoldFinish::keep) return assignment(operands);
  const Notation notation = notation_of(fold, dtype);
  const std::int64_t left_out = operands.count - static_cast<std::int64_t>(operands.updates.size());
  std::vector<std::string> all;
  if (fold.begin == FoldBegin::current) all.push_back(operands.base);
  all.insert(all.end(), operands.updates.begin(), operands.updates.end());
  const std::string text =
      notation.function.empty() ? listed(all, left_out, notation.between) : cat(notation.function, "(", listed(all, left_out, ", "), ")");
  return cat(text, " = ", operands.result);
}

std::string summary_of(const Fold& fold, Dtype dtype) {
  const Notation notation = notation_of(fold, dtype);
  std::string text(notation.sentence);
  const bool keeps_old = fold.begin == FoldBegin::current;
  if (!notation.function.empty())
    append(text, keeps_old ? " its old value and its updates." : " its updates; its old value does not count.");
  else if (fold.step != Reduction::assign && !keeps_old) append(text, " Its old value does not count.");
  const bool rounds = fold.step == Reduction::add || fold.step == Reduction::sub || fold.step == Reduction::mul;
  if (is_one_of(Halves{}, dtype) && rounds)
    append(text, fold.round == FoldRound::at_finish ? cat(" ", to_string(dtype), " is rounded once, at the end.")
                                                    : cat(" ", to_string(dtype), " is rounded after every update."));
  return text;
}

}  // namespace strew::internal
