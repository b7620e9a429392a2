#include "libcore/base/hash_index.h"

#include <algorithm>
#include <bit>

#include "libcore/base/error.h"

namespace frugal {

HashIndex::HashIndex(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) {
  resize_slots(std::max<std::size_t>(64, std::bit_ceil(keys_.size() * 3 / 2 + 1)));
}

std::uint32_t HashIndex::insert_at(std::size_t i, std::uint64_t hash) {
  if (keys_.size() >= kMissing - 1) {
    fail(ExitStatus::unavailable,
         "more than 4294967294 distinct words, n-grams or categories, expected fewer: use "
         "less data, or (n-grams) --word-ngrams 1");
  }
  const std::uint32_t id = size();
  keys_.push_back(hash);
  slots_[i] = make_slot(hash, id);
  if (keys_.size() * 3 > slots_.size() * 2) resize_slots(slots_.size() * 2);
  return id;
}

void HashIndex::resize_slots(std::size_t num_slots) {
  slots_ = Array<std::uint64_t>(num_slots);
  mask_ = num_slots - 1;
  constexpr std::size_t kAhead = 16;
  for (std::size_t id = 0; id < keys_.size(); ++id) {
    if (id + kAhead < keys_.size()) __builtin_prefetch(&slots_[keys_[id + kAhead] & mask_], 1);
    std::size_t i = keys_[id] & mask_;
    while (slots_[i] != 0) i = (i + 1) & mask_;
    slots_[i] = make_slot(keys_[id], static_cast<std::uint32_t>(id));
  }
}

}  // namespace frugal
