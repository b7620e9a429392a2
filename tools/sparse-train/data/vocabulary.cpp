#include "tools/sparse-train/data/vocabulary.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

/// Marks the occurrence at which a hash was seen first.
constexpr std::uint64_t kFirst = std::uint64_t{1} << 32;

}  // namespace

HashedPiece::HashedPiece(std::span<const std::uint64_t> hashes)
    : groups_(hashes.size()), grouped_(hashes.size()) {
  for (const std::uint64_t hash : hashes) ++group_begin_[group_of(hash) + 1];
  std::partial_sum(group_begin_.begin(), group_begin_.end(), group_begin_.begin());
  std::array<std::uint32_t, kGroups + 1> next = group_begin_;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::size_t group = group_of(hashes[i]);
    groups_[i] = static_cast<std::uint8_t>(group);
    grouped_[next[group]++] = hashes[i];
  }
}

VocabularyBuilder::VocabularyBuilder(const std::vector<HashedPiece*>& pieces,
                                     const VocabularyLimits& limits) {
  parallel_for(groups_.size(), 1, [&](std::size_t g) { count_group(pieces, g); });
  std::vector<std::vector<Local>> by_occurrence(pieces.size());
  parallel_for(pieces.size(), 1,
               [&](std::size_t p) { by_occurrence[p] = first_occurrences(*pieces[p]); });
  order(by_occurrence, limits);
  parallel_for(groups_.size(), 1, [&](std::size_t g) { replace(pieces, g); });
}

/// Replaces the hashes of a group by local ids.
void VocabularyBuilder::count_group(const std::vector<HashedPiece*>& pieces, std::size_t g) {
  Group& group = groups_[g];
  for (HashedPiece* const piece : pieces) {
    for (std::size_t i = piece->group_begin_[g]; i < piece->group_begin_[g + 1]; ++i) {
      const std::uint32_t id = group.index.insert(piece->grouped_[i]);
      const bool first = id == group.counts.size();
      if (first) group.counts.push_back(0);
      ++group.counts[id];
      piece->grouped_[i] = first ? id | kFirst : id;
    }
  }
}

/// The hashes whose first occurrence is in the piece, in the order of reading.
std::vector<VocabularyBuilder::Local> VocabularyBuilder::first_occurrences(
    const HashedPiece& piece) {
  std::vector<Local> found;
  auto next = piece.group_begin_;
  for (const std::uint8_t g : piece.groups_) {
    const std::uint64_t local = piece.grouped_[next[g]++];
    if (local & kFirst) found.push_back({g, static_cast<std::uint32_t>(local)});
  }
  return found;
}

/// A counting sort by falling count, which keeps the order of first occurrence among equals.
void VocabularyBuilder::order(const std::vector<std::vector<Local>>& by_occurrence,
                              const VocabularyLimits& limits) {
  std::uint32_t highest = 0;
  for (Group& group : groups_) {
    group.ids.assign(group.counts.size(), HashIndex::kMissing);
    for (const std::uint32_t count : group.counts) highest = std::max(highest, count);
  }
  std::vector<std::uint32_t> begin(std::size_t{highest} + 2);  // begin[c]: first id of count c
  for (const Group& group : groups_) {
    for (const std::uint32_t count : group.counts) ++begin[count];
  }
  std::uint32_t next = 0;
  std::uint32_t num_kept = 0;
  for (std::size_t count = highest; count > 0; --count) {
    next += std::exchange(begin[count], next);
    if (count >= limits.min_count) num_kept = next;
  }
  if (limits.max_features != 0) num_kept = std::min(num_kept, limits.max_features);
  keys_.resize(num_kept);
  counts_.resize(num_kept);
  for (const auto& locals : by_occurrence) {
    for (const Local& local : locals) {
      Group& group = groups_[local.group];
      const std::uint32_t count = group.counts[local.id];
      const std::uint32_t id = begin[count]++;
      if (id >= num_kept) continue;
      group.ids[local.id] = id;
      keys_[id] = group.index.keys()[local.id];
      counts_[id] = count;
    }
  }
}

void VocabularyBuilder::replace(const std::vector<HashedPiece*>& pieces, std::size_t g) const {
  const std::vector<std::uint32_t>& ids = groups_[g].ids;
  for (HashedPiece* const piece : pieces) {
    for (std::size_t i = piece->group_begin_[g]; i < piece->group_begin_[g + 1]; ++i) {
      piece->grouped_[i] = ids[static_cast<std::uint32_t>(piece->grouped_[i])];
    }
  }
}

std::vector<std::uint32_t> VocabularyBuilder::take_ids(HashedPiece& piece) const {
  std::vector<std::uint32_t> ids(piece.size());
  auto next = piece.group_begin_;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::uint32_t>(piece.grouped_[next[piece.groups_[i]]++]);
  }
  piece.groups_ = {};
  piece.grouped_ = {};
  return ids;
}

}  // namespace frugal
