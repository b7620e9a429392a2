#pragma once
#include <array>
#include <optional>

#include "tools/gnn-sample/tasks/link_ranking.h"
#include "tools/gnn-sample/tasks/link_relation.h"

namespace frugal::gnn {

/// Rankings of held-out links by the training edges alone, beside which a model is judged: by the
/// popularity of targets and, between nodes of one type, by their common neighbours (AdamicAdar).
class LinkHeuristics {
 public:
  /// Borrows the relation, without its held-out edges.
  explicit LinkHeuristics(const LinkRelation& relation) : relation_(relation) {}

  /// Adds popularity_mrr and adamic_adar_mrr to the result of a part, and the baseline: the better
  /// one, or a random order if that is better still. Ranks once for each part.
  void add_to(TaskMetrics& result, Part part, const LinkRanking& ranking) const;

 private:
  struct Ranks {
    double popularity = 0, chance = 0;
    std::optional<double> adamic_adar;
  };
  Ranks rank(const LinkRanking& ranking) const;

  const LinkRelation& relation_;
  mutable std::array<std::optional<Ranks>, 2> ranks_;  ///< of validation and test
};

}  // namespace frugal::gnn
