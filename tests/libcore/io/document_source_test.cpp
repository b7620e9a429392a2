#include "libcore/io/document_source.h"

#include "libcore/io/npy.h"
#include "tests/libcore/io/tensor_samples.h"

using namespace frugal;
using namespace samples;

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

TEST_CASE("rows of .npy files are those of the whole array, in C and in Fortran order") {
  const ScratchFolder folder;
  write_npy(folder.file("a.npy"), normal_tensor("", {1000, 3, 5}, 1));
  std::string header = folder.get("a.npy");
  header.replace(header.find("False, "), 7, "True,  ");
  folder.put("f.npy", header);
  for (const char* name : {"a", "f"}) {
    const std::string path = folder.file(name + std::string(".npy"));
    Tensor whole = read_npy(path);
    whole.name = name;
    const auto source = open_documents(path, {});
    const auto info = source->next_info();
    REQUIRE(info);
    CHECK(info->tensors[0].name == name);
    const Tensor first = source->read_rows(name, 0, 300), last = source->read_rows(name, 300, 1000);
    CHECK(first.shape == Shape{300, 3, 5});
    CHECK(std::memcmp(first.bytes.data(), whole.bytes.data(), first.bytes.size()) == 0);
    CHECK(std::memcmp(last.bytes.data(), whole.bytes.data() + first.bytes.size(),
                      last.bytes.size()) == 0);
    CHECK(same(*open_documents(path, {})->next()->find(name), whole));
  }
}

TEST_CASE("rows larger than a piece come one by one") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.safetensors");
  constexpr std::uint64_t kRow = (std::uint64_t{8} << 20) + 1;
  Document document;
  document.tensors.push_back(Tensor::make("x", Dtype::u8, {2, kRow}));
  document.tensors[0].as<std::uint8_t>()[kRow] = 7;
  write_document(path, document);
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  std::vector<std::uint8_t> firsts;
  for_each_piece(*source, info->tensors[0], 0, 2, [&](const Tensor& piece) {
    REQUIRE(piece.shape == Shape{1, kRow});
    firsts.push_back(piece.as<std::uint8_t>()[0]);
  });
  CHECK(firsts == std::vector<std::uint8_t>{0, 7});
}
