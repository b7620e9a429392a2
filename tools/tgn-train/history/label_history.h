#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/history/time_scale.h"

namespace frugal::tgn {

/// Tallies of the labels of past events, for each node as source and as destination. A label counts
/// from the first later time on.
class LabelHistory {
 public:
  /// width: number of classes, and labels are numbers of these; or 1, and labels are numbers.
  /// ages: read() also writes ages of last labels, in this scale.
  explicit LabelHistory(std::size_t width, const std::optional<TimeScale>& ages = {})
      : width_(width), ages_(ages) {}

  static constexpr std::size_t kAgeKnots = 4;
  /// Numbers that read() writes.
  static std::size_t num_inputs(std::size_t width, bool ages) {
    return 4 * (ages ? (3 + kAgeKnots) * width + 2 : 3 * width + 1);
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
  /// Writes what a network reads of an event's nodes: of source and destination, in the role that
  /// they have and then in the other one, sums / (count + 1), last, recent, ln(count + 1). With
  /// ages also the age of the last label, a = ln(1 + s age) / ln(1 + s) with s = kStepsOfUnit, and
  /// last times each linear B-spline of a, with knots at 0, 1/3, 2/3 and 1 (a above 1 counts as 1).
  /// All of these are 0 without labels.
  void read(NodeId source, NodeId destination, float* out) const;

  /// Tensors label_history.*, of nodes below `num_nodes`.
  void save(Document& document, std::size_t num_nodes);
  /// Fails (bad_input) with `path` if they are missing or impossible. last_time: of the stream's
  /// last event, since its first one; no label can be later.
  void load(const Document& document, const std::string& path, std::size_t num_nodes,
            double last_time);

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::size_t row() const { return 3 * width_ + 1; }
  void count(NodeId node, Role role, float label);
  float age_of(NodeId node, Role role) const;
  bool is_label(float number) const;
  bool are_possible(std::span<const float> tallies, std::span<const double> times,
                    double time) const;

  std::size_t width_;
  std::vector<float> tallies_;  ///< [nodes, roles, count, sums, last, recent]
  std::optional<TimeScale> ages_;
  std::vector<double> times_;  ///< [nodes, roles] of last labels; empty without ages
  std::array<double, 1> time_{kNever};
  std::vector<NodeId> nodes_;  ///< source and destination of each label of the present time
  std::vector<float> labels_;
};

}  // namespace frugal::tgn
