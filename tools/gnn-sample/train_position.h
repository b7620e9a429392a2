#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/io/tensor_file.h"

namespace frugal::gnn {

/// Where a training stands between two steps: with the model and the optimiser's state all that a
/// checkpoint holds.
struct TrainPosition {
  std::uint64_t step = 0;
  int epoch = 0;        ///< being trained, from 0
  double loss_sum = 0;  ///< of the epoch
  std::uint64_t loss_nodes = 0;
  double loss = 0;                       ///< of the last whole epoch
  int validated_epoch = 0;               ///< the last one, counted from 1; 0: none yet
  int best_epoch = 0;                    ///< counted from 1; 0: none yet
  double best_score = 0, best_loss = 0;  ///< of it, on the validation nodes
  std::unique_ptr<Document> best;        ///< that model, where it is not the last

  /// Adds it to a checkpoint; the best model's tensors are lent.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` where something is missing or no number.
  static TrainPosition load(const Document& state, const std::string& path);
};

}  // namespace frugal::gnn
