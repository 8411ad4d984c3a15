// The answers of the page's code in a native program: a request a line in, an answer a line out; "registry" asks for the registry.
#include <iostream>
#include <string>

#include "strew/run.h"
#include "web/answer.h"

int main() {
  std::ios::sync_with_stdio(false);
  strew::set_threads(1);  // as in the page
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer = line == "registry" ? strew::web::registry_json() : strew::web::answer_json(line);
    for (char& c : answer) c = c == '\n' ? ' ' : c;
    std::cout << answer << '\n';
  }
}
