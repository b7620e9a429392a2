#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/event_formats.h"
#include "tools/tgn-train/history/pair_labels.h"
#include "tools/tgn-train/history/time_scale.h"

namespace frugal::tgn {

/// Largest label of the type numbers, in deviations from the mean. Larger ones could leave the
/// range of float in squares and sums.
inline constexpr float kMostDeviations = 1e15F;

/// Tallies of the labels of past events, for each node as source and as destination, and for each
/// pair of both. A label counts from the first later time on.
class LabelHistory {
 public:
  /// width: number of classes, and labels are numbers of these; or 1, for labels of another type.
  /// ages: read() also writes ages of last labels, in this scale. pairs: false for a history of
  /// which only of() and expected() are called, so that it stores nothing of pairs.
  explicit LabelHistory(LabelType type, std::size_t width = 1,
                        const std::optional<TimeScale>& ages = {}, bool pairs = true)
      : type_(type), width_(width), ages_(ages), counts_pairs_(pairs), totals_(1 + width) {}

  static constexpr std::size_t kAgeKnots = 4;
  /// Numbers that read() writes.
  static std::size_t num_inputs(LabelType type, std::size_t width, bool ages) {
    const std::size_t last = last_inputs(width, ages);
    return 4 * (2 * width + last) + 2 * last + (type == LabelType::classes ? 0 : 1);
  }

  enum Role : std::size_t { as_source, as_destination };
  /// Labels of a node in one role: their number, the sums, [width], of ones for classes or of the
  /// numbers, the last label, and the recent mean: 0.8 of the one before it and 0.2 of this.
  struct Tally {
    float count = 0;
    std::span<const float> sums, last, recent;
  };

  /// Fails (unavailable) if tallies of so many nodes do not fit into memory.
  void check_room(std::size_t num_nodes) const;
  /// Raises the number of nodes to `num_nodes`. Fails (unavailable) as check_room().
  void grow(std::size_t num_nodes);
  /// Goes on to a time, which must not fall.
  void go_to(double time);
  /// Adds the label of an event at the present time; NaN: none.
  void add(NodeId source, NodeId destination, float label);
  Tally of(NodeId node, Role role) const;
  /// Writes what the tallies of both nodes in their roles say together, [width].
  ///
  ///     numbers    m + b + c. m is the mean of all labels.
  ///                b sums y - m - c over the source's labels y, and is divided by
  ///                their number plus 2. c sums y - m - b over the destination's
  ///                likewise. Within the sums m, b and c are those when y was counted.
  ///     classes    ln(p q / r) of each class, as in naive Bayes. r is its share of all
  ///                labels and one more of each class. p and q are its shares of the
  ///                source's and of the destination's labels, after 2 r were added.
  ///     binary     ln(p q / r) of label 1 minus that of label 0.
  void expected(NodeId source, NodeId destination, float* out) const;
  /// Writes what a network reads of an event's nodes: of source and destination, in the role that
  /// they have and then in the other one, sums / (count + 1), recent, last, ln(count + 1). With
  /// ages also the age of the last label, a = ln(1 + s age) / ln(1 + s) with s = kStepsOfUnit, and
  /// last times each linear B-spline of a, with knots at 0, 1/3, 2/3 and 1 (a above 1 counts as 1).
  /// Then come last, ln(count + 1), age and products of the events from source to destination, and
  /// of those from destination to source. All of these are 0 without labels. The last number is
  /// expected(), unless labels are classes.
  void read(NodeId source, NodeId destination, float* out) const;

  /// Tensors label_history.*, of nodes below `num_nodes`.
  void save(Document& document, std::size_t num_nodes);
  /// Fails (bad_input) with `path` if they are missing or impossible. last_time: of the stream's
  /// last event, since its first one; no label can be later.
  void load(const Document& document, const std::string& path, std::size_t num_nodes,
            double last_time);

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  static std::size_t last_inputs(std::size_t width, bool ages) {
    return ages ? (1 + kAgeKnots) * width + 2 : width + 1;
  }
  std::size_t row() const { return 3 * width_ + (type_ == LabelType::numbers ? 2 : 1); }
  void count(NodeId source, NodeId destination, float label);
  void count(NodeId node, Role role, float label, float residual);
  float offset(NodeId node, Role role) const;
  float mean() const { return static_cast<float>(totals_[1] / std::max(1.0, totals_[0])); }
  float* write_last(std::span<const float> last, float count, double time, float* out) const;
  bool is_label(float number) const;
  bool is_possible(std::span<const float> tally) const;
  /// A class counts 1 at its place; other labels are themselves.
  std::size_t place_of(float label) const {
    return width_ == 1 ? 0 : static_cast<std::size_t>(label);
  }
  float value_of(float label) const { return width_ == 1 ? label : 1; }
  bool are_possible(std::span<const float> tallies, std::span<const double> times,
                    double time) const;
  bool are_possible(std::span<const double> totals) const;

  LabelType type_;
  std::size_t width_;
  /// [nodes, roles, count, sums, last, recent, and of numbers the sum of residuals]
  std::vector<float> tallies_;
  std::optional<TimeScale> ages_;
  bool counts_pairs_;
  PairLabels pairs_;
  std::vector<double> totals_;  ///< [1 + width] number and sums of all labels
  std::vector<double> times_;   ///< [nodes, roles] of last labels; empty without ages
  std::array<double, 1> time_{kNever};
  std::vector<NodeId> nodes_;  ///< source and destination of each label of the present time
  std::vector<float> labels_;
};

}  // namespace frugal::tgn
