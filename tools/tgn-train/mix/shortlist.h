#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/tgn-train/mix/key_mix.h"

namespace frugal::tgn {

/// Candidates ordered by keys alone, before the network is asked about the best ones.
struct Shortlist {
  std::vector<std::size_t> best;  ///< numbers of the best candidates, ascending
  /// number of candidates that keys put above the first one, and level with it
  std::uint64_t above = 0, equal = 0;

  /// True if the first candidate and all that are level with it are among the `count` best. The
  /// network then decides its rank, else keys do: some that are level with it were left out.
  bool has_first(std::size_t count) const { return above + equal < count; }
};

/// Candidates for the destination of an event of `source` at a time, as nodes of some keys.
struct Candidates {
  LinkKeys* keys = nullptr;
  NodeId source = 0;
  double time = 0;
  std::span<const NodeId> nodes;
};

/// Orders many candidates by their keys. The logit of a candidate is a sum of functions of keys.
/// Keys of the candidate alone are computed for all in vector instructions; those of the pair for
/// the few that met the source or occur near its destinations.
class KeyOrder {
 public:
  /// At most `count` of the candidates after the first are best; of equal ones, the earlier ones.
  /// candidates: as the nodes of the keys and, for a mix of typed keys, as the nodes of these.
  Shortlist shortlist(const KeyMix& mix, std::span<const Candidates> candidates, std::size_t count);
  /// Logits of the candidates by their keys without the network's part, valid until the next call.
  std::span<const float> logits(const KeyMix& mix, std::span<const Candidates> candidates);

 private:
  /// The keys of one kind that a mix reads.
  struct Block {
    const KeyMix& mix;
    const Candidates& candidates;
    std::size_t first = 0;  ///< input of its first key

    /// True if the mix begins with an order by these keys.
    bool has_start() const { return mix.start().first_input() == first; }
    float part(std::size_t key, float value) const { return mix.part(first + key, value); }
  };
  void add_node_parts(const Block& block);
  void add_near_parts(const Block& block);
  void add_meeting_parts(const Block& block);
  void add_to_pair(NodeId node, float part);
  std::span<const float> global_keys(const Block& block);

  std::vector<float> logits_;
  /// [nodes] what keys of the pair add to a candidate's logit; 0 but for pairs_
  std::vector<float> pair_parts_;
  std::vector<NodeId> pairs_;
  // Working memory:
  std::vector<NodeId> nodes_;
  std::vector<float> columns_, rows_, sums_, best_;
};

}  // namespace frugal::tgn
