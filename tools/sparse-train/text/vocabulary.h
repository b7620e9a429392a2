#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/hash_index.h"

namespace frugal::sparse {

/// Distinct hashes of the examples of a piece of training data, in the order of reading, until
/// their ids are known. They are grouped by range, so that counting only touches a small table at a
/// time.
class HashedPiece {
 public:
  /// Number of groups, by the highest bits of a hash. Each of 256 tables of a vocabulary of
  /// millions fits a level 2 cache.
  static constexpr std::size_t kGroups = 256;
  static std::size_t group_of(std::uint64_t hash) { return hash >> 56; }

  HashedPiece() = default;
  explicit HashedPiece(std::span<const std::uint64_t> hashes);
  std::size_t size() const { return groups_.size(); }

 private:
  friend class VocabularyBuilder;
  std::vector<std::uint8_t> groups_;    ///< group of each hash, in the order of reading
  std::vector<std::uint64_t> grouped_;  ///< the hashes, later their ids, group after group
  std::array<std::uint32_t, kGroups + 1> group_begin_{};
};

/// Limits on the hashes kept, which are ordered by falling number of examples.
struct VocabularyLimits {
  std::uint32_t min_count = 1;
  std::uint32_t max_features = 0;  ///< 0 = all
};

/// Counts the examples of each hash and assigns ids: more frequent hashes get lower ids, ties are
/// broken by first occurrence. Works group by group, in parallel and without random access to
/// memory beyond a cache. The pieces may come in batches that are stored away in between:
///
///     for each batch: add(), then replace() and take_ids(): preliminary ids
///     finish(), then final_ids() maps these to final ids
///
/// or, if all pieces are available at once: add(), finish(), replace(), take_ids().
class VocabularyBuilder {
 public:
  /// known: hashes that keep their ids and are not counted; new ids follow them. Must outlive the
  /// builder.
  explicit VocabularyBuilder(const HashIndex* known = nullptr) : known_(known) {}

  /// Counts the hashes of the next pieces. Every example lists a hash at most once.
  void add(const std::vector<HashedPiece*>& pieces);
  /// Replaces the hashes of the pieces of the last add() by ids.
  void replace(const std::vector<HashedPiece*>& pieces) const;
  /// Returns these ids in the order of reading, HashIndex::kMissing for hashes that were not kept,
  /// and frees the piece's memory. Calls for different pieces may run concurrently.
  static std::vector<std::uint32_t> take_ids(HashedPiece& piece);

  /// Chooses the hashes to keep. Must be called once.
  void finish(const VocabularyLimits& limits);
  /// New hashes by id, from known->size() on.
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  /// Number of examples by new id.
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  /// Final id, or HashIndex::kMissing, of each preliminary id.
  const std::vector<std::uint32_t>& final_ids() const { return final_ids_; }

 private:
  struct Group {
    HashIndex index;
    std::vector<std::uint32_t> counts;  ///< by local id
    std::vector<std::uint32_t> ids;     ///< by local id
  };
  struct Local {
    std::uint32_t group;
    std::uint32_t id;
  };
  void count_group(const std::vector<HashedPiece*>& pieces, std::size_t g);
  static std::vector<Local> first_occurrences(const HashedPiece& piece);
  void number(const std::vector<std::vector<Local>>& by_occurrence);
  void choose(const std::vector<std::uint64_t>& hashes, const std::vector<std::uint32_t>& counts,
              const VocabularyLimits& limits);

  const HashIndex* known_;
  std::vector<Group> groups_ = std::vector<Group>(HashedPiece::kGroups);
  std::uint32_t num_distinct_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> final_ids_;
};

}  // namespace frugal::sparse
