#pragma once
#include <optional>
#include <string>

#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// What is to be learnt from, and how it is prepared.
struct DataRequest {
  std::string path;
  FeatureOptions features;
  bool normalize = true;    ///< scale each example's features to length 1
  bool keep_names = false;  ///< Featurizer::learn_names()
  /// File that keeps the prepared data: read instead of `path` if it was made from the same file
  /// (name, size, time of change) with the same options, else made anew; "" = none.
  std::string cache;
};

struct TrainingData {
  Featurizer featurizer;
  Dataset data;  ///< sorted, normalized if asked for
  bool from_cache = false;
};

/// Reads training data; goes on from `init`, the featurizer of a model, if there is one. Fails
/// (usage) where `cache` is a file of another kind.
TrainingData read_training_data(const DataRequest& request, std::optional<Featurizer> init = {});

/// Reads `path` and writes it as a tensor file that train, eval and predict take: parsed once,
/// read many times. With a featurizer, features and labels are those of its model.
struct ConvertOptions {
  std::string data;
  std::string output;
  std::string model;  ///< "" = learn from the data
  FeatureOptions features;
};
struct ConvertResult {
  std::uint64_t examples = 0;
  std::uint32_t features = 0;
  std::uint32_t labels = 0;
};
ConvertResult convert_data(const ConvertOptions& options, std::optional<Featurizer> model);

}  // namespace frugal::sparse
