// Feeds bytes to the readers of models and checkpoints: a plain tensor file. The first byte chooses
// whose.
#include "libcore/base/error.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/tensors/tensor_file.h"
#include "libcore/train/checkpoint.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/gnn-sample/model/model_file.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/sparse-train/model/model.h"
#include "tools/tgn-train/affinity/model.h"
#include "tools/tgn-train/model/model_file.h"

namespace {

using namespace frugal;

Document document_at(const std::string& path) {
  TensorReadOptions options;
  options.limits.max_memory = std::uint64_t{16} << 20;
  std::optional<Document> document = TensorReader(path, options).next();
  if (!document) fail(ExitStatus::bad_input, path, ": has no document");
  return std::move(*document);
}

void read_embedding(const std::string& path) {
  Document document = document_at(path);
  load_embedding(document, path);
}

void read_tgn_model(const std::string& path) {
  Document document = document_at(path);
  if (tgn::AffinityModel::is_in(document)) {
    tgn::AffinityModel::load(document, path);
  } else {
    tgn::load_model(std::move(document), path);
  }
}

void read_checkpoint(const std::string& path) {
  RunIdentity identity;
  identity.options = {{"--epochs", "2"}};
  static_cast<void>(CheckpointFile(path, "gnn-sample", identity, /*writes=*/false).load());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 1);
  const unsigned choice = input.choice(0) % 6;
  const std::string& path = input.path();
  const auto read = [&] {
    switch (choice) {
      case 0: return static_cast<void>(sparse::load_model(document_at(path), path));
      case 1: return static_cast<void>(robe::load_model(path));
      case 2: return static_cast<void>(gnn::load_model(document_at(path), path));
      case 3: return read_tgn_model(path);
      case 4: return read_embedding(path);
      default: return read_checkpoint(path);
    }
  };
  reading(choice == 5 ? ExitStatus::usage : ExitStatus::unavailable, read);
  return 0;
}
