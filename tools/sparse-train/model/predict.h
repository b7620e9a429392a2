#pragma once
#include <cstdint>
#include <string>

#include "tools/sparse-train/model/model.h"

namespace frugal::sparse {

struct PredictOptions {
  std::string model;
  std::string data = "-";
  std::string output = "-";
  FeatureOptions input;             ///< of the input: format, header, separator
  std::string answers = "text";     ///< text, or json: an object a line
  std::size_t top_k = 0;            ///< 0: 1, or kDecidedRanks with thresholds
  std::string thresholds = "none";  ///< none, or of the model's decisions: labels, global
  std::string weights = "none";     ///< ScoringOptions::weights
  double threshold = 0;             ///< labels with lower scores are left out
  bool scores = true;               ///< text: ":score" behind each label
  bool explain = false;
  std::size_t explain_features = 10;  ///< of the largest shares; 0 = all
  std::string device = "cpu";         ///< --device
};

/// Fails (usage) where the model, read from `path`, has no thresholds.
void require_decisions(const Model& model, const std::string& path);

struct PredictResult {
  std::uint64_t examples = 0;
  double seconds = 0;  ///< without loading the model
  std::vector<ColumnValues> column_values;
};

/// Writes an answer for each record of the input, best label first. Input that is not a file (a
/// pipe, a terminal) is answered line by line.
PredictResult predict(const PredictOptions& options);

}  // namespace frugal::sparse
