#pragma once
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/negative_sampler.h"

namespace frugal::tgn {

/// Negatives that somebody else drew, say those of the Temporal Graph Benchmark.
class FixedNegatives : public NegativeSampler {
 public:
  /// Whose events the rows of a file are.
  struct Part {
    std::string name;  ///< of the tensor, in files with several
    EventId begin = 0, end = 0;
  };

  /// An array of whole numbers, [events of the part, negatives], nodes as the stream numbers them:
  /// the one of an .npy file, or that of the part's name in an .npz or tensor file. Rows end with
  /// -1 where an event has fewer negatives. Fails (bad_input) with what the file has and what is
  /// expected.
  FixedNegatives(const std::string& path, const Part& part, std::size_t num_nodes);
  /// Whether the file has an array for the part; an .npy file has that of the test.
  static bool has(const std::string& path, const std::string& part);

  void draw(EventId event, std::vector<NodeId>& negatives) const override;

 private:
  EventId begin_;
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> ends_;  ///< [events] where an event's nodes end
};

}  // namespace frugal::tgn
