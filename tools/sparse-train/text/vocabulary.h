#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/hash_index.h"

namespace frugal::sparse {

/// The distinct hashes of a part of the training data's examples, in the order of reading, until
/// their ids are known. Kept grouped by range of hash, so that counting touches a small table at a
/// time.
class HashedPiece {
 public:
  /// Hashes are grouped by their highest bits; 256 tables of a vocabulary of millions fit level 2
  /// caches.
  static constexpr std::size_t kGroups = 256;
  static std::size_t group_of(std::uint64_t hash) { return hash >> 56; }

  HashedPiece() = default;
  explicit HashedPiece(std::span<const std::uint64_t> hashes);
  std::size_t size() const { return groups_.size(); }

 private:
  friend class VocabularyBuilder;
  std::vector<std::uint8_t> groups_;  ///< of each hash, in the order of reading
  std::vector<std::uint64_t>
      grouped_;  ///< the hashes, then what stands for them, group after group
  std::array<std::uint32_t, kGroups + 1> group_begin_{};
};

/// Which hashes are kept, by falling number of examples that have them.
struct VocabularyLimits {
  std::uint32_t min_count = 1;
  std::uint32_t max_features = 0;  ///< 0 = all
};

/// Counts in how many examples each hash occurs and gives ids: the more, the lower, ties by first
/// occurrence. Works through the occurrences by group, in parallel and without random access to
/// memory beyond a cache. The pieces may come in batches that are put away in between:
///
///   for each batch: add(), then replace() and take_ids(): ids that are not the final ones yet
///   finish(), then final_ids() says what became of them
///
/// or, where all pieces are there at once: add(), finish(), replace(), take_ids().
class VocabularyBuilder {
 public:
  /// Hashes of `known` are not counted: they keep their ids, new ones follow behind. It must
  /// outlive the builder.
  explicit VocabularyBuilder(const HashIndex* known = nullptr) : known_(known) {}

  /// Counts the hashes of the next pieces. Every example lists a hash at most once.
  void add(const std::vector<HashedPiece*>& pieces);
  /// Replaces the hashes of the pieces that add() saw last by ids.
  void replace(const std::vector<HashedPiece*>& pieces) const;
  /// Those ids in the order of reading, HashIndex::kMissing where the hash was not kept; frees the
  /// piece's memory. Calls for different pieces may run at the same time.
  static std::vector<std::uint32_t> take_ids(HashedPiece& piece);

  /// Chooses what is kept. Call once.
  void finish(const VocabularyLimits& limits);
  /// The new hashes by id, from known->size() on.
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  /// Number of examples by new id.
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  /// The final id, or HashIndex::kMissing, of each id that was given before finish().
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
