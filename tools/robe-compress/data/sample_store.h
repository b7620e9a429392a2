#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/system/temporary_file.h"

namespace frugal::robe {

/// Samples of equal size, one behind the other: in memory, or in a file without a name that is
/// mapped in the end. A sample is [rows of the fields, numbers, label], numbers and label as
/// floats.
class SampleStore {
 public:
  SampleStore(std::size_t num_fields, std::size_t num_numbers, std::uint64_t max_memory,
              std::string folder);

  std::size_t num_fields() const { return num_fields_; }
  std::size_t num_numbers() const { return num_numbers_; }
  /// Room for one more sample, to be written before the next call.
  std::uint32_t* append();
  /// Call once, after the last append().
  void finish();

  std::uint64_t size() const { return size_; }
  std::size_t sample_words() const { return sample_words_; }

  /// After finish().
  std::uint32_t* sample(std::uint64_t i) {
    return chunks_[i / kChunk] + i % kChunk * sample_words_;
  }
  const std::uint32_t* sample(std::uint64_t i) const {
    return chunks_[i / kChunk] + i % kChunk * sample_words_;
  }
  const float* numbers(const std::uint32_t* sample) const {
    return reinterpret_cast<const float*>(sample + num_fields_);
  }
  float* numbers(std::uint32_t* sample) const {
    return reinterpret_cast<float*>(sample + num_fields_);
  }
  float label(const std::uint32_t* sample) const { return numbers(sample)[num_numbers_]; }

  /// Samples are worked on in chunks, so that sums do not depend on the number of threads.
  static constexpr std::uint64_t kChunk = 16384;
  std::size_t num_chunks() const { return chunks_.size(); }
  std::uint64_t chunk_end(std::size_t chunk) const;

 private:
  void spill();

  std::size_t num_fields_, num_numbers_, sample_words_;
  std::uint64_t max_memory_;
  std::string folder_;
  std::uint64_t size_ = 0;
  std::vector<Array<std::uint32_t>> memory_;  ///< the last chunk alone once there is a file
  std::vector<std::uint32_t*> chunks_;        ///< once finished
  std::unique_ptr<TemporaryFile> file_;
  std::shared_ptr<MappedMemory> map_;
};

}  // namespace frugal::robe
