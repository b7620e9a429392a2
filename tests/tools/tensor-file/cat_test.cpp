#include "tools/tensor-file/cat.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/io/npy.h"
#include "libcore/system/limits.h"
#include "tools/tensor-file/document_source.h"

namespace frugal {
namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/frugal_cat_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() {
    for (const char* name : {"/a.safetensors.zst", "/a.npz", "/out"}) unlink((path + name).c_str());
    rmdir(path.c_str());
  }
  std::string path;
};

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("rows are A:B, A: and :B") {
  CHECK(parse_rows("3:5").begin == 3);
  CHECK(parse_rows("3:5").end == 5);
  CHECK(parse_rows(":5").begin == 0);
  CHECK(!parse_rows("3:").end.has_value());
  CHECK(!parse_rows(":").end.has_value());
  for (const char* bad : {"", "3", "5:3", "-1:2", "1:2:3", "a:b", "1:b", " 1:2"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_rows(bad), Error);
  }
}

TEST_CASE("pieces of a large tensor cover it in order, within a few megabytes") {
  const Folder folder;
  const std::string path = folder.path + "/a.safetensors.zst";
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
  const Folder folder;
  const std::string path = folder.path + "/a.npz";
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

TEST_CASE("lines are vectors along the last axis, of npz files too") {
  const Folder folder;
  Document document;
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  document.tensors.push_back(Tensor::copy_of<float>("x", {2, 2, 2}, values));
  write_npz(folder.path + "/a.npz", document);
  CatOptions options;
  options.input = folder.path + "/a.npz";
  options.output = folder.path + "/out";
  options.tensor = "x";
  options.rows = RowRange{1, 2};
  cat(options);
  CHECK(content(options.output) == "5 6\n7 8\n");
}

}  // namespace frugal
