#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// Text files with a ninth, a third and all of the training examples, each contained in the next,
/// and with the held-out examples. They are in a temporary folder that is removed with the object.
class TuneData {
 public:
  static constexpr std::size_t kRungs = 3;

  /// Splits the records of `data`, a regular file in a text format, as a function of the seed and
  /// their numbers. validation: labelled data to use instead of holding out; "" = hold out the
  /// share `held_out`. Fails (usage) for other inputs.
  TuneData(const std::string& data, const std::string& validation, const FeatureOptions& features,
           double held_out, std::uint64_t seed);
  ~TuneData();
  TuneData(const TuneData&) = delete;
  TuneData& operator=(const TuneData&) = delete;

  const std::string& training(std::size_t rung) const { return training_[rung]; }
  const std::string& validation() const { return validation_; }
  /// Number of training examples of the highest rung.
  std::uint64_t num_examples() const { return num_examples_; }
  /// True if features are ids, not text.
  bool is_sparse() const { return sparse_; }
  /// Options for reading these files: as for `data`, independent of their first lines.
  const FeatureOptions& features() const { return features_; }

 private:
  std::string folder_;
  std::array<std::string, kRungs> training_;
  std::string validation_;
  std::uint64_t num_examples_ = 0;
  bool sparse_ = false;
  FeatureOptions features_;
};

}  // namespace frugal::sparse
