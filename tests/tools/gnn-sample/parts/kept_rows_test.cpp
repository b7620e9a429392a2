#include "tools/gnn-sample/parts/kept_rows.h"

#include <doctest/doctest.h>

#include <cstring>

#include "tests/libcore/parallel/test_ranks.h"
#include "tests/support/text_file.h"
#include "tools/gnn-sample/parts/node_owners.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kRowNodes = 1500, kRowSize = 3;

/// Without edges; feature j of node v is a number of its own.
void write_graph(const std::string& path, bool bytes) {
  const std::vector<std::uint64_t> offsets(kRowNodes + 1);
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kRowNodes)},
                       {"graph.edges", "0"},
                       {"graph.directed", "true"}};
  auto& tensors = document.tensors;
  tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {0}, {}));
  if (bytes) {
    std::vector<std::int8_t> features(kRowNodes * kRowSize);
    for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<std::int8_t>(i * 7);
    std::vector<float> scales(kRowNodes);
    for (std::size_t v = 0; v < kRowNodes; ++v) scales[v] = static_cast<float>(v + 1);
    tensors.push_back(Tensor::copy_of<std::int8_t>("features", {kRowNodes, kRowSize}, features));
    tensors.push_back(Tensor::copy_of<float>("features.scale", {kRowNodes}, scales));
  } else {
    std::vector<float> features(kRowNodes * kRowSize);
    for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i);
    tensors.push_back(Tensor::copy_of<float>("features", {kRowNodes, kRowSize}, features));
  }
  write_document(path, document);
}

/// Nodes here and there, other ones for each rank and round.
std::vector<NodeId> some_nodes(int rank, std::size_t round) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < 200; ++i) {
    nodes.push_back(
        static_cast<NodeId>((i * 37 + round * 11 + static_cast<std::size_t>(rank)) % kRowNodes));
  }
  return nodes;
}

void check_rows(const FeatureView& found, const FeatureView& all, std::span<const NodeId> nodes) {
  REQUIRE(found.rows == nodes.size());
  bool same = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    same &= std::memcmp(found.row(i), all.row(nodes[i]), all.row_bytes()) == 0;
    same &= all.scales.empty() || found.scales[i] == all.scales[nodes[i]];
  }
  CHECK(same);
}

}  // namespace

TEST_CASE(
    "ranks bring each other the rows that neither part nor cache has, and count their bytes") {
  const TextFile file("", ".safetensors");
  for (const bool bytes : {false, true}) {
    write_graph(file.path(), bytes);
    const StoredGraph whole(file.path());
    for (const int n : {1, 2, 3}) {
      std::vector<RowCounts> counts(static_cast<std::size_t>(n));
      ThreadRanks(n).run([&](Communicator& ranks) {
        const StoredGraph graph(file.path(), Residence::automatic, FeaturePlace::in_file);
        const auto owners = even_owners(kRowNodes, static_cast<std::uint32_t>(n));
        const auto me = static_cast<std::uint32_t>(ranks.rank());
        std::vector<NodeId> cached;
        for (NodeId v = 0; v < kRowNodes; v += 5) {
          if (owners[v] != me) cached.push_back(v);
        }
        const KeptRows kept(graph, owners, me, cached);
        CHECK(kept.num_cached() == cached.size());
        GatheredRows rows;
        RowCounts& mine = counts[me];
        for (std::size_t round = 0; round < 3; ++round) {
          const bool idle = round == 1 && me == 0;  // has no mini-batch
          const std::vector<NodeId> nodes = some_nodes(ranks.rank(), round);
          FeatureView view;
          if (!idle) view = kept.gather(nodes, static_cast<std::uint32_t>(n), rows);
          mine += kept.fetch(ranks, idle ? nullptr : &rows);
          if (!idle) check_rows(view, *whole.features(), nodes);
        }
        CHECK(mine.own + mine.cached + mine.fetched == (me == 0 ? 400 : 600));
        const std::uint64_t sizes = 3 * 2 * 8 * static_cast<std::uint64_t>(n * (n - 1));
        CHECK(ranks.bytes_sent() == 4 * mine.fetched + kept.row_bytes() * mine.sent + sizes);
      });
      std::uint64_t fetched = 0, sent = 0, cached = 0;
      for (const RowCounts& c : counts) {
        fetched += c.fetched;
        sent += c.sent;
        cached += c.cached;
      }
      CHECK(fetched == sent);
      CHECK((cached > 0 && fetched > 0) == (n > 1));
    }
  }
}
