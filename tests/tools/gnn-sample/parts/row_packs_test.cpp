#include "tools/gnn-sample/parts/row_packs.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "libcore/base/error.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kPackNodes = 1000, kPackDim = 5, kPackRow = kPackDim * sizeof(float);

/// Without edges; all features are different.
Document numbered_graph() {
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kPackNodes)},
                       {"graph.edges", "0"},
                       {"graph.directed", "true"}};
  const std::vector<std::uint64_t> offsets(kPackNodes + 1);
  std::vector<float> features(kPackNodes * kPackDim);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i);
  document.tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  document.tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {0}, {}));
  document.tensors.push_back(Tensor::copy_of<float>("features", {kPackNodes, kPackDim}, features));
  return document;
}

/// An empty folder that is TMPDIR while the object lives.
class FolderForPacks {
 public:
  FolderForPacks() : path_(std::filesystem::temp_directory_path() / "frugal-packs-XXXXXX") {
    REQUIRE(mkdtemp(path_.data()) != nullptr);
    if (const char* const folder = std::getenv("TMPDIR")) before_ = folder;
    setenv("TMPDIR", path_.c_str(), 1);
  }
  ~FolderForPacks() {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
    std::filesystem::remove(path_);
  }
  FolderForPacks(const FolderForPacks&) = delete;
  FolderForPacks& operator=(const FolderForPacks&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<std::string> before_;
};

/// A pack, read in two parts, has the graph's rows of these nodes.
void check_pack(const StoredGraph& graph, const RowPacks& packs, std::size_t pack,
                const std::vector<NodeId>& nodes) {
  REQUIRE(packs.num_rows(pack) == nodes.size());
  const std::size_t half = nodes.size() / 2;
  std::vector<float> found(nodes.size() * kPackDim);
  auto* const to = reinterpret_cast<std::byte*>(found.data());
  packs.read(pack, 0, half, to);
  packs.read(pack, half, nodes.size() - half, to + half * kPackRow);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto* const row = reinterpret_cast<const float*>(graph.features()->row(nodes[i]));
    CHECK(std::equal(row, row + kPackDim, &found[i * kPackDim]));
  }
}

/// Status and message of making packs, or "".
std::string pack_error(const StoredGraph& graph) {
  try {
    const std::vector<std::vector<NodeId>> nodes(100, {1, 2, 3});
    const RowPacks packs(graph, nodes, 1000);
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.status())) + " " + error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("packs have the rows of each mini-batch, for pieces of the file of any size") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbered_graph());
  const StoredGraph graph(file.path(), Residence::packed);
  CHECK(graph.features_are_mapped());
  CHECK_FALSE(graph.topology_is_mapped());
  std::vector<std::vector<NodeId>> nodes = {{0, 999}, {}, {5, 5, 6, 7, 500}};
  for (NodeId v = 0; v + 3 < kPackNodes; v += 3)
    nodes.front().insert(nodes.front().end() - 1, v + 1);
  for (const std::size_t piece : {std::size_t{1}, 7 * kPackRow, std::size_t{1} << 20}) {
    const RowPacks packs(graph, nodes, piece);
    std::uint64_t rows = 0;
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      check_pack(graph, packs, b, nodes[b]);
      rows += nodes[b].size();
    }
    CHECK(packs.bytes_written() == rows * kPackRow);
  }
}

TEST_CASE("a pack tells other nodes from its own, in any order") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbered_graph());
  const StoredGraph graph(file.path(), Residence::packed);
  const std::vector<std::vector<NodeId>> nodes = {{1, 2, 3}, {}};
  const RowPacks packs(graph, nodes, 1000);
  CHECK(packs.is_of(0, std::vector<NodeId>{3, 1, 2}));
  CHECK_FALSE(packs.is_of(0, std::vector<NodeId>{1, 2}));
  CHECK_FALSE(packs.is_of(0, std::vector<NodeId>{1, 2, 4}));
  CHECK(packs.is_of(1, {}));
}

TEST_CASE("packing ends before a piece, without a file") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbered_graph());
  const StoredGraph graph(file.path(), Residence::packed);
  const FolderForPacks folder;
  const std::vector<std::vector<NodeId>> nodes = {{1, 2, 900}};
  std::atomic<int> pieces = 0;
  const auto stop = [&] {
    if (++pieces >= 3) throw std::runtime_error("stopped");
  };
  CHECK_THROWS_WITH(RowPacks(graph, nodes, kPackRow, stop), "stopped");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("parts of the file without a wanted row are not read") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbered_graph());
  const StoredGraph graph(file.path(), Residence::packed);
  const std::vector<std::vector<NodeId>> nodes = {{10, 12}, {10, 900}};
  const RowPacks packs(graph, nodes, std::size_t{1} << 20);
  CHECK(packs.bytes_read() == 4 * kPackRow);  // 10 to 12 together, and 900
}

TEST_CASE("packs have no name, so that a killed run leaves nothing") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbered_graph());
  const StoredGraph graph(file.path(), Residence::packed);
  const FolderForPacks folder;
  const std::vector<std::vector<NodeId>> nodes = {{1, 2}};
  const RowPacks packs(graph, nodes, 1000);
  CHECK(packs.bytes_written() == 2 * kPackRow);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("packs without rows need no file; others say that there is no folder") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbered_graph());
  const StoredGraph graph(file.path(), Residence::packed);
  const FolderForPacks folder;
  std::filesystem::remove(folder.path());
  const std::vector<std::vector<NodeId>> none(2);
  CHECK(RowPacks(graph, none, 1000).bytes_written() == 0);
  const std::string error = pack_error(graph);
  CHECK(error.starts_with("73 " + folder.path() + ": cannot create a temporary file"));
}

TEST_CASE("packs that exceed the limit of a file say so before anything is read") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), numbered_graph());
  const StoredGraph graph(file.path(), Residence::packed);
  CHECK(pack_error(graph).empty());
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{1000, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = pack_error(graph);
  setrlimit(RLIMIT_FSIZE, &limit);
  CHECK(error.starts_with("74 "));
  CHECK(error.find("cannot reserve 5.9 KiB for a temporary file") != std::string::npos);
}
