#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/unknown_values.h"

namespace frugal::robe {

/// Training samples, encoded, in memory or, beyond options.max_memory, in a file without a name.
/// The input (path or "-", plain, zstd or gzip) is read once, with all threads; results do not
/// depend on their number.
class ClickData : public ClickBatches {
 public:
  /// Fits an encoder to the samples that are not held out. Fails (bad_input) with file and line of
  /// the first bad record, and where there is no sample.
  ClickData(const std::string& path, const ClickOptions& options);
  /// With the encoder of a model, which must outlive the object: columns and scales stay as they
  /// are, and so does the vocabulary, unless options.grows.
  ClickData(const std::string& path, const ClickOptions& options, const ClickEncoder& encoder);
  ~ClickData() override;
  ClickData(ClickData&&) noexcept;

  const ClickEncoder& encoder() const;
  /// Samples to train on, and those held out.
  std::uint64_t size() const;
  std::uint64_t num_held_out() const;
  /// Clicks among the samples that are not held out.
  std::uint64_t num_positives() const;
  /// Values in all samples that the given encoder does not know, if it has not grown.
  std::vector<UnknownValues> unknown_values() const;
  /// Equal texts mean equal samples.
  std::string fingerprint() const;

  /// From now on one of every K training samples is held back for trials: size() and epochs are
  /// without them. 0: none.
  void hold_back(std::uint64_t every);
  std::uint64_t num_held_back() const;

  /// next() goes through the training samples in an order that seed and epoch alone determine (the
  /// file's without options.shuffle).
  void start_epoch(std::uint64_t seed, std::uint64_t epoch);
  /// Passes over samples of the epoch; returns how many there were.
  std::uint64_t skip(std::uint64_t samples);
  /// next() goes through the held-out samples in the order of the file.
  void start_held_out();
  /// next() goes through those held back.
  void start_held_back();
  /// As start_epoch(), over the samples held back.
  void start_held_back_epoch(std::uint64_t seed);
  bool next(ClickBatch& batch, std::size_t max_size) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal::robe
