#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "tests/support/text_file.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// A graph of five nodes without edges, whose labels are `classes` or rows of `matrix`.
class Labelled {
 public:
  Labelled(std::vector<std::int32_t> classes, std::vector<std::uint8_t> matrix,
           std::size_t num_classes, std::vector<float> values = {})
      : file_("", ".safetensors") {
    const std::vector<EdgeId> offsets(6, 0);
    GraphContent content;
    content.nodes.resize(1);
    content.nodes[0].size = 5;
    content.nodes[0].labels = classes;
    content.nodes[0].label_matrix = matrix;
    content.nodes[0].num_classes = num_classes;
    content.nodes[0].values = values;
    content.edges.resize(1);
    content.edges[0].csr = {offsets, {}};
    save_graph(file_.path(), content);
    graph_.emplace(file_.path());
  }

  NodeMetrics add(const std::vector<std::vector<float>>& outputs, ValueScale scale = {}) const {
    NodeMetrics metrics(graph_->content().node_set(), scale);
    for (std::size_t v = 0; v < outputs.size(); ++v) {
      metrics.add(static_cast<NodeId>(v), outputs[v]);
    }
    return metrics;
  }
  std::map<std::string, double> metrics(const std::vector<std::vector<float>>& outputs,
                                        ValueScale scale = {}) const {
    const NodeMetrics metrics = add(outputs, scale);
    std::map<std::string, double> values{{"nodes", static_cast<double>(metrics.nodes())}};
    for (const auto& [name, value] : metrics.values()) values[name] = value;
    return values;
  }

 private:
  TextFile file_;
  std::optional<StoredGraph> graph_;
};

}  // namespace

TEST_CASE("two classes have an area under the curve, which goes by the difference of outputs") {
  const Labelled graph({1, 0, 1, 0, -1}, {}, 2);
  // Differences 2, 1, 0.5, -1: of the four pairs one is in the wrong order.
  const auto m = graph.metrics({{5, 7}, {0, 1}, {3, 3.5F}, {1, 0}, {9, 0}});
  CHECK(m.at("nodes") == 4);
  CHECK(m.at("auc") == doctest::Approx(0.75));
  CHECK(m.at("accuracy") == doctest::Approx(0.75));
  const double loss = std::log1p(std::exp(-2.0)) + std::log1p(std::exp(1.0)) +
                      std::log1p(std::exp(-0.5)) + std::log1p(std::exp(-1.0));
  CHECK(m.at("log_loss") == doctest::Approx(loss / 4));
  const Labelled three({1, 0, 2, 0, -1}, {}, 3);
  CHECK(three.metrics({{0, 1, 0}}).count("auc") == 0);
}

TEST_CASE("several labels a node count hits, misses and false alarms of all together") {
  const Labelled graph({}, {1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1}, 3);
  // Hits 1, 0, 0, 2: a miss, a miss and a false alarm, nothing, a miss.
  const auto m = graph.metrics({{1, -1, -1}, {2, -1, -1}, {-1, -1, -1}, {1, 1, -1}});
  CHECK(m.at("nodes") == 4);
  CHECK(m.at("micro_f1") == doctest::Approx(2.0 * 3 / (2.0 * 3 + 4)));
  CHECK(m.count("accuracy") == 0);
  const double near = std::log1p(std::exp(-1.0)), off = near + 1;
  const double loss = (2 * near + off) + (std::log1p(std::exp(-2.0)) + 2 + off + near) + 3 * near +
                      (2 * near + off);
  CHECK(m.at("log_loss") == doctest::Approx(loss / 12));
  CHECK(graph.metrics({{-1, -1, -1}}).at("micro_f1") == 0);
}

TEST_CASE("numbers have errors in their own unit, and the share of their variance") {
  const Labelled graph({}, {}, 0, {10, 14, std::nanf(""), 6, 18});
  const ValueScale scale{8, 2};
  // Predicted are 11, 12, 100, 8 and 18; the mean of the four is 12.
  const std::vector<std::vector<float>> outputs = {{1.5F}, {2}, {46}, {0}, {5}};
  const auto m = graph.metrics(outputs, scale);
  CHECK(m.at("nodes") == 4);
  CHECK(m.at("rmse") == doctest::Approx(std::sqrt((1 + 4 + 4 + 0) / 4.0)));
  CHECK(m.at("mae") == doctest::Approx((1 + 2 + 2 + 0) / 4.0));
  CHECK(m.at("r2") == doctest::Approx(1 - 9.0 / (4 + 4 + 36 + 36)));
  CHECK(!m.contains("accuracy"));
  const NodeMetrics good = graph.add(outputs, scale);
  CHECK(good.loss() == doctest::Approx(9.0 / 4 / 4));
  // The training nodes' mean is 8, and the errors of it 2, 6, -2 and 10.
  CHECK(good.baseline() == "rmse 6");
  CHECK(good.beats_baseline());
  CHECK(!graph.add({{0}, {0}, {0}, {0}, {0}}, scale).beats_baseline());
}

TEST_CASE("a model that gives all nodes the commonest class does not beat the baseline") {
  const Labelled graph({1, 1, 1, 0, -1}, {}, 2);
  CHECK(!graph.add({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}}).beats_baseline());
  CHECK(graph.add({{0, 1}, {0, 1}, {0, 1}, {1, 0}, {0, 1}}).beats_baseline());
}

TEST_CASE("a perfect result beats the baseline, even where that is perfect, too") {
  const Labelled graph({1, 1, 1, 1, -1}, {}, 2);
  const std::vector<std::vector<float>> right(5, {0, 1});
  CHECK(graph.add(right).beats_baseline());
  CHECK(!graph.add({{0, 1}, {0, 1}, {0, 1}, {1, 0}, {0, 1}}).beats_baseline());
  const Labelled numbers({}, {}, 0, {8, 8, 8, 8, 8});
  CHECK(numbers.add({{0}, {0}, {0}, {0}, {0}}, {8, 2}).beats_baseline());
  CHECK(!numbers.add({{0}, {0}, {0}, {0}, {1}}, {8, 2}).beats_baseline());
}

TEST_CASE("nodes of one class have no area under the curve") {
  const Labelled graph({1, 1, 1, 0, -1}, {}, 2);
  const std::vector<std::vector<float>> outputs(3, {0, 1});
  CHECK(!graph.add(outputs).auc());
  CHECK(graph.metrics(outputs).count("auc") == 0);
}
