#include "tools/tgn-train/links/given_negatives.h"

#include <algorithm>
#include <memory>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/tgn-train/evaluation/pair_negatives.h"
#include "tools/tgn-train/links/rank_source.h"

namespace frugal::tgn {

GivenNegative given_negatives(const std::string& kind, const LinkData& data, std::uint64_t seed) {
  if (kind == "uniform") return nullptr;
  if (kind == "historical" || kind == "inductive") {
    const auto events = std::make_shared<SourceEvents>(data.events());
    const PairNegatives negatives(
        *events, data.split().end(EventPart::train),
        kind == "historical" ? PairNegatives::Kind::historical : PairNegatives::Kind::inductive,
        seed);
    return [events, negatives](EventId event) { return negatives.draw(event); };
  }
  const std::vector<std::string> words = {"uniform", "historical", "inductive"};
  if (kind.find_first_of("./") == std::string::npos) {
    fail(ExitStatus::usage, "--negatives ", printable(kind), ": expected one of ", joined(words),
         " or a file, .npy, .npz, .pkl or tensors", did_you_mean(kind, words));
  }
  const auto file = std::make_shared<RankSource>(RankOptions{kind, 1, seed}, data);
  const EventId test = data.split().begin(EventPart::test);
  return [file, test](EventId event) -> std::optional<NodeId> {
    const NegativeSampler* const part = event < test ? file->ranks().valid : file->ranks().test;
    std::vector<NodeId> nodes;
    if (part != nullptr) part->draw(event, nodes);
    return nodes.empty() ? std::nullopt : std::optional<NodeId>(nodes.front());
  };
}

}  // namespace frugal::tgn
