#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/metrics/classification.h"
#include "libcore/metrics/named_values.h"
#include "libcore/metrics/value_metrics.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Metrics of a model in its task.
struct TaskMetrics {
  NamedValues values;          ///< by name
  double score = 0;            ///< higher is better; chooses the best epoch
  double loss = 0;             ///< lower is better; breaks ties
  std::string baseline;        ///< result of predictions without learning; "" if unknown
  bool beats_baseline = true;  ///< the result is better; true if unknown
  /// The negatives of links in words if they were given, otherwise "".
  std::string ranked_among = {};
};

/// Metrics of how well scores separate links from negatives. Each link is ranked among negatives;
/// equal scores count half.
class LinkMetrics {
 public:
  /// The most numbers K of hits_at_K, which are 10, 20, 50 and 100.
  static constexpr std::size_t kMaxHits = 4;
  /// hits: how many of these values() has. hits_at_K is left out if a link has fewer than K
  /// negatives, among which it would always be counted.
  explicit LinkMetrics(std::size_t hits = 1) : num_hits_(hits) {}

  /// Adds a link and its own negatives, at least one. For the area under the ROC curve, average
  /// precision and the loss, the link is paired with the first of these.
  void add(float score, std::span<const float> negatives);
  /// Adds links that are all ranked among the same negatives, at least one. All of these count for
  /// the area under the ROC curve, average precision and the loss.
  void add_all(std::span<const float> links, std::span<const float> negatives);

  std::uint64_t links() const { return ranks_; }
  double mrr() const { return reciprocals_ / static_cast<double>(ranks_); }
  double auc() const { return binary_.auc(); }
  double loss() const { return binary_.log_loss(); }
  /// Mean over the links of the share of links among all with the same or a higher score.
  double average_precision() const;
  /// All metrics by name. The metrics require at least one link.
  NamedValues values() const;

 private:
  void add_pair(float score, bool is_link);
  void add_rank(double rank, std::size_t negatives);

  BinaryMetrics binary_;
  std::vector<std::pair<float, bool>> scores_;  ///< score, and true for a link
  std::size_t num_hits_;
  std::uint64_t ranks_ = 0;
  std::array<std::uint64_t, kMaxHits> hits_{};
  std::size_t fewest_negatives_ = ~std::size_t{0};
  double reciprocals_ = 0;
};

/// The class of most of these nodes; nothing if none has one, or if nodes have several labels or
/// numbers to predict.
std::optional<std::uint32_t> commonest_class(const NodeSet& set, std::span<const NodeId> nodes);

/// Metrics of how well outputs predict the labels of nodes. Nodes without a label do not count.
class NodeMetrics {
 public:
  /// Borrows the set, which must have labels, while nodes are added. scale: that of outputs, if
  /// labels are numbers to predict. commonest: the class that a prediction without learning gives,
  /// by default the commonest one of the nodes that are added.
  explicit NodeMetrics(const NodeSet& set, const ValueScale& scale = {},
                       std::optional<std::uint32_t> commonest = {});

  void add(NodeId node, std::span<const float> outputs);

  std::uint64_t nodes() const { return nodes_; }
  /// Share of nodes whose class has the largest output; micro-averaged F1 if nodes have several
  /// labels.
  double accuracy() const;
  /// Mean cross-entropy, or mean squared error of numbers in the unit of the scale.
  double loss() const { return of_values_ ? values_.loss() : loss_ / static_cast<double>(nodes_); }
  double macro_f1() const;
  /// accuracy() or, of numbers, r2(); higher is better.
  double score() const { return of_values_ ? values_.r2() : accuracy(); }
  /// Result of predictions without learning: the accuracy of the commonest class, or the error of
  /// the training nodes' mean; "" for several labels.
  std::string baseline() const;
  /// True if the result is better than baseline(), or perfect.
  bool beats_baseline() const;
  /// Area under the ROC curve, if there are two classes and nodes of both were added.
  std::optional<double> auc() const;
  /// All metrics that exist, by name.
  NamedValues values() const;

 private:
  void add_class(NodeId node, std::span<const float> outputs);
  void add_labels(NodeId node, std::span<const float> outputs);
  double commonest_share() const;
  std::uint64_t nodes_of_class(std::size_t actual) const;

  const NodeSet& set_;
  ValueMetrics values_;
  bool of_values_;
  bool several_;  ///< nodes have several labels
  std::optional<std::uint32_t> commonest_;
  Confusion confusion_;
  std::optional<BinaryMetrics> binary_;
  std::uint64_t nodes_ = 0;
  double loss_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;  ///< several labels: correct ones; wrong or missing ones
};

}  // namespace frugal::gnn
