#pragma once
/// Message-passing layers on the device: gnn-sample's conv.h.
#include <memory>
#include <string>

#include "libcore/device/cuda/engines/device_vector.h"
#include "libcore/device/cuda/engines/gnn/gnn_batch.h"
#include "libcore/device/cuda/kernels/graph/graph_attention.h"

namespace frugal::cuda {

/// Sorts the edges of a block by source. All layers use the same arrays, one after another.
class EdgeSorter {
 public:
  /// Places the arrays, for at most `edges` edges and `sources` sources.
  void lay_out(Workspace& room, std::uint64_t edges, std::uint64_t sources);
  std::uint32_t *keys = nullptr, *numbers = nullptr, *owners = nullptr;  ///< filled by the caller
  EdgesBySource sort(std::uint32_t edges, std::uint32_t sources, const Stream& stream) const;

 private:
  std::uint32_t *sorted_keys_ = nullptr, *sorted_ = nullptr, *offsets_ = nullptr;
  char* room_ = nullptr;
  std::uint64_t room_bytes_ = 0;
};

/// Arguments of a layer in one step.
struct GnnCall {
  MessageBlock block;
  const std::uint32_t *targets, *sources;  ///< their numbers, on the device
  FloatRows x;                             ///< [sources, in]
  const std::uint32_t* degrees;            ///< [sources] if a layer needs them
  RowDropout attention;
  const EdgeSorter* sorter;
  const ProductLibrary* library;
  const Stream& stream;

  RowRange of_targets() const { return {nullptr, targets, block.targets, library}; }
  RowRange of_sources() const { return {nullptr, sources, block.sources, library}; }
  RowsIn rows() const { return {x.data, x.stride}; }
};

/// Settings and memory that layers are constructed with.
struct GnnParts {
  Products products;
  RuleChoice rule;
  bool decay_first_only;  ///< weight decay applies only to parameters of the first convolution
  GnnSizes expected;
  Room& room;
  NamedArrays& arrays;

  /// Optimiser of the parameters whose names begin with `name`.
  RuleChoice rule_of(const std::string& name) const {
    RuleChoice choice = rule;
    const bool first = (name + ".").compare(0, 8, "convs.0.") == 0;
    if (decay_first_only && !first) choice.numbers.decay = 0;
    return choice;
  }
};

class GnnConv {
 public:
  virtual ~GnnConv() = default;
  virtual std::uint32_t num_outputs() const = 0;
  /// Places the arrays that the forward and the backward pass share.
  virtual void lay_out(Workspace& room, const GnnSizes& sizes) = 0;
  /// out: [targets, outputs].
  virtual void forward(const GnnCall& call, float* out) = 0;
  /// dx: gradient of the input [sources, in], or null if it is not needed.
  virtual void backward(const GnnCall& call, const float* dy, float* dx) = 0;
  virtual void step(const StepValues* values, StepList& list) = 0;
};

struct GnnConvShape {
  std::string name;         ///< prefix of its arrays, "convs.0"
  std::uint32_t block = 0;  ///< index of the block it reads
  std::uint32_t in = 0, out = 0;
  bool bias = true;
};

std::unique_ptr<GnnConv> make_dense_conv(const GnnConvShape& shape, const GnnParts& parts);
std::unique_ptr<GnnConv> make_sage_conv(const GnnConvShape& shape, bool largest,
                                        const GnnParts& parts);
std::unique_ptr<GnnConv> make_gcn_conv(const GnnConvShape& shape, const GnnParts& parts);
std::unique_ptr<GnnConv> make_gin_conv(const GnnConvShape& shape, bool train_epsilon,
                                       const GnnParts& parts);
/// shape.out: outputs of each head.
std::unique_ptr<GnnConv> make_gat_conv(const GnnConvShape& shape, std::uint32_t heads,
                                       bool concatenates, const GnnParts& parts);

}  // namespace frugal::cuda
