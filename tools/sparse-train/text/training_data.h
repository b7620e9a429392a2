#pragma once
#include <optional>
#include <string>

#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// Training data to read, and how to prepare them.
struct DataRequest {
  std::string path;
  FeatureOptions features;
  bool normalize = true;    ///< scale each example's features to length 1
  bool keep_names = false;  ///< Featurizer::learn_names()
  /// Cache file of the prepared data. It is read instead of `path` if it was made from the same
  /// file (name, size, time of change) with the same options; otherwise it is made anew. "" = none.
  std::string cache;
};

struct TrainingData {
  Featurizer featurizer;
  Dataset data;  ///< sorted, normalized if asked for
  bool from_cache = false;
};

/// Reads training data, extending `init`, the featurizer of a model, if there is one. Fails (usage)
/// if `cache` is a file of another kind.
TrainingData read_training_data(const DataRequest& request, std::optional<Featurizer> init = {});

/// Options of convert_data(), which writes data as a tensor file for train, eval and predict, so
/// that text is parsed only once. With a featurizer, features and labels are those of its model.
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
