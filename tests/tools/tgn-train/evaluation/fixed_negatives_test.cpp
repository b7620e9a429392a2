#include <doctest/doctest.h>

#include "libcore/arrays/npy.h"
#include "libcore/tensors/tensor_file.h"
#include "tests/support/text_file.h"
#include "tools/tgn-train/links/rank_source.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

template <class T>
Tensor rows(const std::string& name, std::vector<T> values, std::uint64_t columns) {
  return Tensor::copy_of<T>(name, {values.size() / columns, columns}, values);
}

std::vector<NodeId> drawn(const FixedNegatives& negatives, EventId event) {
  std::vector<NodeId> nodes = {1};
  negatives.draw(event, nodes);
  return nodes;
}

const FixedNegatives::Part kTest = {"test", 10, 13};

}  // namespace

TEST_CASE("Negatives of a NumPy array are given to the events of the part in their order") {
  const TextFile file("", ".npy");
  write_npy(file.path(), rows<std::int64_t>("", {4, 5, 6, 7, 8, 4}, 2));
  const FixedNegatives negatives(file.path(), kTest, 9);
  CHECK(FixedNegatives::has(file.path(), "test"));
  CHECK(!FixedNegatives::has(file.path(), "valid"));
  CHECK(drawn(negatives, 12) == std::vector<NodeId>{8, 4});
  CHECK(drawn(negatives, 10) == std::vector<NodeId>{4, 5});
}

TEST_CASE("Files of several arrays have one for each part") {
  Document document;
  document.tensors.push_back(rows<std::uint32_t>("valid", {1, 2}, 1));
  document.tensors.push_back(rows<std::uint32_t>("test", {3, 4, 5}, 1));
  for (const char* suffix : {".safetensors", ".npz"}) {
    const TextFile file("", suffix);
    if (std::string(suffix) == ".npz") {
      write_npz(file.path(), document);
    } else {
      write_document(file.path(), document);
    }
    CHECK(drawn(FixedNegatives(file.path(), kTest, 6), 11) == std::vector<NodeId>{4});
    CHECK(drawn(FixedNegatives(file.path(), {"valid", 8, 10}, 6), 8) == std::vector<NodeId>{1});
    CHECK(FixedNegatives::has(file.path(), "valid"));
    CHECK(!FixedNegatives::has(file.path(), "tests"));
    const std::string error = error_of([&] { FixedNegatives(file.path(), {"tests", 10, 13}, 6); });
    CHECK(error.starts_with("65 " + file.path() + ": "));
    CHECK(error.find("'tests'") != std::string::npos);
  }
}

TEST_CASE("Rows with fewer negatives end with -1") {
  const TextFile file("", ".npy");
  write_npy(file.path(), rows<std::int64_t>("", {4, 5, -1, -1, 8, -1}, 2));
  const FixedNegatives negatives(file.path(), kTest, 9);
  CHECK(drawn(negatives, 10) == std::vector<NodeId>{4, 5});
  CHECK(drawn(negatives, 11).empty());
  CHECK(drawn(negatives, 12) == std::vector<NodeId>{8});
  write_npy(file.path(), rows<std::int64_t>("", {4, 5, -1, 3, 8, -1}, 2));
  CHECK(error_of([&] { FixedNegatives(file.path(), kTest, 9); }) ==
        "65 " + file.path() +
            ": row 1, column 1: node 3 behind a -1, expected -1 at the end of rows alone");
}

TEST_CASE("Nodes are those of the input, whose ids may begin with 1 or with 0 for each kind") {
  const TextFile file("", ".npy");
  write_npy(file.path(), rows<std::int64_t>("", {1, 5, 9, 7, 8, -1}, 2));
  const FixedNegatives from_one(file.path(), {"test", 10, 13, 1, 0}, 9);
  CHECK(drawn(from_one, 10) == std::vector<NodeId>{0, 4});
  CHECK(drawn(from_one, 11) == std::vector<NodeId>{8, 6});
  const FixedNegatives own(file.path(), {"test", 10, 13, 0, 6}, 16);
  CHECK(drawn(own, 10) == std::vector<NodeId>{7, 11});
  write_npy(file.path(), rows<std::int64_t>("", {6, 15, 7, 7, 8, 6}, 2));
  CHECK(drawn(FixedNegatives(file.path(), {"test", 10, 13, 0, 6}, 16), 10) ==
        std::vector<NodeId>{6, 15});
  write_npy(file.path(), rows<std::int64_t>("", {0, 5, 9, 7, 8, -1}, 2));
  CHECK(error_of([&] {
          FixedNegatives(file.path(), {"test", 10, 13, 1, 0}, 9);
        }) == "65 " + file.path() + ": node 0, expected ids from 1 on, as the input has them");
}

TEST_CASE("Wrong shapes and nodes that the stream does not have are refused") {
  const TextFile file("", ".npy");
  write_npy(file.path(), rows<std::int32_t>("", {4, 5, 6, 7}, 2));
  CHECK(error_of([&] { FixedNegatives(file.path(), kTest, 9); }) ==
        "65 " + file.path() +
            ": negatives of shape [2, 2], expected a row for each of the 3 events of test");
  write_npy(file.path(), rows<std::int32_t>("", {4, 5, 6, 7, 9, 5}, 2));
  CHECK(error_of([&] { FixedNegatives(file.path(), kTest, 9); }) ==
        "65 " + file.path() + ": row 2, column 0: node 9, expected one of 0 to 8");
  write_npy(file.path(), rows<std::int32_t>("", {4, -5, 6, 7, 8, 5}, 2));
  CHECK(error_of([&] { FixedNegatives(file.path(), kTest, 9); }) ==
        "65 " + file.path() + ": row 0, column 1: node -5, expected one of 0 to 8");
  write_npy(file.path(),
            Tensor::copy_of<std::uint32_t>("", {3}, std::vector<std::uint32_t>{1, 2, 3}));
  CHECK(error_of([&] { FixedNegatives(file.path(), kTest, 9); }).find("of shape [3]") !=
        std::string::npos);
}
