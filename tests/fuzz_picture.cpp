// libFuzzer: bytes make an op with strings of any bytes. Its picture is well-formed XML of bounded size, changes no memory, and is refused
// exactly where the run is, except for an index out of range, which is drawn.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness/xml.h"
#include "ops/recipe.h"
#include "strew/picture.h"
#include "strew/run.h"

namespace {

using namespace strew;

[[noreturn]] void fail(const std::string& what, const ops::Recipe& recipe) {
  std::fprintf(stderr, "%s\n%s", what.c_str(), ops::print(recipe).c_str());
  std::abort();
}

template <class Op>
void judge(const ops::Recipe& recipe, const Op& op) {
  std::optional<Error> refused;
  std::string drawn;
  try {
    static_cast<void>(explain(op));
  } catch (const Error& error) {
    refused = error;
  }
  try {
    drawn = picture(op);
  } catch (const Error& error) {
    // explain() does not read what the output starts from; a picture does, as compute() would.
    const bool starts_from_nothing = !recipe.gathers && recipe.out.null && recipe.begins == ops::Recipe::Base::in_place;
    const bool excused = error.code() == ErrorCode::memory || (starts_from_nothing && error.code() == ErrorCode::shape);
    if (!excused && (!refused || refused->code() == ErrorCode::index || refused->code() != error.code()))
      fail(std::string("refused only as a picture: ") + error.what(), recipe);
    return;
  }
  const harness::Xml xml = harness::read_xml(drawn);
  if (!xml.flaw.empty()) fail("not well-formed: " + xml.flaw + "\n" + drawn, recipe);
  if (drawn.size() > 200'000) fail("too large", recipe);
  if (refused && refused->code() != ErrorCode::index) fail(std::string("drawn but refused: ") + refused->what(), recipe);
  if (refused && xml.of_class("say bad").empty()) fail("drawn without the error", recipe);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  harness::ByteChoices choices(std::span(bytes, size));
  ops::Memory memory;
  const ops::Recipe recipe = ops::make_recipe(choices, memory);
  if (recipe.huge) return 0;  // sizes without memory, which nothing may read
  for (std::vector<std::string>& texts : memory.texts) {
    for (std::string& text : texts) {
      for (std::uint64_t length = choices.below(12); length > 0; --length) text += static_cast<char>(choices.below(256));
    }
  }
  const ops::Memory before = memory;
  if (recipe.gathers) judge(recipe, recipe.gather(memory));
  else judge(recipe, recipe.scatter(memory));
  if (!(memory == before)) fail("memory changed", recipe);
  return 0;
}
