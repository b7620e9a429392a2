#pragma once
/// The link decoder on the device (tgn-train's link_decoder.h), and its loss.
#include <vector>

#include "libcore/device/cuda/engines/tgn/tgn_updater.h"
#include "libcore/device/cuda/kernels/graph/link_pairs.h"
#include "libcore/device/cuda/kernels/interactions.h"

namespace frugal::cuda {

class TgnDecoder {
 public:
  explicit TgnDecoder(const TgnParts& parts);
  /// embeddings: largest number of rows, three per event.
  void lay_out(Workspace& room, std::uint32_t embeddings);

  /// Computes losses() from embeddings [3 events, dim], and writes their gradient.
  void train(const TgnStep& step, const float* embeddings, float* dembeddings);
  const double* losses() const { return losses_; }  ///< [events]
  void take_step(const StepValues* values, StepList& list) const;

 private:
  void forward(const TgnStep& step, const float* embeddings);
  void backward(const TgnStep& step, const float* embeddings, float* dembeddings);
  RowRange events(const TgnStep& step, ProductGroup* group = nullptr) const {
    return step.triples(last_layer_, &step.plan.counts->events, 1, group);
  }
  RowRange pairs(const TgnStep& step, ProductGroup* group = nullptr) const {
    return step.triples(last_layer_, &step.plan.counts->pairs, 2, group);
  }

  std::uint32_t dim_, pair_dim_, last_layer_;
  LayerWeights source_, destination_;
  DeviceVector second_;              ///< [dim + 1] weights and bias
  std::vector<LayerWeights> pairs_;  ///< none or one
  float *sources_ = nullptr, *others_ = nullptr, *other_rows_ = nullptr, *hidden_ = nullptr;
  float* dlogits_ = nullptr;
  double* losses_ = nullptr;
};

}  // namespace frugal::cuda
