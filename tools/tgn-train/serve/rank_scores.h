#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/links/link_evaluation.h"

namespace frugal::tgn {

/// The nodes that events are ranked among and their logits, for other programs' evaluators.
class RankScores {
 public:
  /// Both must outlive it.
  RankScores(const LinkData& data, const LinkRanks& ranks) : data_(data), ranks_(ranks) {}

  /// Adds the next event of a part. logits: of its destination, its negative and the nodes to rank
  /// among. Fails (usage) if not all of these have one.
  void add(EventId event, std::span<const float> logits);
  /// For each part with ranks (valid, test) two tensors: NAME, I64 [events, most nodes], the nodes
  /// as `eval --ranks FILE` reads them, filled up with -1; and NAME.logits, F32 [events, 1 + most
  /// nodes], that of the destination first, filled up with minus infinity.
  Document document() const;

 private:
  struct Part {
    std::vector<NodeId> nodes;
    std::vector<float> logits;
    std::vector<std::size_t> ends;  ///< [events] end of each event's nodes
  };
  const LinkData& data_;
  LinkRanks ranks_;
  Part parts_[2];  ///< validation, test
  std::vector<NodeId> drawn_;
};

}  // namespace frugal::tgn
