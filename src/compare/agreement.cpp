// Compares results element by element.
#include "compare/agreement.h"

#include <cmath>
#include <utility>

#include "base/text.h"
#include "core/core.h"
#include "kernels/types.h"
#include "picture/elements.h"
#include "picture/legible.h"

namespace strew::internal {
namespace {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";
constexpr std::size_t most_named = 4;       // positions in a sentence
constexpr std::size_t longest_value = 80;   // characters of a result in a sentence

template <class T>
bool same_number(T a, T b) {
  if constexpr (ComplexLike<T>) {
    return same_number(a.real(), b.real()) && same_number(a.imag(), b.imag());
  } else if constexpr (HalfLike<T>) {
    return same_number(to_float(a), to_float(b));
  } else if constexpr (std::floating_point<T>) {
    return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

using Same = bool (*)(const std::byte* a, const std::byte* b);
Same same_of(Dtype dtype) {
  Same same = [](const std::byte* a, const std::byte* b) {
    return *reinterpret_cast<const std::string*>(a) == *reinterpret_cast<const std::string*>(b);
  };
  visit_dtype(Numbers{}, dtype,
              [&]<class T>(Tag<T>) { same = [](const std::byte* a, const std::byte* b) { return same_number(load<T>(a), load<T>(b)); }; });
  return same;
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) append(text, cat(i == 0 ? "" : i + 1 == items.size() ? " and " : ", ", items[i]));
  return text;
}
std::string names_of(const Group& group) {
  std::vector<std::string> names;
  for (const Answer* answer : group.answers) names.emplace_back(answer->dialect);
  return joined(names);
}

// "say [1, 2]" or "reject it", in the number of the group.
std::string says(const Group& group) {
  const std::string_view ending = group.answers.size() == 1 ? "s" : "";
  if (group.result() == nullptr) return cat(names_of(group), " reject", ending, " it");
  return cat(names_of(group), " say", ending, " ", legible(view_text(ConstTensorRef(*group.result())), longest_value));
}

// Ends a sentence, unless a shortened value ends it.
std::string ended(std::string sentence) {
  if (!sentence.ends_with(ellipsis)) append(sentence, '.');
  return sentence;
}

std::string where_text(const Differences& differences) {
  if (!differences.same_form) return "in dtype or shape";
  std::vector<std::string> at;
  for (const Dims& position : differences.positions) at.push_back(bracketed(position));
  const std::int64_t more = differences.count - static_cast<std::int64_t>(at.size());
  if (more > 0) at.push_back(cat(grouped(more), " more"));
  return cat("at ", joined(at));
}

}  // namespace

Differences differences(const ConstTensorRef& a, const ConstTensorRef& b, std::size_t most_positions) {
  Differences found;
  found.same_form = a.dtype == b.dtype && a.shape == b.shape;
  if (!found.same_form || is_empty(a.shape)) return found;
  const Same same = same_of(a.dtype);
  Dims at(a.rank(), 0);
  while (true) {
    if (!same(element_at(a, at), element_at(b, at))) {
      if (found.positions.size() < most_positions) found.positions.push_back(at);
      ++found.count;
    }
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == a.shape[d - 1]) at[--d] = 0;
    if (d == 0) return found;
  }
}

std::vector<Group> groups_of(const std::vector<Answer>& answers) {
  std::vector<Group> groups;
  for (const Answer& answer : answers) {
    if (!answer.counts()) continue;
    Group* own = nullptr;
    for (Group& group : groups) {
      const bool both_refuse = group.result() == nullptr && !answer.result;
      const bool both_say = group.result() != nullptr && answer.result && differences(*group.result(), *answer.result, 0).none();
      if (both_refuse || both_say) own = &group;
    }
    if (own == nullptr) own = &groups.emplace_back();
    own->answers.push_back(&answer);
  }
  return groups;
}

std::string agreement_text(const std::vector<Answer>& answers) {
  const std::vector<Group> groups = groups_of(answers);
  if (groups.empty()) return "No dialect can express this with these dtypes.";
  if (groups.size() == 1 && groups[0].answers.size() == 1) return ended(cat("Only ", says(groups[0])));
  if (groups.size() == 1) return ended(cat("They agree: ", says(groups[0])));
  std::string text = "They disagree: ";
  for (std::size_t i = 0; i < groups.size(); ++i) append(text, cat(i == 0 ? "" : "; ", says(groups[i])));
  return ended(std::move(text));
}

std::string agreement_text(const std::vector<Answer>& answers, const ConstTensorRef& mine) {
  check_view("compare", "mine", mine);
  std::string same, other;
  for (const Group& group : groups_of(answers)) {
    if (group.result() == nullptr) {
      append(other, cat(" ", says(group), "."));
      continue;
    }
    const Differences found = differences(*group.result(), mine, most_named);
    if (found.none()) same = names_of(group);
    else append(other, cat(" It differs from ", names_of(group), " ", where_text(found), "."));
  }
  return cat(same.empty() ? std::string("Yours agrees with none.") : cat("Yours agrees with ", same, "."), other);
}

}  // namespace strew::internal
