// The strew program.
#include <fcntl.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "command.h"

namespace {

// A file that the command opens must not become one of the standard streams. Writing to such a stream still fails.
void open_closed_streams() {
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) std::abort();
  }
}

}  // namespace

int main(int count, char** arguments) {
  open_closed_streams();
  const std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  return strew::cli::command(words);
}
