#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/tasks/link_ranking.h"
#include "tools/gnn-sample/tasks/link_relation.h"
#include "tools/gnn-sample/tasks/link_split.h"

namespace frugal::gnn {

struct TrainOptions;

/// The links of a relation to learn from, and those to hold out. Borrows the graph and the options.
class LinkGoal {
 public:
  /// Fails (bad_input) as LinkSplit::read(), if no edges are left to train on, and if there is no
  /// node for a negative. Fails (usage) for other methods of sampling than uniform, and for too
  /// many seeds in a mini-batch.
  LinkGoal(const LinkRelation& relation, const TrainOptions& options);

  const LinkRelation& relation() const { return relation_; }
  const std::vector<Link>& links(Part part) const {
    return part == Part::train ? links_.train : part == Part::valid ? links_.valid : links_.test;
  }
  /// True unless the edge is held out.
  bool is_kept(NodeId source, NodeId target) const {
    return (relation_.one_type() && source == target) ||
           split_.part(relation_.key(source, target)) == Part::train;
  }
  /// Writes the held-out links if the options ask for it.
  void write() const;
  /// Hash of the held-out links and their negatives if they were read from a file, else "".
  std::string fingerprint() const;
  bool was_read() const { return split_.is_read(); }

  NegativeLinkOptions negatives() const;
  /// Largest number of seeds of a mini-batch, of a type.
  std::uint32_t max_seeds() const;
  /// The training links as mini-batches take them.
  LinkList training_list() const;
  /// How held-out links of a part are ranked; all of them if they were read.
  LinkRanking ranking(Part part) const;

 private:
  void check() const;
  void say_negatives() const;
  bool is_given(Part part) const { return !split_.negatives(part).pairs.empty(); }

  LinkRelation relation_;
  const TrainOptions& options_;
  LinkSplit split_;
  SplitLinks links_;
};

}  // namespace frugal::gnn
