#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/hash_index.h"

namespace frugal::sparse {

/// Distinct hashes of the examples of a piece of training data until their ids are known. They are
/// grouped by range, so that counting only touches a small table at a time.
class HashedPiece {
 public:
  /// Number of groups, by the highest bits of a hash. Each of 256 tables of a vocabulary of
  /// millions fits a level 2 cache.
  static constexpr std::size_t kGroups = 256;
  static std::size_t group_of(std::uint64_t hash) { return hash >> 56; }

  HashedPiece() = default;
  explicit HashedPiece(std::span<const std::uint64_t> hashes);
  std::size_t size() const { return places_.size(); }

 private:
  friend class VocabularyBuilder;
  std::vector<std::uint64_t> grouped_;  ///< the hashes, later their ids, group after group
  std::vector<std::uint32_t> places_;   ///< place of each in the order of reading
  std::array<std::uint32_t, kGroups + 1> group_begin_{};
};

/// Counts hashes and gives them ids in the order of insertion. Everything about a hash lies in one
/// cache line.
class HashCounts {
 public:
  struct Entry {
    std::uint64_t hash;
    std::uint32_t count;  ///< 0: the place is free
    std::uint32_t id;
  };

  std::uint32_t size() const { return size_; }
  /// Adds one to the count of `hash`.
  const Entry& count(std::uint64_t hash) {
    Entry* entry = &place_of(hash);
    if (entry->count == 0) {
      if (4 * std::size_t{size_} > 3 * mask_) entry = &grow(hash);
      *entry = {hash, 0, size_++};
    }
    ++entry->count;
    return *entry;
  }
  /// Fetches what count(hash) will need into the cache.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&entries_[hash & mask_], 1); }
  /// Calls use(entry) for each hash, in no particular order.
  template <class Use>
  void for_each(const Use& use) const {
    for (const Entry& entry : entries_) {
      if (entry.count != 0) use(entry);
    }
  }

 private:
  /// The hash's entry, or the free place for it.
  Entry& place_of(std::uint64_t hash) {
    std::size_t i = hash & mask_;
    while (entries_[i].count != 0 && entries_[i].hash != hash) i = (i + 1) & mask_;
    return entries_[i];
  }
  Entry& grow(std::uint64_t hash);

  std::vector<Entry> entries_ = std::vector<Entry>(64);  ///< a power of two, at most 3/4 in use
  std::size_t mask_ = 63;
  std::uint32_t size_ = 0;
};

/// Limits on the hashes kept, which are ordered by falling number of examples.
struct VocabularyLimits {
  std::uint32_t min_count = 1;
  std::uint32_t max_features = 0;  ///< 0 = all
};

/// Counts the examples of each hash and assigns ids: more frequent hashes get lower ids, ties are
/// broken by first occurrence. Works group by group, in parallel and without random access to
/// memory beyond a cache. The pieces come in batches:
///
///     for each batch: add(), then take_ids() of each piece: preliminary ids
///     finish(), then final_id() maps these to final ids
class VocabularyBuilder {
 public:
  /// known: hashes that keep their ids and are not counted; new ids follow them. Must outlive the
  /// builder.
  explicit VocabularyBuilder(const HashIndex* known = nullptr) : known_(known) {}

  /// Counts the hashes of the next pieces. Every example lists a hash at most once.
  void add(const std::vector<HashedPiece*>& pieces);
  /// Returns preliminary ids of the hashes of an added piece in the order of reading, and frees its
  /// memory. Calls for different pieces may run concurrently.
  static std::vector<std::uint32_t> take_ids(HashedPiece& piece);

  /// Chooses the hashes to keep. Must be called once, after all pieces were added.
  void finish(const VocabularyLimits& limits);
  /// New hashes by id, from known->size() on.
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  /// Number of examples by new id.
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  /// Final id of a preliminary one, or HashIndex::kMissing.
  std::uint32_t final_id(std::uint32_t preliminary) const {
    return groups_[preliminary % HashedPiece::kGroups]
        .final_ids[preliminary / HashedPiece::kGroups];
  }

 private:
  struct Group {
    HashCounts hashes;
    std::vector<std::uint64_t> firsts;     ///< place of the first occurrence in all pieces, by id
    std::vector<std::uint32_t> final_ids;  ///< by id
  };
  /// A hash that is new and frequent enough.
  struct Candidate {
    std::uint64_t hash;
    std::uint64_t first;
    std::uint32_t count;
    std::uint32_t preliminary;
  };
  void count_group(const std::vector<HashedPiece*>& pieces, std::size_t g);
  std::vector<Candidate> candidates_of(std::size_t g, std::uint32_t min_count);
  void keep(const std::vector<Candidate>& candidates, std::uint32_t max_features);

  const HashIndex* known_;
  std::vector<Group> groups_ = std::vector<Group>(HashedPiece::kGroups);
  std::uint64_t num_places_ = 0;  ///< hashes of all pieces so far
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace frugal::sparse
