#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// Text files with a ninth, a third and all of the training examples, each inside the next, and
/// what was held out of them, in a temporary folder that goes with the object.
class TuneData {
 public:
  static constexpr std::size_t kRungs = 3;

  /// Splits the records of `data`, a regular file of a text format; which go where depends on the
  /// seed and their numbers alone. validation: labelled data to use instead of holding out; "" =
  /// hold out the share `held_out`. Fails (usage) for other inputs.
  TuneData(const std::string& data, const std::string& validation, const FeatureOptions& features,
           double held_out, std::uint64_t seed);
  ~TuneData();
  TuneData(const TuneData&) = delete;
  TuneData& operator=(const TuneData&) = delete;

  const std::string& training(std::size_t rung) const { return training_[rung]; }
  const std::string& validation() const { return validation_; }
  /// Of the highest rung.
  std::uint64_t num_examples() const { return num_examples_; }
  /// Whether features come as ids, not as text.
  bool is_sparse() const { return sparse_; }
  /// How the files are read that these make: as `data`, whatever their first lines look like.
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
