// strew explain and strew draw: how a call runs, in words and as a picture. Nothing is computed into a file of the caller's.
#include "base/text.h"
#include "call.h"
#include "commands.h"
#include "files/error.h"
#include "files/output.h"
#include "json.h"
#include "print.h"
#include "progress.h"
#include "strew/picture.h"

namespace strew::cli {
using namespace internal;

int explain(const Request& request) {
  TerminalProgress progress(request.quiet);
  const Call call = call_of("explain", request.words, progress);
  const std::string text = std::visit([&](const auto& op) { return strew::explain(op, call.options()); }, call.describe_unwritten());
  call.require_intact();
  progress.end();
  print(request.json ? cat(JsonObject().text("operator", call.name()).text("explanation", text).str(), "\n") : text);
  return 0;
}

int draw(const Request& request) {
  TerminalProgress progress(request.quiet);
  std::optional<files::Output> file;
  if (request.output) file.emplace(*request.output, request.force);
  const Call call = call_of("draw", request.words, progress);
  const std::string svg = std::visit([](const auto& op) { return picture(op); }, call.describe_unwritten());
  call.require_intact();
  JsonObject summary;
  summary.text("operator", call.name());
  if (!file) {
    progress.end();
    print(request.json ? cat(summary.text("picture", svg).str(), "\n") : svg);
    return 0;
  }
  static_cast<void>(file->allocate(svg, 0));
  file->commit(progress);
  progress.end();
  const auto bytes = static_cast<std::int64_t>(svg.size());
  if (request.json) print(cat(summary.text("output", *request.output).number("bytes", bytes).str(), "\n"));
  else if (!request.quiet) print(cat(files::printable(*request.output), ": SVG, ", bytes, " bytes\n"));
  return 0;
}

}  // namespace strew::cli
