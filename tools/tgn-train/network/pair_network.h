#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "tools/tgn-train/network/embedding_layer.h"

namespace frugal::tgn {

/// Features of the stream that steps read.
struct StepFeatures {
  FeatureRows edges, nodes;
};

/// The step that a pair network reads. Its plan has a layer of queries: for each event its source,
/// its destination and StepPlan::others other destinations.
struct PairStep {
  const StepPlan* plan = nullptr;
  const StepFeatures* features = nullptr;
  TimeEncoder* time = nullptr;
};

/// A network without memory that computes the logit of a pair from both ends at once, so that the
/// embedding of a node depends on the node it is paired with. It keeps what the backward pass
/// needs, so only one pass can be open at a time.
class PairNetwork {
 public:
  virtual ~PairNetwork() = default;

  virtual void randomize(std::uint64_t seed) = 0;
  /// Computes the logits, [events * (1 + others)], of each event's source with its destination,
  /// then with each other destination.
  virtual void forward(const PairStep& step, const TgnPass& pass, std::span<float> logits) = 0;
  /// Must follow a forward pass for training. Adds to the gradient of the time encoder.
  virtual void backward(const PairStep& step, std::span<const float> dlogits,
                        ParameterSteps& steps) = 0;

  virtual void visit_parameters(const ParameterVisit& each) = 0;
  virtual void save(Document& document) const = 0;
  virtual void load(const Document& document, const std::string& path) = 0;
};

}  // namespace frugal::tgn
