// strew run: a call on files.
#include "base/checked.h"
#include "base/text.h"
#include "call.h"
#include "commands.h"
#include "core/copy.h"
#include "files/error.h"
#include "files/output.h"
#include "json.h"
#include "print.h"
#include "progress.h"
#include "result.h"

namespace strew::cli {
using namespace internal;
namespace {

std::int64_t bytes_of(Dtype dtype, const Dims& shape) { return element_count(shape) * size_of(dtype); }

// Those of the arguments but the one that is written to.
std::int64_t bytes_of(const Call& call) {
  std::int64_t bytes = 0;
  const auto add = [&](const ConstTensorRef& tensor) { bytes = saturating_add(bytes, bytes_of(tensor.dtype, tensor.shape)); };
  for (const Argument& argument : call.arguments()) {
    if (call.in_place() && argument.name == call.op().parameters.front().name) continue;
    if (const auto* const tensor = std::get_if<ConstTensorRef>(&argument.value)) add(*tensor);
    const auto* const key = std::get_if<IndexKey>(&argument.value);
    for (std::size_t i = 0; key != nullptr && i < key->size(); ++i) {
      if (const auto* const tensor = std::get_if<ConstTensorRef>(&(*key)[i])) add(*tensor);
    }
  }
  return bytes;
}

// Copies in parts along the first axis, for the reports.
void copy_reporting(const TensorRef& to, const ConstTensorRef& from, files::Progress& progress) {
  const std::int64_t bytes = bytes_of(to.dtype, to.shape);
  progress.begin("copying", bytes);
  if (to.shape.empty() || bytes == 0) return copy(to, from);
  const std::int64_t row = bytes / to.shape[0], step = std::max<std::int64_t>(1, files::progress_chunk / row);
  for (std::int64_t begin = 0; begin < to.shape[0]; begin += step) {
    TensorRef part = to;
    ConstTensorRef source = from;
    part.shape[0] = source.shape[0] = std::min(step, to.shape[0] - begin);
    part.data = static_cast<std::byte*>(to.data) + begin * row;
    source.data = static_cast<const std::byte*>(from.data) + begin * from.strides[0] * size_of(from.dtype);
    copy(part, source);
    progress.done((begin + part.shape[0]) * row);
  }
}

// The type of the result.
TensorRef wanted(const Call& call) {
  if (call.in_place()) return {nullptr, call.target().dtype, call.target().shape};
  return std::visit([](const auto& op) { return op.out; }, call.describe({}));
}

// Computes into memory that is not initialised.
void run_into(const TensorRef& out, const Call& call, files::Progress& progress) {
  if (call.in_place()) copy_reporting(out, call.target(), progress);
  progress.begin(cat("running ", call.name(), " on ", bytes_text(saturating_add(bytes_of(out.dtype, out.shape), bytes_of(call)))), 0);
  std::visit([&](auto&& op) { strew::run(std::move(op), call.options()); }, call.describe(out));
  call.require_intact();
}

int run_to_file(const Call& call, files::NpyOutput& file, const Request& request, files::Progress& progress) {
  const TensorRef type = wanted(call);
  run_into(file.allocate(type.dtype, type.shape), call, progress);
  file.commit(progress);
  progress.end();
  if (request.json) {
    print(cat(JsonObject()
                  .text("operator", call.name())
                  .text("output", *request.output)
                  .text("dtype", to_string(type.dtype))
                  .dims("shape", {type.shape.begin(), type.shape.size()})
                  .str(),
              "\n"));
  } else if (!request.quiet) {
    print(cat(files::printable(*request.output), ": ", type_text(type.dtype, type.shape), "\n"));
  }
  return 0;
}

int run_to_terminal(const Call& call, const Request& request, files::Progress& progress) {
  const TensorRef type = wanted(call);
  Tensor result(type.dtype, type.shape);
  run_into(result, call, progress);
  progress.end();
  if (!request.json) {
    print(result_text(result));
    return 0;
  }
  print(cat(JsonObject()
                .text("operator", call.name())
                .text("dtype", to_string(type.dtype))
                .dims("shape", {type.shape.begin(), type.shape.size()})
                .raw("values", values_json(result))
                .str(),
            "\n"));
  return 0;
}

}  // namespace

int run(const Request& request) {
  TerminalProgress progress(request.quiet);
  // The name of the output is checked first: it costs nothing.
  std::optional<files::NpyOutput> file;
  if (request.output) file.emplace(*request.output, request.force);
  const Call call = call_of("run", request.words, progress);
  return file ? run_to_file(call, *file, request, progress) : run_to_terminal(call, request, progress);
}

}  // namespace strew::cli
