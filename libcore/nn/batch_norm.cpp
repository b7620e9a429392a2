#include "libcore/nn/batch_norm.h"

#include <algorithm>
#include <cmath>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"

namespace frugal {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr float kMomentum = 0.1F;

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
  double seen = 0;
  for (std::size_t c = 0; c < batch.chunk_rows.size(); ++c) {
    const auto rows = static_cast<double>(batch.chunk_rows[c]);
    if (rows == 0) continue;
    const double total = seen + rows;
    for (std::size_t i = 0; i < dim(); ++i) {
      const std::size_t at = c * dim() + i;
      const double difference = static_cast<double>(batch.chunk_means[at]) - batch.mean[i];
      batch.mean[i] += difference * rows / total;
      batch.variance[i] += static_cast<double>(batch.chunk_squares[at]) +
                           difference * difference * seen * rows / total;
    }
    seen = total;
  }
  for (double& v : batch.variance) v /= std::max(seen, 1.0);
  set_factors(batch);
}

void BatchNorm::use_running(Batch& batch) const {
  batch.mean.assign(running_mean_.begin(), running_mean_.end());
  batch.variance.assign(running_variance_.begin(), running_variance_.end());
  set_factors(batch);
}

void BatchNorm::set_factors(Batch& batch) const {
  batch.inverse.resize(dim());
  batch.centre.resize(dim());
  batch.factor.resize(dim());
  batch.shift.resize(dim());
  for (std::size_t i = 0; i < dim(); ++i) {
    const double inverse = 1 / std::sqrt(batch.variance[i] + kEpsilon);
    const double factor = static_cast<double>(gamma_.values().data[i]) * inverse;
    batch.inverse[i] = static_cast<float>(inverse);
    batch.centre[i] = static_cast<float>(-batch.mean[i] * inverse);
    batch.factor[i] = static_cast<float>(factor);
    batch.shift[i] =
        static_cast<float>(static_cast<double>(beta_.values().data[i]) - batch.mean[i] * factor);
  }
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
  batch.slope.resize(dim());
  batch.offset.resize(dim());
  const auto rows = static_cast<double>(std::max<std::size_t>(batch.rows, 1));
  for (std::size_t i = 0; i < dim(); ++i) {
    const double slope =
        static_cast<double>(dgamma[i]) / rows * static_cast<double>(batch.inverse[i]);
    batch.slope[i] = static_cast<float>(slope);
    batch.offset[i] =
        static_cast<float>(static_cast<double>(dbeta[i]) / rows - batch.mean[i] * slope);
  }
  if (batch.rows < 2) return;
  for (std::size_t i = 0; i < dim(); ++i) {
    const auto mean = static_cast<float>(batch.mean[i]);
    const auto variance = static_cast<float>(batch.variance[i] * rows / (rows - 1));
    running_mean_[i] += kMomentum * (mean - running_mean_[i]);
    running_variance_[i] += kMomentum * (variance - running_variance_[i]);
  }
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
