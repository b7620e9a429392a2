#include "tools/gnn-sample/tasks/link_task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/text_file.h"
#include "tests/tools/gnn-sample/inputs/small_graph.h"
#include "tools/gnn-sample/settings/train_options.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kLinkNodes = 60;

/// Each node and the 20 before and behind it, around a ring.
Document ring() {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  for (std::size_t v = 0; v < kLinkNodes; ++v) {
    for (std::size_t u = 0; u < kLinkNodes; ++u) {
      const std::size_t apart = (u + kLinkNodes - v) % kLinkNodes;
      if (apart != 0 && std::min(apart, kLinkNodes - apart) <= 20) {
        neighbors.push_back(static_cast<std::uint32_t>(u));
      }
    }
    offsets.push_back(neighbors.size());
  }
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kLinkNodes)},
                       {"graph.edges", std::to_string(neighbors.size())},
                       {"graph.directed", "false"}};
  document.tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  document.tensors.push_back(
      Tensor::copy_of<std::uint32_t>("neighbors", {neighbors.size()}, neighbors));
  return document;
}

}  // namespace

TEST_CASE("links are split by chance, both directions of an edge the same way") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), ring());
  const StoredGraph graph(file.path());
  const LinkRelation relation(graph);
  const LinkSplit split(0.4, 7), other(0.4, 8);
  const SplitLinks links(relation, split);
  const double all = kLinkNodes * 20;
  CHECK(links.train.size() + links.valid.size() + links.test.size() == kLinkNodes * 20);
  // Within four standard deviations.
  CHECK(std::abs(static_cast<double>(links.valid.size()) - 0.2 * all) < 4 * std::sqrt(0.16 * all));
  CHECK(std::abs(static_cast<double>(links.test.size()) - 0.2 * all) < 4 * std::sqrt(0.16 * all));
  std::size_t differ = 0;
  for (const Link& link : links.valid) {
    CHECK(split.part(relation.key(link.target, link.source)) == Part::valid);
    differ += other.part(relation.key(link.source, link.target)) != Part::valid ? 1 : 0;
  }
  CHECK(differ > links.valid.size() / 2);
  CHECK(SplitLinks(relation, LinkSplit(0, 7)).train.size() == kLinkNodes * 20);
}

TEST_CASE("files of held-out pairs have hashes of their own, also where no pair is an edge") {
  const StoredDocument file(ring());
  const auto fingerprint = [&](const std::string& pairs) {
    const TextFile held_out(pairs);
    StoredGraph graph = file.open();
    TrainOptions options;
    options.task = "links";
    options.batch_size = 10;
    if (!pairs.empty()) options.links.held_out_edges = held_out.path();
    const LinkTask task(graph, options);
    if (!pairs.empty()) CHECK(graph.num_edges() == kLinkNodes * 40);
    return task.fingerprint();
  };
  const std::string one = fingerprint("0,30,valid\n1,31,test\n");
  CHECK(one != fingerprint("0,30,valid\n1,32,test\n"));
  CHECK(one != fingerprint("0,30,test\n1,31,valid\n"));
  CHECK(one == fingerprint("source,target,part\n1,31,test\n0,30,valid\n"));
  CHECK(fingerprint("").empty());
}

TEST_CASE("links are ranked among their own negatives, equal scores half") {
  LinkMetrics metrics;
  metrics.add(2, std::array{1.0F, 3.0F, 0.0F});
  metrics.add(-1, std::array{-1.0F, -2.0F, -3.0F});
  std::vector<float> many(12, 5.0F);
  many[0] = -9;
  metrics.add(0, many);
  CHECK(metrics.links() == 3);
  CHECK(metrics.mrr() == doctest::Approx((1 / 2.0 + 1 / 1.5 + 1 / 12.0) / 3));
  // Scores 2, 0, -1 against 1, -1, -9.
  CHECK(metrics.auc() == doctest::Approx((3 + 2 + 1.5) / 9));
  CHECK(metrics.average_precision() == doctest::Approx((1 + 2 / 3.0 + 3 / 5.0) / 3));
  const double loss =
      (std::log1p(std::exp(-2.0)) + std::log(2) + std::log1p(std::exp(1.0)) +
       std::log1p(std::exp(1.0)) + std::log1p(std::exp(-1.0)) + std::log1p(std::exp(-9.0))) /
      6;
  CHECK(metrics.loss() == doctest::Approx(loss));
  // The hits at 10 say nothing of links with three negatives.
  CHECK(metrics.values().size() == 4);
}

TEST_CASE("a score that is no number ranks last") {
  LinkMetrics metrics;
  metrics.add(std::nanf(""), std::vector<float>(99, -1.0F));
  CHECK(metrics.mrr() == doctest::Approx(0.01));
  CHECK(metrics.values()[1] == std::pair<std::string, double>("hits_at_10", 0));
  // With nine of 99 before it a link is one of the first ten, with ten it is not.
  std::vector<float> negatives(99, -1.0F);
  std::fill_n(negatives.begin(), 9, 1.0F);
  metrics.add(0, negatives);
  CHECK(metrics.values()[1].second == 0.5);
  negatives[9] = 1;
  metrics.add(0, negatives);
  CHECK(metrics.values()[1].second == doctest::Approx(1 / 3.0));
}
