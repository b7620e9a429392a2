#include "tools/tgn-train/serve/rank_scores.h"

#include <algorithm>
#include <limits>

#include "libcore/base/error.h"
#include "tools/tgn-train/data/live_nodes.h"

namespace frugal::tgn {

void RankScores::add(EventId event, std::span<const float> logits) {
  const bool tests = event >= data_.split().begin(EventPart::test);
  (tests ? ranks_.test : ranks_.valid)->draw(event, drawn_);
  if (logits.size() != drawn_.size() + 2) {
    fail(ExitStatus::usage, "--rank-scores needs the logits of all ", drawn_.size(),
         " nodes that an event is ranked among, expected --shortlist ", drawn_.size(), " or more");
  }
  Part& part = parts_[tests ? 1 : 0];
  part.nodes.insert(part.nodes.end(), drawn_.begin(), drawn_.end());
  part.logits.push_back(logits[0]);
  part.logits.insert(part.logits.end(), logits.begin() + 2, logits.end());
  part.ends.push_back(part.nodes.size());
}

Document RankScores::document() const {
  const std::int64_t first_id = naming_of(data_.stream()).first_id;
  Document document;
  for (const Part& part : parts_) {
    const std::size_t events = part.ends.size();
    if (events == 0) continue;
    std::size_t most = 1;
    for (std::size_t e = 0; e < events; ++e) {
      most = std::max(most, part.ends[e] - (e == 0 ? 0 : part.ends[e - 1]));
    }
    std::vector<std::int64_t> nodes(events * most, -1);
    std::vector<float> logits(events * (most + 1), -std::numeric_limits<float>::infinity());
    for (std::size_t e = 0; e < events; ++e) {
      const std::size_t begin = e == 0 ? 0 : part.ends[e - 1], count = part.ends[e] - begin;
      for (std::size_t i = 0; i < count; ++i) {
        nodes[e * most + i] = part.nodes[begin + i] + first_id;
      }
      std::copy_n(part.logits.data() + begin + e, count + 1, logits.data() + e * (most + 1));
    }
    const std::string name = &part == parts_ ? "valid" : "test";
    document.tensors.push_back(Tensor::copy_of<std::int64_t>(name, {events, most}, nodes));
    document.tensors.push_back(
        Tensor::copy_of<float>(name + ".logits", {events, most + 1}, logits));
  }
  return document;
}

}  // namespace frugal::tgn
