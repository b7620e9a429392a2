#include "libcore/metrics/result_fields.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "libcore/base/error.h"

using namespace frugal;

namespace {

struct GraphResult {
  int nodes = 0;
  std::optional<double> score;
  NamedValues metrics;
};

void describe(const ResultFields& f, const GraphResult& s) {
  f.add("nodes", s.nodes, "nodes of the graph");
  f.when("--parts", s.nodes > 1, [&](const ResultFields& parts) {
    parts.add("parts", s.nodes - 1, "number of parts");
    parts.when("a score", s.score, [](const ResultFields& scored, double score) {
      scored.add("score", score, "how good they are");
    });
  });
  f.add_metrics("test", s.metrics, {"auc", "hits_at_10", "average_precision_batch200"});
}

}  // namespace

TEST_CASE("one description gives the values of a result") {
  nlohmann::ordered_json json;
  describe(ResultFields(json), GraphResult{7, 0.5, {{"auc", 0.9}}});
  CHECK(json.dump() == R"({"nodes":7,"parts":6,"score":0.5,"test_auc":0.9})");
  json.clear();
  describe(ResultFields(json), GraphResult{1, 0.5, {}});
  CHECK(json.dump() == R"({"nodes":1})");
}

TEST_CASE("the same description gives all keys with meaning and case") {
  std::vector<ResultKey> keys;
  describe(ResultFields(keys), GraphResult{});
  std::string text;
  for (const ResultKey& key : keys) text += key.name + " (" + key.when + "): " + key.help + "\n";
  CHECK(text ==
        "nodes (): nodes of the graph\n"
        "parts (--parts): number of parts\n"
        "score (--parts; a score): how good they are\n"
        "test_auc (): area under the ROC curve\n"
        "test_hits_at_10 (): share of true links whose rank among their negatives is at most 10\n"
        "test_average_precision_batch200 (): mean of average_precision over batches of 200\n");
}

TEST_CASE("a metric that is not described, or has no meaning, is a fault of ours") {
  nlohmann::ordered_json json;
  CHECK_THROWS_AS(ResultFields(json).add_metrics("", {{"mrr", 1}}, {"auc"}), Error);
  std::vector<ResultKey> keys;
  CHECK_THROWS_AS(ResultFields(keys).add_metrics("", {}, {"beauty"}), Error);
}
