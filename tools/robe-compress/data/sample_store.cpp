#include "tools/robe-compress/data/sample_store.h"

#include <algorithm>

namespace frugal::robe {

SampleStore::SampleStore(std::size_t num_fields, std::size_t num_numbers, std::uint64_t max_memory,
                         std::string folder)
    : num_fields_(num_fields),
      num_numbers_(num_numbers),
      sample_words_(num_fields + num_numbers + 1),
      max_memory_(max_memory),
      folder_(std::move(folder)) {}

/// Puts away all chunks, which are full.
void SampleStore::spill() {
  if (!file_) file_ = std::make_unique<TemporaryFile>(folder_);
  for (const Array<std::uint32_t>& chunk : memory_) file_->write(chunk.data(), chunk.size_bytes());
  memory_.clear();
}

std::uint32_t* SampleStore::append() {
  const std::uint64_t at = size_++ % kChunk;
  if (at == 0) {
    const std::size_t chunk_words = kChunk * sample_words_;
    const std::uint64_t bytes = (memory_.size() + 1) * chunk_words * sizeof(std::uint32_t);
    if (!memory_.empty() && (file_ || bytes > max_memory_)) spill();
    memory_.emplace_back(chunk_words, uninitialized);
  }
  return memory_.back().data() + at * sample_words_;
}

void SampleStore::finish() {
  if (!file_) {
    for (Array<std::uint32_t>& chunk : memory_) chunks_.push_back(chunk.data());
    return;
  }
  const std::size_t last_words = (size_ - (size_ - 1) / kChunk * kChunk) * sample_words_;
  file_->write(memory_.back().data(), last_words * sizeof(std::uint32_t));
  memory_.clear();
  map_ = file_->map();
  auto* const words = reinterpret_cast<std::uint32_t*>(map_->data());
  for (std::uint64_t i = 0; i < size_; i += kChunk) chunks_.push_back(words + i * sample_words_);
}

std::uint64_t SampleStore::chunk_end(std::size_t chunk) const {
  return std::min(size_, (chunk + 1) * kChunk);
}

}  // namespace frugal::robe
