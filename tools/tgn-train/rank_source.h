#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/tgn-train/evaluation/fixed_negatives.h"
#include "tools/tgn-train/link_evaluation.h"

namespace frugal::tgn {

/// What destinations are ranked among in tests.
struct RankOptions {
  /// uniform, historical, all, or a file of FixedNegatives, whose parts are "valid" and "test".
  std::string kind = "none";
  std::size_t count = 100;
  std::uint64_t seed = 0;
};

/// Whether that kind is a file. Fails (usage) for what is neither a word nor a file's name.
bool names_rank_file(const std::string& kind);

/// The samplers of validation and test, and what they look up. Outlives the ranks that it gives.
class RankSource {
 public:
  RankSource(const RankOptions& options, const LinkData& data);
  LinkRanks ranks() const { return {valid_.get(), test_.get()}; }

 private:
  void draw(const RankOptions& options, const LinkData& data, NegativeKind kind);
  void read(const std::string& path, const LinkData& data);

  std::unique_ptr<SourceEvents> events_;
  std::unique_ptr<NegativeSampler> valid_, test_;
};

}  // namespace frugal::tgn
