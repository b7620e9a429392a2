#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/negative_sampler.h"
#include "tools/tgn-train/links/link_evaluation.h"

namespace frugal::tgn {

/// Negatives that somebody else drew, say those of the Temporal Graph Benchmark.
class FixedNegatives : public NegativeSampler {
 public:
  /// Whose events the rows of a file are.
  struct Part {
    std::string name;  ///< of the tensor, in files with several
    EventId begin = 0, end = 0;
    std::int64_t first_id = 0;    ///< the lowest, where nodes are called by numbers from it on
    std::size_t num_sources = 0;  ///< where destinations have ids of their own from 0 on, else 0
  };

  /// An array of whole numbers, [events of the part, negatives], nodes as the input of the
  /// stream calls them; destinations with ids of their own may go by numbers behind the sources',
  /// too, as benchmarks have them. The one of an .npy file, or that of the part's name in an .npz
  /// or tensor file. Rows end with -1 where an event has fewer negatives. Fails (bad_input) with
  /// what the file has and what is expected.
  FixedNegatives(const std::string& path, const Part& part, std::size_t num_nodes);
  /// Whether the file has an array for the part; an .npy file has that of the test.
  static bool has(const std::string& path, const std::string& part);

  void draw(EventId event, std::vector<NodeId>& negatives) const override;

 private:
  EventId begin_;
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> ends_;  ///< [events] where an event's nodes end
};

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
