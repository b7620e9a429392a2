#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/data/event_stream.h"

namespace frugal::tgn {

/// How a stream's events become label vectors.
struct LabelVectorOptions {
  double every = 0;  ///< length of a period, in the unit of the times; 0: each time is a period
  /// Feature of the events that is their weight: its name or its number from 1 on. auto: a feature
  /// called weight, or the like; without one, each event counts 1.
  std::string weight = "auto";
  /// Model that the options are of, for errors; empty: options of the command line.
  std::string model = {};
};

/// Label vectors of the nodes of a stream: for each period and each source that has events in it,
/// the sum of its events' weights by class. A class is a destination. This is the node affinity
/// task of the Temporal Graph Benchmark (Huang et al., NeurIPS 2023). Periods without events do not
/// count, except in when().
class LabelVectors {
 public:
  /// Fails (bad_input) with the stream's path and event for a weight below 0 and for a total above
  /// the highest f32, and if there are no weights above 0; (usage; bad_input with a model's
  /// options) for a feature that does not exist.
  LabelVectors(const EventStream& stream, const LabelVectorOptions& options);

  std::size_t size() const { return nodes_.size(); }
  std::size_t num_nodes() const { return num_nodes_; }
  std::size_t num_classes() const { return num_classes_; }
  std::size_t num_periods() const { return whens_.size(); }
  /// Name of the feature that is the weight, its number where that is no option, or none.
  const std::string& weight() const { return weight_; }
  /// Node that is the class `c`.
  NodeId node_of_class(std::uint32_t c) const { return first_class_ + c; }

  NodeId node(std::size_t vector) const { return nodes_[vector]; }
  std::uint32_t period(std::size_t vector) const { return periods_[vector]; }
  /// Classes of a vector, ascending, and their weights, which are above 0.
  std::span<const std::uint32_t> classes(std::size_t vector) const {
    return std::span(classes_).subspan(offsets_[vector], offsets_[vector + 1] - offsets_[vector]);
  }
  std::span<const float> weights(std::size_t vector) const {
    return std::span(weights_).subspan(offsets_[vector], offsets_[vector + 1] - offsets_[vector]);
  }
  /// Sum of a vector's weights.
  float total(std::size_t vector) const { return totals_[vector]; }

  /// First vector of a period; size() for num_periods(). Vectors are in the order of their periods.
  std::size_t begin(std::uint32_t period) const { return begins_[period]; }
  /// Number of a period among all, also those without events; with every = 0, its place.
  std::int64_t when(std::uint32_t period) const { return whens_[period]; }
  /// Time at which a period begins.
  double time(std::uint32_t period) const { return times_[period]; }
  /// First period that begins at or after a time; num_periods() if none does.
  std::uint32_t first_from(double time) const;

 private:
  struct Entry;
  void add_period(const std::string& path, std::vector<Entry>& entries, std::int64_t when,
                  double time);

  std::string weight_;
  std::size_t num_nodes_ = 0, num_classes_ = 0;
  NodeId first_class_ = 0;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> periods_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> classes_;
  std::vector<float> weights_, totals_;
  std::vector<std::size_t> begins_{0};  ///< [periods + 1]
  std::vector<std::int64_t> whens_;
  std::vector<double> times_;
};

}  // namespace frugal::tgn
