#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/parts/kept_rows.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// Shares of the feature rows of a mini-batch.
struct RowShares {
  double own = 0, cached = 0, fetched = 0;

  static RowShares of(const RowCounts& counts);
  /// Of the rows that are not the rank's own, those in the cache; 1 where there are no such rows.
  double hits() const { return own == 1 ? 1 : cached / (cached + fetched); }
};

/// Which rank has which features. Where there are several ranks and parts, the graph is to be
/// opened with its features in the file.
class FeatureParts {
 public:
  /// Whether each of the ranks keeps a part of the features alone.
  static bool are_wanted(const FeaturePartsOptions& options, const Communicator& ranks) {
    return !options.parts.empty() && ranks.size() > 1;
  }
  /// Of a graph with all its edges. Fails as read_owners(), and (usage) for features that have no
  /// rows of one size.
  FeatureParts(const FeaturePartsOptions& options, const StoredGraph& graph,
               const Communicator& ranks);

  /// For messages of ranks that do not agree.
  const std::string& fingerprint() const { return fingerprint_; }
  /// Reads the own rows and those that are most probable in a mini-batch. The shares that are to be
  /// expected are then known.
  KeptRows load(const StoredGraph& graph, const std::vector<float>& probabilities);
  const RowShares& expected() const { return expected_; }

 private:
  double cache_;
  std::uint32_t me_;
  std::vector<std::uint32_t> owners_;
  std::string fingerprint_;
  RowShares expected_;
};

}  // namespace frugal::gnn
