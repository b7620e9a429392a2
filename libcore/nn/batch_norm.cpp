#include "libcore/nn/batch_norm.h"

#include <Eigen/Core>
#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"

namespace frugal {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr float kMomentum = 0.1F;

// Vectors of a layer's units, in place, for Eigen.
template <class Real>
auto array(const std::vector<Real>& values) {
  return Eigen::Map<const Eigen::Array<Real, Eigen::Dynamic, 1>>(
      values.data(), static_cast<Eigen::Index>(values.size()));
}
template <class Real>
auto array(std::vector<Real>& values) {
  return Eigen::Map<Eigen::Array<Real, Eigen::Dynamic, 1>>(
      values.data(), static_cast<Eigen::Index>(values.size()));
}
auto array(MatrixView<const float> row) {
  return Eigen::Map<const Eigen::ArrayXf>(row.data, static_cast<Eigen::Index>(row.cols));
}

void assign(std::vector<float>& to, const Eigen::ArrayXd& from) {
  to.resize(static_cast<std::size_t>(from.size()));
  array(to) = from.cast<float>();
}

}  // namespace

BatchNorm::BatchNorm(std::size_t dim)
    : gamma_(1, dim), beta_(1, dim), running_mean_(dim, 0.0F), running_variance_(dim, 1.0F) {
  std::fill_n(gamma_.values().data, dim, 1.0F);
  gamma_.changed();
}

void BatchNorm::begin_batch(Batch& batch, std::size_t rows, std::size_t chunks) const {
  batch.rows = rows;
  batch.chunk_rows.assign(chunks, 0);
  batch.chunk_means.assign(chunks * dim(), 0);
  batch.chunk_squares.assign(chunks * dim(), 0);
}

/// Two passes over rows that are in the cache: squares of large numbers would lose what differs.
void BatchNorm::add_chunk(Batch& batch, std::size_t chunk, MatrixView<const float> x) const {
  batch.chunk_rows[chunk] = x.rows;
  float* __restrict mean = batch.chunk_means.data() + chunk * dim();
  float* __restrict squares = batch.chunk_squares.data() + chunk * dim();
  for (std::size_t r = 0; r < x.rows; ++r) kernels().axpy(1, x.row(r), mean, x.cols);
  kernels().scale(1.0F / static_cast<float>(x.rows), mean, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* __restrict row = x.row(r);
    for (std::size_t i = 0; i < x.cols; ++i) {
      squares[i] += (row[i] - mean[i]) * (row[i] - mean[i]);
    }
  }
}

/// Chunks are merged as by Chan, Golub, LeVeque, 1983, equation 2.1.
void BatchNorm::finish_moments(Batch& batch) const {
  batch.mean.assign(dim(), 0);
  batch.variance.assign(dim(), 0);
  auto mean = array(batch.mean), variance = array(batch.variance);
  const auto units = static_cast<Eigen::Index>(dim());
  double seen = 0;
  for (std::size_t c = 0; c < batch.chunk_rows.size(); ++c) {
    const auto rows = static_cast<double>(batch.chunk_rows[c]);
    if (rows == 0) continue;
    const double total = seen + rows;
    const auto first = static_cast<Eigen::Index>(c) * units;
    const Eigen::ArrayXd difference =
        array(batch.chunk_means).segment(first, units).cast<double>() - mean;
    mean += difference * rows / total;
    variance += array(batch.chunk_squares).segment(first, units).cast<double>() +
                difference * difference * seen * rows / total;
    seen = total;
  }
  variance /= std::max(seen, 1.0);
  set_factors(batch);
}

void BatchNorm::use_running(Batch& batch) const {
  batch.mean.assign(running_mean_.begin(), running_mean_.end());
  batch.variance.assign(running_variance_.begin(), running_variance_.end());
  set_factors(batch);
}

