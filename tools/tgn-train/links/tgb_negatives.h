#pragma once
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/negative_sampler.h"
#include "tools/tgn-train/links/link_data.h"

namespace frugal::tgn {

/// Negatives in a file of the Temporal Graph Benchmark: a Python pickle of a dict from (source,
/// destination, time) to the nodes to rank among. Nodes are numbered as py-tgb numbers them: by
/// first appearance or, with two kinds of numbers, destinations after the last source. `import`
/// numbers them in the same way.
class TgbNegatives : public NegativeSampler {
 public:
  /// Fails (bad_input) with the path if the file is no such pickle, lacks an event of the part, or
  /// has entries that are not events of it.
  TgbNegatives(const std::string& path, const LinkData& data, EventPart part);
  /// True for names of such files: *.pkl.
  static bool is_file(const std::string& path) { return path.ends_with(".pkl"); }
  /// Name of the file of validation beside a file of the test: val_ns for test_ns; "" if the name
  /// does not say, or if there is none.
  static std::string validation_file(const std::string& path);

  void draw(EventId event, std::vector<NodeId>& negatives) const override;

 private:
  EventId begin_;
  std::vector<std::size_t> rows_;  ///< [events of the part] row of each event
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> ends_;  ///< [rows] end of each row's nodes
};

}  // namespace frugal::tgn
