// The examples of tensor-file(5) are what the writer makes and the reader takes.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include <fstream>
#include <sstream>

#include "libcore/tensors/tensor_file.h"

namespace frugal {
namespace {

constexpr unsigned kZstdOfThePage = 10504;

std::string page_content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The bytes of a hexadecimal dump between "begin NAME" and "end NAME" of the page: two columns of
/// eight bytes behind the offset, the rest of the line is explanation.
std::string dump(const std::string& name) {
  std::istringstream page(page_content(FRUGAL_SOURCE_DIR "/man/tensor-file.5"));
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == ".\\\" end " + name) return bytes;
    if (inside) {
      CHECK(std::stoul(line.substr(0, 8), nullptr, 16) == bytes.size());
      std::istringstream columns(line.substr(10, 48));
      for (std::string byte; columns >> byte;) {
        bytes += static_cast<char>(std::stoi(byte, nullptr, 16));
      }
    }
    inside = inside || line == ".\\\" begin " + name;
  }
  FAIL("no dump of " << name);
  return bytes;
}

struct Folder {
  Folder() {
    char name[] = "/tmp/frugal_page_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() {
    for (const char* name : {"/a.safetensors", "/a.safetensors.zst"}) unlink((path + name).c_str());
    rmdir(path.c_str());
  }
  std::string path;
};

Document example() {
  Document document;
  document.tensors.push_back(Tensor::copy_of<float>("w", {2}, std::vector<float>{1, -2}));
  return document;
}

void check_is_example(const Document& document) {
  CHECK(document.metadata == Metadata{{"frugal.kind", "tensors"}, {"frugal.version", "1"}});
  REQUIRE(document.tensors.size() == 1);
  const auto w = document.at("w").as<float>();
  REQUIRE(w.size() == 2);
  CHECK(w[0] == 1);
  CHECK(w[1] == -2);
}

}  // namespace

TEST_CASE("the plain example of tensor-file(5) is what we write and read") {
  const Folder folder;
  const std::string path = folder.path + "/a.safetensors";
  write_document(path, example());
  CHECK(page_content(path) == dump("plain"));
  std::ofstream(path, std::ios::binary) << dump("plain");
  check_is_example(read_document(path));
}

TEST_CASE("the compressed example of tensor-file(5) is what we write and read") {
  const Folder folder;
  const std::string path = folder.path + "/a.safetensors.zst";
  write_document(path, example());
  // Another version of zstd may find other bytes for the same content.
  if (ZSTD_versionNumber() == kZstdOfThePage) CHECK(page_content(path) == dump("file"));
  std::ofstream(path, std::ios::binary) << dump("file");
  check_is_example(read_document(path));
}

TEST_CASE("zstd alone turns the compressed example of tensor-file(5) into the plain one") {
  const std::string packed = dump("file");
  std::string plain(dump("plain").size(), '\0');
  const std::size_t frame = ZSTD_findFrameCompressedSize(packed.data(), packed.size());
  REQUIRE(ZSTD_decompress(plain.data(), plain.size(), packed.data(), frame) == plain.size());
  CHECK(plain == dump("plain"));
}

}  // namespace frugal
