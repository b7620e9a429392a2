#pragma once
#include <span>
#include <string>

#include "libcore/base/view.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/network/parameter_steps.h"

namespace frugal::tgn {

/// Encodes times as cos(w dt + b) (Xu et al., ICLR 2020; Rossi et al. 2020, section 3.1). Initially
/// w ranges from 1 to 1e-9. Phases are exact to 1e-6 for differences up to 1e9.
class TimeEncoder {
 public:
  TimeEncoder(std::size_t dim, bool trained);
  /// Draws w and b uniformly from [-1, 1], as PyTorch's layer with one input.
  void randomize(std::uint64_t seed, std::uint64_t stream);

  std::size_t dim() const { return w_.size(); }
  /// out: [dt.size(), dim].
  void encode(std::span<const double> dt, MatrixView<float> out) const;
  /// Adds the gradient of the encodings of dt, or, from its sums over the rows, [dim], that of
  /// encodings of 0. Does nothing if the encoder is fixed.
  void add_gradient(std::span<const double> dt, MatrixView<const float> dout);
  void add_gradient_at_zero(std::span<const float> sums);

  /// Visits w as `name`.weight and b as `name`.bias.
  void visit_parameters(const ParameterVisit& each, const std::string& name);
  void leave_steps(ParameterSteps& steps);
  /// Counts a step in which no gradient could reach the encoder.
  void rest();

  /// Tensors `name`.weight [dim, 1] and `name`.bias [dim], as PyTorch stores a layer with one
  /// input.
  void save(Document& document, const std::string& name) const;
  void load(const Document& document, const std::string& path, const std::string& name);

 private:
  VectorParameter w_, b_;
  bool trained_;
};

}  // namespace frugal::tgn
