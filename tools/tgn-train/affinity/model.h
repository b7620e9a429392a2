#pragma once
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/affinity/average_mix.h"
#include "tools/tgn-train/affinity/label_vectors.h"

namespace frugal::tgn {

/// A model that forecasts the label vectors of nodes. It knows neither nodes nor classes, so it can
/// be used with every stream; averages are computed from the events each time.
struct AffinityModel {
  LabelVectorOptions vectors;
  double valid_from = 0, test_from = 0;  ///< times at which both parts of its training began
  Average average;                       ///< the best average of the training
  bool mixes = false;                    ///< the mix answers; else the average does
  AverageMix mix;                        ///< its parts are the best ones of their families

  /// Scores of all classes for a node before the period numbered `when`, [classes]. shared: of
  /// shared_parts(). Nodes without earlier vectors get the average over all nodes.
  void score(const AverageHistory& history, NodeId node, std::int64_t when,
             std::span<const float> shared, std::span<float> scores) const;

  /// Adds the model to a document, or reads it. Reading fails (bad_input) with `path` if the
  /// document is not a model of train-affinity.
  void save(Document& document) const;
  static AffinityModel load(const Document& document, const std::string& path);
  /// True for documents with such a model.
  static bool is_in(const Document& document);
};

/// Averages over all nodes for the next period, [kSharedParts, classes].
std::vector<float> shared_parts(const AverageMix& mix, const AverageHistory& history);

}  // namespace frugal::tgn
