// A first program of a user, built by each of the three consumers.
#include <strew/strew.h>

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

// Names of the program, which must not collide with Strew's after `using namespace strew`.
enum class Kind { own };
struct Compare {};
struct Round {};
struct Begin {};
struct Finish {};
struct Names {};
const char* const name = "own";
const bool info = true, check = true;

bool names_do_not_collide() {
  using namespace strew;
  [[maybe_unused]] const std::tuple<Compare, Round, Begin, Finish, Names> types;
  return Kind::own == Kind{} && *name == 'o' && info && check && to_string(Dtype::int8) == "int8";
}

int main() {
  std::vector<float> data{1, 2, 3, 4, 5};
  std::vector<std::int64_t> indices{1, 3};
  std::vector<float> updates{1.1f, 2.1f};
  const strew::Tensor y = strew::onnx::scatter_elements(strew::tensor(data, {1, 5}), strew::tensor(indices, {1, 2}),
                                                        strew::tensor(updates, {1, 2}), {.axis = 1});
  const auto values = y.values<float>();
  const bool replaced = std::vector<float>(values.begin(), values.end()) == std::vector<float>{1, 1.1f, 3, 2.1f, 5};

  std::vector<float> grid(6);
  const std::vector<unsigned char> i{1, 1}, j{2, 2};
  strew::scatter_add(strew::tensor(grid, {2, 3}), {i, j}, std::vector{1.5f, 2.0f}, {.threads = 1});
  strew::scatter_max(grid, std::vector{0}, 1);
  const strew::Tensor gathered = strew::gather(grid, std::vector<short>{5, 0});
  const bool own = gathered.values<float>()[0] == 3.5f && gathered.values<float>()[1] == 1;

  std::vector<float> self(8, 2.0f);
  const std::vector<std::int64_t> index{2, 3};
  strew::pytorch::scatter_(strew::tensor(self, {2, 4}), 1, strew::tensor(index, {2, 1}), 1.25, "multiply");
  const bool multiplied = self == std::vector<float>{2, 2, 2.5f, 2, 2, 2, 2, 2.5f};

  bool refused = false;
  try {
    const std::vector<std::int64_t> far{9};
    strew::pytorch::scatter_(strew::tensor(self), 0, strew::tensor(far), 1.0);
  } catch (const strew::Error& error) {
    refused = error.code() == strew::ErrorCode::index && error.bad_index()->value == 9;
  }

  std::printf("replaced %d, own functions %d, multiplied %d, refused %d\n", replaced, own, multiplied, refused);
  return replaced && own && multiplied && refused && names_do_not_collide() ? 0 : 1;
}
