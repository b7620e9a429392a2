#include "libcore/arrays/row_file.h"

#include "libcore/arrays/npy.h"
#include "tests/libcore/tensors/tensor_samples.h"

using namespace frugal;
using namespace samples;

namespace {

struct Rows {
  explicit Rows(Document d) : document(std::move(d)) {
    for (const Tensor& tensor : document.tensors) {
      info.tensors.push_back({tensor.name, tensor.dtype, tensor.shape});
    }
    fill = [this](const TensorInfo& tensor, std::uint64_t begin, std::uint64_t,
                  std::span<std::byte> to) {
      const Tensor& whole = document.at(tensor.name);
      const std::size_t row = whole.bytes.size() / num_rows(whole.shape);
      std::memcpy(to.data(), whole.bytes.data() + begin * row, to.size());
    };
  }
  Document document;
  DocumentInfo info;
  RowFiller fill;
};

}  // namespace

TEST_CASE("every format holds the bytes that it holds of tensors in memory") {
  const ScratchFolder folder;
  Rows rows(mixed_document(30));
  write_rows(folder.file("rows.npz"), rows.info, rows.fill, {});
  write_npz(folder.file("whole.npz"), rows.document);
  CHECK(folder.get("rows.npz") == folder.get("whole.npz"));
  write_rows(folder.file("rows.tzs"), rows.info, rows.fill, {});
  rows.document.metadata.clear();
  write_document(folder.file("whole.tzs"), rows.document);
  CHECK(folder.get("rows.tzs") == folder.get("whole.tzs"));
  rows.document.tensors.resize(1);
  rows.info.tensors.resize(1);
  write_rows(folder.file("rows.npy"), rows.info, rows.fill, {});
  write_npy(folder.file("whole.npy"), rows.document.tensors[0]);
  CHECK(folder.get("rows.npy") == folder.get("whole.npy"));
}

TEST_CASE(
    "a document has the bytes that it has of tensors in memory where some are made meanwhile") {
  const ScratchFolder folder;
  const Rows rows(mixed_document(30));
  Document document = rows.document.clone();
  RowFillers fillers;
  for (std::size_t t = 0; t < document.tensors.size(); t += 2) {
    fillers[document.tensors[t].name] = rows.fill;
    document.tensors[t].bytes = {};
  }
  write_rows(folder.file("rows.tzs"), document, fillers, {});
  write_document(folder.file("whole.tzs"), rows.document);
  CHECK(folder.get("rows.tzs") == folder.get("whole.tzs"));
}

TEST_CASE("tensors that the format cannot hold are refused") {
  const ScratchFolder folder;
  const Rows rows(mixed_document(1));
  CHECK(error_of([&] {
          write_rows(folder.file("x.npy"), rows.info, rows.fill, {});
        }).find(".npy holds one tensor, these are 5") != std::string::npos);
  CHECK(folder.names().empty());
}
