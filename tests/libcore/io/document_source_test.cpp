#include "libcore/io/document_source.h"

#include <doctest/doctest.h>

#include "libcore/io/npy.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

TEST_CASE("pieces of a large tensor cover it in order, within a few megabytes") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.safetensors.zst");
  constexpr std::uint64_t kRows = 3 << 20;
  {
    Document document;
    document.tensors.push_back(Tensor::make("x", Dtype::u64, {kRows}));
    const auto values = document.tensors[0].as<std::uint64_t>();
    for (std::uint64_t i = 0; i < kRows; ++i) values[i] = i;
    write_document(path, document);
  }
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  REQUIRE(info.has_value());
  std::uint64_t next = 5;
  std::size_t largest = 0;
  for_each_piece(*source, info->tensors[0], 5, kRows - 1, [&](const Tensor& piece) {
    largest = std::max(largest, piece.bytes.size());
    for (const std::uint64_t value : piece.as<std::uint64_t>()) REQUIRE(value == next++);
  });
  CHECK(next == kRows - 1);
  CHECK(largest <= std::size_t{8} << 20);
}

TEST_CASE("a tensor without elements has no pieces, however many rows it declares") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.npz");
  Document document;
  document.tensors.push_back(Tensor::make("x", Dtype::f32, {std::uint64_t{1} << 40, 0}));
  write_npz(path, document);
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  int pieces = 0;
  for_each_piece(*source, info->tensors[0], 0, std::uint64_t{1} << 40,
                 [&](const Tensor&) { ++pieces; });
  CHECK(pieces == 0);
}
