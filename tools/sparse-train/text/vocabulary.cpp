#include "tools/sparse-train/text/vocabulary.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
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

void VocabularyBuilder::add(const std::vector<HashedPiece*>& pieces) {
  parallel_for(groups_.size(), 1, [&](std::size_t g) { count_group(pieces, g); });
  std::vector<std::vector<Local>> by_occurrence(pieces.size());
  parallel_for(pieces.size(), 1,
               [&](std::size_t p) { by_occurrence[p] = first_occurrences(*pieces[p]); });
  number(by_occurrence);
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
  group.ids.resize(group.counts.size());
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

void VocabularyBuilder::number(const std::vector<std::vector<Local>>& by_occurrence) {
  std::vector<std::uint32_t> begin;
  for (const auto& locals : by_occurrence) {
    begin.push_back(num_distinct_);
    if (locals.size() >= HashIndex::kMissing - num_distinct_) {
      fail(ExitStatus::unavailable, "more than 4294967294 distinct n-grams, expected fewer: use ",
           "--word-ngrams 1 or less data");
    }
    num_distinct_ += static_cast<std::uint32_t>(locals.size());
  }
  parallel_for(by_occurrence.size(), 1, [&](std::size_t p) {
    std::uint32_t id = begin[p];
    for (const Local& local : by_occurrence[p]) groups_[local.group].ids[local.id] = id++;
  });
}

void VocabularyBuilder::replace(const std::vector<HashedPiece*>& pieces) const {
  parallel_for(groups_.size(), 1, [&](std::size_t g) {
    const std::vector<std::uint32_t>& ids = groups_[g].ids;
    for (HashedPiece* const piece : pieces) {
      for (std::size_t i = piece->group_begin_[g]; i < piece->group_begin_[g + 1]; ++i) {
        piece->grouped_[i] = ids[static_cast<std::uint32_t>(piece->grouped_[i])];
      }
    }
  });
}

std::vector<std::uint32_t> VocabularyBuilder::take_ids(HashedPiece& piece) {
  std::vector<std::uint32_t> ids(piece.size());
  auto next = piece.group_begin_;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::uint32_t>(piece.grouped_[next[piece.groups_[i]]++]);
  }
  piece = HashedPiece();
  return ids;
}

void VocabularyBuilder::finish(const VocabularyLimits& limits) {
  std::vector<std::uint64_t> hashes(num_distinct_);
  std::vector<std::uint32_t> counts(num_distinct_);
  parallel_for(groups_.size(), 1, [&](std::size_t g) {
    const Group& group = groups_[g];
    for (std::size_t local = 0; local < group.ids.size(); ++local) {
      hashes[group.ids[local]] = group.index.keys()[local];
      counts[group.ids[local]] = group.counts[local];
    }
  });
  choose(hashes, counts, limits);
  parallel_for(groups_.size(), 1, [&](std::size_t g) {
    for (std::uint32_t& id : groups_[g].ids) id = final_ids_[id];
  });
}

/// A counting sort by falling count, which keeps the order of first occurrence among equals.
void VocabularyBuilder::choose(const std::vector<std::uint64_t>& hashes,
                               const std::vector<std::uint32_t>& counts,
                               const VocabularyLimits& limits) {
  const std::uint32_t num_known = known_ == nullptr ? 0 : known_->size();
  final_ids_.assign(num_distinct_, HashIndex::kMissing);
  for (std::size_t i = 0; known_ != nullptr && i < hashes.size(); ++i) {
    final_ids_[i] = known_->find(hashes[i]);
  }
  const auto is_new = [&](std::size_t i) { return final_ids_[i] == HashIndex::kMissing; };
  std::uint32_t highest = 0;
  for (const std::uint32_t count : counts) highest = std::max(highest, count);
  std::vector<std::uint32_t> begin(std::size_t{highest} + 2);  // begin[c]: first id of count c
  for (std::size_t i = 0; i < counts.size(); ++i) begin[counts[i]] += is_new(i) ? 1 : 0;
  std::uint32_t next = 0, num_kept = 0;
  for (std::size_t count = highest; count > 0; --count) {
    next += std::exchange(begin[count], next);
    if (count >= limits.min_count) num_kept = next;
  }
  if (limits.max_features != 0) {
    num_kept = std::min(num_kept, limits.max_features - std::min(limits.max_features, num_known));
  }
  keys_.resize(num_kept);
  counts_.resize(num_kept);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!is_new(i)) continue;
    const std::uint32_t id = begin[counts[i]]++;
    if (id >= num_kept) continue;
    final_ids_[i] = num_known + id;
    keys_[id] = hashes[i];
    counts_[id] = counts[i];
  }
}

}  // namespace frugal::sparse
