#pragma once
#include <string>

#include "libcore/system/output_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/link_data.h"

namespace frugal::tgn {

/// Scores of a test, a line each: part, source and destination as the input calls them, time, label
/// and score, the probability.
class PredictionFile {
 public:
  /// data: outlives this. Nothing appears at `path` before commit().
  PredictionFile(const std::string& path, const LinkData& data);

  /// An event, label 1, and the destination that it is told apart from, label 0.
  void add_link(EventId event, float link, NodeId negative, float negative_logit);
  /// Whether the state of the source after the event is 1, with the label that the event has.
  void add_label(EventId event, float logit);
  void commit() { output_.commit(); }

 private:
  void add(EventId event, NodeId destination, int label, float logit);

  const LinkData& data_;
  NodeNaming naming_;
  OutputFile output_;
};

}  // namespace frugal::tgn
