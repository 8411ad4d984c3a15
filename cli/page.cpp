// strew page: where the page that shows scatters in a browser is installed.
#include <filesystem>

#include "base/text.h"
#include "commands.h"
#include "print.h"
#include "usage.h"

namespace strew::cli {
using internal::cat;

int page(const Request&) {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path file = program.parent_path().parent_path() / "share" / "strew" / "strew.html";
  if (failed || !std::filesystem::exists(file, failed))
    throw UsageError("page: the page is not installed with this command; ./strew page in the source tree builds it and says where it is");
  print(cat(file.string(), "\n"));
  return 0;
}

}  // namespace strew::cli
