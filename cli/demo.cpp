// strew demo: the five documents' examples, and where the five disagree.
#include "base/text.h"
#include "commands.h"
#include "disagreements.h"
#include "examples.h"
#include "print.h"

namespace strew::cli {
using namespace internal;

int demo(const Request&) {
  print(painted(Paint::bold, "The examples of the five documents, computed by Strew and compared bit by bit"));
  print("\n");
  int differing = 0, shown = 0;
  const auto show_one = [&](const Document& document) {
    differing += show(document);
    shown += static_cast<int>(document.examples.size());
  };
  show_one(tensorflow_document());
  show_one(pytorch_document());
  show_one(paddle_document());
  show_one(onnx_document());
  show_one(directml_document());

  show_disagreements();

  print(differing == 0 ? cat("\n", painted(Paint::green, cat("All ", shown, " examples are as documented.")), "\n")
                       : cat("\n", painted(Paint::red, cat(differing, " of ", shown, " examples are NOT as documented.")), "\n"));
  return differing == 0 ? 0 : 1;
}

}  // namespace strew::cli
