#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"
#include "tools/gnn-sample/tasks/link_relation.h"

namespace frugal::gnn {

/// Pairs that held-out links of a part are ranked among, as a file gives them.
struct GivenNegatives {
  /// True if all links are ranked among all pairs, otherwise each among those with its source.
  bool shared = false;
  std::vector<Link> pairs;  ///< ascending by source if not shared
};

/// Part of each link: training, validation or test. Between nodes of one type an edge and its
/// reverse are in the same part: they have the same score, since the dot product of two embeddings
/// is symmetric.
class LinkSplit {
 public:
  /// A random split, as a function of the seed and the ends (LinkRelation::key()). held_out: share
  /// of links kept out of training, one half for validation, the other for test.
  LinkSplit(double held_out, std::uint64_t seed) : held_out_(held_out), seed_(seed) {}
  /// Reads a split from lines `source,target,part`, with ends as the input of import calls them,
  /// and part train, valid or test. Pairs that are not in the file are in training. The graph need
  /// not have edges of validation and test. Leaves out pairs that come again, of one type also in
  /// the other direction, and warns of their number. Fails (bad_input) for other lines and for a
  /// file without a held-out pair. Also fails for a pair in two parts, a node with itself, and a
  /// training pair without an edge.
  ///
  /// Further parts are valid-negative, valid-shared-negative and the same of test: the pairs of
  /// negatives(). Negatives that are held out in their part are left out with a warning. Another
  /// warning says how many of up to 100,000 are training edges. Fails (bad_input) if a part has
  /// both kinds, has no link, or has a link whose source has no negative.
  static LinkSplit read(const std::string& path, const LinkRelation& relation);

  /// key: LinkRelation::key() of a pair.
  Part part(std::uint64_t key) const;
  /// True if the held-out links were read: valid() and test(), in the order of the file.
  bool is_read() const { return read_; }
  const std::vector<Link>& valid() const { return valid_; }
  const std::vector<Link>& test() const { return test_; }
  /// The negatives that were read for validation or test.
  const GivenNegatives& negatives(Part part) const {
    return part == Part::valid ? valid_negatives_ : test_negatives_;
  }

 private:
  /// False if the pair came before.
  bool add(const Link& link, Part part, const LinkRelation& relation, const std::string& place);

  /// Warns of negatives that are training edges.
  void warn_of_edges(const GivenNegatives& negatives, const LinkRelation& relation,
                     const std::string& place) const;
  void finish_negatives(Part part, const LinkRelation& relation, const std::string& path);

  double held_out_;
  std::uint64_t seed_;
  bool read_ = false;
  std::vector<Link> valid_, test_;
  GivenNegatives valid_negatives_, test_negatives_;
  std::unordered_map<std::uint64_t, Part> parts_;  ///< by key, if they were read
};

/// Links of each part, without self loops, ascending by target, then as in the graph; in one
/// direction if each edge is there in both. Held-out links that were read are in the order of the
/// file; others are distinct by LinkRelation::key(), as read() requires: copies and reverse edges,
/// which have the same score, count once. Fails (unavailable) if there are 2^32 or more to train
/// on.
struct SplitLinks {
  SplitLinks(const LinkRelation& relation, const LinkSplit& split);

  std::vector<Link> train, valid, test;
};

/// Writes the links of validation and test, and negatives of the split, as LinkSplit::read() reads
/// them, with a header.
void write_held_out(const std::string& path, const LinkRelation& relation, const LinkSplit& split,
                    const SplitLinks& links);

}  // namespace frugal::gnn
