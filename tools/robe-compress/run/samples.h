#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/embedding/embedding_methods.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/click_source.h"

namespace frugal::robe {

/// Training samples, stored and passed over several times, or streamed once.
class TrainingSamples {
 public:
  TrainingSamples(const std::string& path, const ClickOptions& options, bool stream);
  /// For a model that has its encoder.
  TrainingSamples(const std::string& path, const ClickOptions& options, ClickEncoder encoder);
  /// Borrowed ones.
  explicit TrainingSamples(ClickData& data) : data_(&data) {}

  const ClickEncoder& encoder() const;
  ClickBatches& batches();
  /// Stored samples, or null.
  ClickData* data() { return data_; }
  /// 0 where samples are streamed.
  std::uint64_t size() const { return data_ != nullptr ? data_->size() : 0; }
  void start_epoch(std::uint64_t seed, std::uint64_t epoch);
  /// Passes over samples that a run before was trained on. Fails (bad_input) where there are fewer.
  void skip(std::uint64_t samples);
  /// Equal texts mean equal samples, but "streamed".
  std::string fingerprint() const;
  /// By falling frequency; nothing where categories were not counted.
  RowCounts row_counts() const;

 private:
  std::unique_ptr<ClickEncoder> encoder_;  ///< of a model
  std::unique_ptr<ClickData> owned_;
  ClickData* data_ = nullptr;
  std::unique_ptr<ClickSource> source_;
};

}  // namespace frugal::robe
