#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/negative_sampler.h"
#include "tools/tgn-train/links/link_evaluation.h"

namespace frugal::tgn {

/// Negatives read from a file, for example those of the Temporal Graph Benchmark.
class FixedNegatives : public NegativeSampler {
 public:
  /// The events that the rows of a file belong to.
  struct Part {
    std::string name;  ///< name of the tensor, in files with several
    EventId begin = 0, end = 0;
    std::int64_t first_id = 0;  ///< id of the first node, if ids are consecutive numbers
    /// number of sources if destinations have their own ids from 0 on, else 0
    std::size_t num_sources = 0;
  };

  /// Reads an integer array, [events of the part, negatives], of nodes by their ids in the stream's
  /// input. Destinations with their own ids may also be numbered after the sources, as in
  /// benchmarks. The file is .npy, or .npz or tensors with an array named like the part. A row ends
  /// with -1 if its event has fewer negatives. Fails (bad_input) with what the file has and what is
  /// expected.
  FixedNegatives(const std::string& path, const Part& part, std::size_t num_nodes);
  /// True if the file has an array for the part. An .npy file has the one of the test.
  static bool has(const std::string& path, const std::string& part);

  void draw(EventId event, std::vector<NodeId>& negatives) const override;

 private:
  EventId begin_;
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> ends_;  ///< [events] end of each event's nodes
};

/// Options of the destinations that a test ranks each event among.
struct RankOptions {
  /// none, uniform, historical, all, unseen, or a file of FixedNegatives with parts "valid" (or
  /// "val") and "test".
  std::string kind = "none";
  std::size_t count = 100;
  std::uint64_t seed = 0;
};

/// True if the kind is a file. Fails (usage) if it is neither a known word nor looks like a file
/// name.
bool names_rank_file(const std::string& kind);

/// The negative samplers of validation and test, with their data. Must outlive what ranks()
/// returns.
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