void BatchNorm::set_factors(Batch& batch) const {
  const auto mean = array(batch.mean);
  const Eigen::ArrayXd inverse = 1 / (array(batch.variance) + kEpsilon).sqrt();
  const Eigen::ArrayXd factor = array(gamma_.values()).cast<double>() * inverse;
  assign(batch.inverse, inverse);
  assign(batch.centre, -mean * inverse);
  assign(batch.factor, factor);
  assign(batch.shift, array(beta_.values()).cast<double>() - mean * factor);
}

void BatchNorm::normalize(const Batch& batch, MatrixView<const float> x,
                          MatrixView<float> y) const {
  const float* factor = batch.factor.data();
  const float* shift = batch.shift.data();
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* from = x.row(r);
    float* to = y.row(r);
    for (std::size_t i = 0; i < x.cols; ++i) to[i] = from[i] * factor[i] + shift[i];
  }
}

/// The sums of dy and of dy times the normalised x, which is x inverse + centre.
void BatchNorm::add_gradient(const Batch& batch, std::size_t group, MatrixView<const float> x,
                             MatrixView<const float> dy) {
  float* __restrict dgamma = gamma_.gradient(group).data;
  float* __restrict dbeta = beta_.gradient(group).data;
  const float* __restrict inverse = batch.inverse.data();
  const float* __restrict centre = batch.centre.data();
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* __restrict from = x.row(r);
    const float* __restrict gradient = dy.row(r);
    for (std::size_t i = 0; i < x.cols; ++i) {
      dbeta[i] += gradient[i];
      dgamma[i] += gradient[i] * (from[i] * inverse[i] + centre[i]);
    }
  }
}

void BatchNorm::finish_sums(Batch& batch) {
  const std::vector<float> dgamma = gamma_.total_gradient(), dbeta = beta_.total_gradient();
  const auto rows = static_cast<double>(std::max<std::size_t>(batch.rows, 1));
  const auto mean = array(batch.mean), variance = array(batch.variance);
  const Eigen::ArrayXd slope =
      array(dgamma).cast<double>() / rows * array(batch.inverse).cast<double>();
  assign(batch.slope, slope);
  assign(batch.offset, array(dbeta).cast<double>() / rows - mean * slope);
  if (batch.rows < 2) return;
  auto running_mean = array(running_mean_), running_variance = array(running_variance_);
  running_mean += kMomentum * (mean.cast<float>() - running_mean);
  running_variance += kMomentum * ((variance * rows / (rows - 1)).cast<float>() - running_variance);
}

/// dx = gamma inverse (dy - mean(dy) - xhat mean(dy xhat)), the means over the rows.
void BatchNorm::backward(const Batch& batch, MatrixView<const float> x, MatrixView<const float> dy,
                         MatrixView<float> dx) const {
  const float* factor = batch.factor.data();
  const float* slope = batch.slope.data();
  const float* offset = batch.offset.data();
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* from = x.row(r);
    const float* gradient = dy.row(r);
    float* __restrict to = dx.row(r);
    for (std::size_t i = 0; i < x.cols; ++i) {
      to[i] = factor[i] * (gradient[i] - offset[i] - slope[i] * from[i]);
    }
  }
}

void BatchNorm::save_running(Document& document, const std::string& name) const {
  document.tensors.push_back(
      Tensor::copy_of<float>(name + ".running_mean", {dim()}, running_mean_));
  document.tensors.push_back(
      Tensor::copy_of<float>(name + ".running_var", {dim()}, running_variance_));
}

void BatchNorm::load_running(const Document& document, const std::string& path,
                             const std::string& name) {
  const auto read = [&](const std::string& tensor, std::vector<float>& to) {
    const auto from = shaped_tensor(document, path, tensor, {dim()}).as<float>();
    to.assign(from.begin(), from.end());
  };
  read(name + ".running_mean", running_mean_);
  read(name + ".running_var", running_variance_);
}

}  // namespace frugal
