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

/// Shares of a mini-batch's feature rows that are own, cached and fetched.
struct RowShares {
  double own = 0, cached = 0, fetched = 0;

  static RowShares of(const RowCounts& counts);
  /// Cache hit rate: share of cached rows among those that are not the rank's own; 1 if all are its
  /// own.
  double hits() const { return own == 1 ? 1 : cached / (cached + fetched); }
};

/// Assigns feature rows to ranks. With several ranks and parts, the graph must be opened with its
/// features in the file.
class FeatureParts {
 public:
  /// True if each rank keeps only a part of the features.
  static bool are_wanted(const FeaturePartsOptions& options, const Communicator& ranks) {
    return !options.parts.empty() && ranks.size() > 1;
  }
  /// graph: with all of its edges. Fails as read_owners(), and (usage) for features whose rows
  /// differ in size.
  FeatureParts(const FeaturePartsOptions& options, const StoredGraph& graph,
               const Communicator& ranks);

  /// Hash of the assignment, to detect ranks that disagree.
  const std::string& fingerprint() const { return fingerprint_; }
  /// Reads the rank's own rows, and caches those that are most probable in its mini-batches. Sets
  /// expected().
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
