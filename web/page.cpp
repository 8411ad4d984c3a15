// The functions that the page calls. Each returns text that is valid until the next call.
#include <emscripten.h>

#include <string>

#include "web/answer.h"

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* strew_registry() {
  static std::string text;
  text = strew::web::registry_json();
  return text.c_str();
}

EMSCRIPTEN_KEEPALIVE const char* strew_answer(const char* request) {
  static std::string text;
  text = strew::web::answer_json(request);
  return text.c_str();
}
}
