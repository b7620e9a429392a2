#pragma once
#include <memory>
#include <string>

#include "libcore/device/engine.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

inline constexpr const char* kNoTreesOnDevices =
    "trees and hash tables stay on the CPU, expected --device cpu";

/// A network's shape as the engines sparse.train and sparse.predict take it
/// (libcore/device/engine_kinds.md); rows as `optimizer` needs them. Fails (unavailable) with what
/// no engine does.
EngineSettings network_settings(const NetworkShape& shape, OptimizerKind optimizer);

/// Rows of features and labels with the optimiser's state, as an engine sets and, of a network that
/// may be changed, gets them.
std::vector<EngineArray> network_arrays(const Network& network);

/// Examples and their features that an engine has room for in one answer.
inline constexpr std::size_t kMostAnswers = 4096;
inline constexpr std::size_t kMostAnswerEntries = std::size_t{1} << 20;

/// The k labels of the largest logits, as Predictor ranks them, of the network that an engine has.
class DeviceScorer final : public Scorer {
 public:
  /// batch_size: the engine's; top_k: at most its ranks.
  DeviceScorer(std::shared_ptr<DeviceEngine> engine, std::size_t num_labels, std::size_t batch_size,
               std::size_t top_k);
  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  std::size_t k() const override { return k_; }

 private:
  std::size_t batch_end(const Dataset& data, std::size_t begin, std::size_t end) const;

  std::shared_ptr<DeviceEngine> engine_;
  std::size_t batch_size_, k_;
};

/// Where answers come from.
struct ScorerPlace {
  std::string device = "cpu";          ///< --device
  std::string command;                 ///< "sparse-train eval", for messages
  std::size_t at_once = kMostAnswers;  ///< examples that are asked about together
};
/// Answers of a network, which is copied to the device; null: from the CPU.
std::unique_ptr<Scorer> open_device_scorer(const Network& network, const ScorerPlace& place,
                                           std::size_t top_k);

}  // namespace frugal::sparse
