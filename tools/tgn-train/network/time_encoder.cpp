#include "tools/tgn-train/network/time_encoder.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"

namespace frugal::tgn {
namespace {

/// -log10 of the smallest initial w (twitter-research/tgn, model/time_encoding).
constexpr double kDecades = 9;

}  // namespace

TimeEncoder::TimeEncoder(std::size_t dim, bool trained) : w_(dim), b_(dim), trained_(trained) {
  for (std::size_t j = 0; j < dim; ++j) {
    const double share = dim == 1 ? 0 : static_cast<double>(j) / static_cast<double>(dim - 1);
    w_.values()[j] = static_cast<float>(std::pow(10, -kDecades * share));
  }
}

void TimeEncoder::randomize(std::uint64_t seed, std::uint64_t stream) {
  fill_uniform({w_.values().data(), 1, dim()}, 1, seed, stream);
  fill_uniform({b_.values().data(), 1, dim()}, 1, seed, stream, 1);
}

void TimeEncoder::encode(std::span<const double> dt, MatrixView<float> out) const {
  assert(out.rows == dt.size() && out.cols == dim());
  kernels().time_encode({dt.data(), dt.size(), w_.values().data(), b_.values().data(), dim()},
                        out.data, out.stride);
}

void TimeEncoder::add_gradient(std::span<const double> dt, MatrixView<const float> dout) {
  if (!trained_) return;
  kernels().time_encode_backward(
      {dt.data(), dt.size(), w_.values().data(), b_.values().data(), dim()}, dout.data, dout.stride,
      w_.gradient(), b_.gradient());
}

void TimeEncoder::add_gradient_at_zero(std::span<const float> sums) {
  const double zero = 0;
  add_gradient({&zero, 1}, {sums.data(), 1, sums.size()});
}

void TimeEncoder::visit_parameters(const ParameterVisit& each, const std::string& name) {
  each.vector(name + ".weight", w_, trained_);
  each.vector(name + ".bias", b_, trained_);
}

void TimeEncoder::leave_steps(ParameterSteps& steps) {
  if (!trained_) return;
  steps.add(w_);
  steps.add(b_);
}

void TimeEncoder::rest() {
  if (!trained_) return;
  w_.rest();
  b_.rest();
}

void TimeEncoder::save(Document& document, const std::string& name) const {
  document.tensors.push_back(Tensor::copy_of<float>(name + ".weight", {dim(), 1}, w_.values()));
  document.tensors.push_back(Tensor::copy_of<float>(name + ".bias", {dim()}, b_.values()));
}

void TimeEncoder::load(const Document& document, const std::string& path, const std::string& name) {
  const auto w = shaped_tensor(document, path, name + ".weight", {dim(), 1}).as<float>();
  const auto b = shaped_tensor(document, path, name + ".bias", {dim()}).as<float>();
  std::copy(w.begin(), w.end(), w_.values().begin());
  std::copy(b.begin(), b.end(), b_.values().begin());
}

}  // namespace frugal::tgn
