#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/affinity/label_vectors.h"

namespace frugal::tgn {

/// Kinds of forecasts of a node's next label vector by an average of earlier ones. All vectors are
/// scaled to the sum 1 first, except for activity.
enum class AverageFamily : std::uint8_t {
  last,            ///< the node's last vector
  moving_average,  ///< mean of its last vectors, as many as the setting says
  mean,            ///< mean of all its vectors
  ema,             ///< exponential moving average; setting: weight of the last vector
  activity,        ///< sum of square roots of weights; setting: factor of it at the next vector
  global,          ///< exponential moving average over the vectors of all nodes
  previous,        ///< mean of all nodes' vectors in the period before
};
inline constexpr std::size_t kAverageFamilies = 7;

/// One of the forecasts.
struct Average {
  AverageFamily family = AverageFamily::last;
  std::size_t setting = 0;  ///< index among the settings of the family

  std::string name() const;  ///< e.g. "ema_0.2"
  bool operator==(const Average&) const = default;
};
/// All of them, those of a family one after another.
std::span<const Average> all_averages();

/// Facts about a node that decide how its averages are mixed: logarithms of its vectors so far, the
/// periods since the last one and the sum of that one's weights, and shares of the classes of the
/// last and of all its vectors.
inline constexpr std::size_t kNodeFacts = 5;
using NodeFacts = std::array<float, kNodeFacts>;

/// The classes that a node had so far, and its averages of these, each with the sum 1.
struct NodeAverages {
  std::vector<std::uint32_t> classes;  ///< ascending
  std::vector<float> values;           ///< [classes, averages asked for]
};

/// Averages of the label vectors of each node, which know strictly earlier periods. Memory: 44
/// bytes for each class of each node.
class AverageHistory {
 public:
  /// vectors: outlives the history.
  explicit AverageHistory(const LabelVectors& vectors);

  /// Adds all vectors of the next period.
  void learn();
  /// The period that is to be forecast: number of calls of learn().
  std::uint32_t period() const { return period_; }

  bool knows(NodeId node) const { return nodes_[node].vectors > 0; }
  /// Adds `factor` times an average of the node to the scores, [classes].
  void add(const Average& average, NodeId node, float factor, std::span<float> scores) const;
  /// Computes several of the node's own averages: of families before global.
  void read(std::span<const Average> averages, NodeId node, NodeAverages& out) const;
  /// An average over all nodes, [classes]: of the families global and previous.
  std::vector<float> shared(const Average& average) const;
  /// Facts for a forecast of the period numbered `when` (LabelVectors::when()).
  NodeFacts facts(NodeId node, std::int64_t when) const;

 private:
  struct Node {
    std::vector<std::uint32_t> classes;  ///< ascending
    std::vector<float> values;           ///< [classes, kSums]
    std::vector<std::uint32_t> recent;   ///< numbers of its last vectors
    std::uint32_t vectors = 0;
    std::int64_t when = 0;
  };
  void extend(Node& node, std::span<const std::uint32_t> classes) const;
  void learn(std::size_t vector);
  /// Calls add(class, value) for each value of an average of a node, scaled to the sum 1.
  template <class Add>
  void each(const Average& average, const Node& node, const Add& add) const;

  const LabelVectors& vectors_;
  std::uint32_t period_ = 0;
  std::vector<Node> nodes_;
  /// [settings] averages of all nodes, [classes], once they are multiplied by their factors.
  std::vector<std::vector<float>> global_;
  std::vector<double> global_factors_;
  std::vector<float> previous_;  ///< [classes]
};

}  // namespace frugal::tgn
