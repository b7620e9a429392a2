#include "tools/tensor-file/cat.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "libcore/arrays/npy.h"
#include "libcore/base/error.h"
#include "libcore/system/limits.h"

namespace frugal::tensor_file {
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

}  // namespace frugal::tensor_file
