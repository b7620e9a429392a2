#include "tools/sparse-train/text/vocabulary.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

/// Hashes between the one that is counted and the one whose place is fetched into the cache.
constexpr std::size_t kAhead = 8;
/// Hashes of a group, which a preliminary id of 32 bits tells apart.
constexpr std::uint32_t kMostOfGroup = 0xffffffff / HashedPiece::kGroups;

/// A stable counting sort by the key, which is below `limit`, in rising order.
template <class T, class Key>
void sort_by_count(std::vector<T>& values, std::vector<T>& scratch, std::size_t limit,
                   const Key& key) {
  std::vector<std::size_t> places(limit);
  for (const T& value : values) ++places[key(value)];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
  scratch.resize(values.size());
  for (const T& value : values) scratch[places[key(value)]++] = value;
  values.swap(scratch);
}

}  // namespace

HashCounts::Entry& HashCounts::grow(std::uint64_t hash) {
  const std::vector<Entry> before =
      std::exchange(entries_, std::vector<Entry>(2 * entries_.size()));
  mask_ = entries_.size() - 1;
  for (const Entry& entry : before) {
    if (entry.count != 0) place_of(entry.hash) = entry;
  }
  return place_of(hash);
}

HashedPiece::HashedPiece(std::span<const std::uint64_t> hashes)
    : grouped_(hashes.size()), places_(hashes.size()) {
  for (const std::uint64_t hash : hashes) ++group_begin_[group_of(hash) + 1];
  std::partial_sum(group_begin_.begin(), group_begin_.end(), group_begin_.begin());
  std::array<std::uint32_t, kGroups + 1> next = group_begin_;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::size_t at = next[group_of(hashes[i])]++;
    grouped_[at] = hashes[i];
    places_[at] = static_cast<std::uint32_t>(i);
  }
}

void VocabularyBuilder::add(const std::vector<HashedPiece*>& pieces) {
  parallel_for(groups_.size(), 1, [&](std::size_t g) { count_group(pieces, g); });
  for (const HashedPiece* const piece : pieces) num_places_ += piece->size();
}

/// Replaces the hashes of a group by preliminary ids.
void VocabularyBuilder::count_group(const std::vector<HashedPiece*>& pieces, std::size_t g) {
  Group& group = groups_[g];
  std::uint64_t place = num_places_;
  for (HashedPiece* const piece : pieces) {
    const std::size_t end = piece->group_begin_[g + 1];
    for (std::size_t i = piece->group_begin_[g]; i < end; ++i) {
      group.hashes.prefetch(piece->grouped_[std::min(i + kAhead, end - 1)]);
      const HashCounts::Entry& entry = group.hashes.count(piece->grouped_[i]);
      if (entry.count == 1) group.firsts.push_back(place + piece->places_[i]);
      piece->grouped_[i] = entry.id * HashedPiece::kGroups + g;
    }
    place += piece->size();
  }
  if (group.hashes.size() > kMostOfGroup) {
    fail(ExitStatus::unavailable, "about ", HashedPiece::kGroups * std::size_t{kMostOfGroup},
         " distinct n-grams, expected fewer: use --word-ngrams 1 or less data");
  }
}

std::vector<std::uint32_t> VocabularyBuilder::take_ids(HashedPiece& piece) {
  std::vector<std::uint32_t> ids(piece.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[piece.places_[i]] = static_cast<std::uint32_t>(piece.grouped_[i]);
  piece = HashedPiece();
  return ids;
}

void VocabularyBuilder::finish(const VocabularyLimits& limits) {
  std::vector<std::vector<Candidate>> by_group(groups_.size());
  parallel_for(groups_.size(), 1,
               [&](std::size_t g) { by_group[g] = candidates_of(g, limits.min_count); });
  std::vector<Candidate> all, scratch;
  std::size_t size = 0;
  for (const auto& candidates : by_group) size += candidates.size();
  all.reserve(size);
  for (auto& candidates : by_group) {
    all.insert(all.end(), candidates.begin(), candidates.end());
    candidates = {};
  }
  constexpr int kDigit = 11;
  for (int shift = 0; shift < static_cast<int>(std::bit_width(num_places_)); shift += kDigit) {
    sort_by_count(all, scratch, std::size_t{1} << kDigit, [shift](const Candidate& c) {
      return c.first >> shift & ((std::uint64_t{1} << kDigit) - 1);
    });
  }
  std::uint32_t highest = 0;
  for (const Candidate& c : all) highest = std::max(highest, c.count);
  sort_by_count(all, scratch, std::size_t{highest} + 1,
                [highest](const Candidate& c) { return highest - c.count; });
  keep(all, limits.max_features);
}

/// Gives known hashes their ids, and frees the table.
std::vector<VocabularyBuilder::Candidate> VocabularyBuilder::candidates_of(
    std::size_t g, std::uint32_t min_count) {
  Group& group = groups_[g];
  const HashCounts hashes = std::exchange(group.hashes, {});
  const std::vector<std::uint64_t> firsts = std::exchange(group.firsts, {});
  group.final_ids.assign(hashes.size(), HashIndex::kMissing);
  std::vector<Candidate> candidates;
  hashes.for_each([&](const HashCounts::Entry& entry) {
    const std::uint32_t id = known_ == nullptr ? HashIndex::kMissing : known_->find(entry.hash);
    group.final_ids[entry.id] = id;
    if (id != HashIndex::kMissing || entry.count < min_count) return;
    const auto preliminary =
        entry.id * static_cast<std::uint32_t>(HashedPiece::kGroups) + static_cast<std::uint32_t>(g);
    candidates.push_back({entry.hash, firsts[entry.id], entry.count, preliminary});
  });
  return candidates;
}

/// The first candidates become features.
void VocabularyBuilder::keep(const std::vector<Candidate>& candidates, std::uint32_t max_features) {
  const std::uint32_t num_known = known_ == nullptr ? 0 : known_->size();
  std::size_t size = candidates.size();
  if (max_features != 0)
    size = std::min<std::size_t>(size, max_features - std::min(max_features, num_known));
  if (size >= HashIndex::kMissing - num_known) {
    fail(ExitStatus::unavailable, "more than 4294967294 features, expected fewer: use ",
         "--word-ngrams 1 or less data");
  }
  keys_.resize(size);
  counts_.resize(size);
  for (std::uint32_t id = 0; id < size; ++id) {
    const Candidate& c = candidates[id];
    keys_[id] = c.hash;
    counts_[id] = c.count;
    groups_[c.preliminary % HashedPiece::kGroups].final_ids[c.preliminary / HashedPiece::kGroups] =
        num_known + id;
  }
}

}  // namespace frugal::sparse
