#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/tgn-train/evaluation/fixed_negatives.h"
#include "tools/tgn-train/link_evaluation.h"

namespace frugal {

/// What destinations are ranked among in tests.
struct RankOptions {
  std::string kind = "none";  ///< uniform, historical, all
  std::size_t count = 100;
  std::uint64_t seed = 0;
};

/// The samplers of validation and test, and what they look up. Outlives the ranks that it gives.
class RankSource {
 public:
  /// Fails (usage) for another kind.
  RankSource(const RankOptions& options, const LinkData& data);
  LinkRanks ranks() const { return {valid_.get(), test_.get()}; }

 private:
  std::unique_ptr<SourceEvents> events_;
  std::unique_ptr<NegativeSampler> valid_, test_;
};

}  // namespace frugal
