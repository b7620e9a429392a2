#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/weights.h"

namespace frugal {

/// Batch normalisation of rows of `dim` units: y = gamma (x - mean) / sqrt(variance + 1e-5) + beta.
/// In training, mean and variance are those of the batch, otherwise running ones (Ioffe, Szegedy,
/// ICML 2015). Initial values, the momentum 0.1 and tensor names are those of PyTorch's
/// BatchNorm1d. Any threads may process a batch's rows in chunks; sums are made in the order of
/// chunks and groups.
class BatchNorm {
 public:
  explicit BatchNorm(std::size_t dim);

  /// Mean and variance of a batch, and what is derived from them.
  struct Batch {
    std::size_t rows = 0;
    std::vector<std::size_t> chunk_rows;
    std::vector<float> chunk_means, chunk_squares;  ///< [chunks, dim] sums of squared deviations
    std::vector<double> mean, variance;             ///< [dim]
    /// [dim] x inverse + centre has mean 0 and variance 1; the output is x factor + shift.
    std::vector<float> inverse, centre, factor, shift;
    /// [dim] offset + slope x is subtracted from dy: its means over the rows.
    std::vector<float> slope, offset;
  };

  /// Forward pass in training: begin_batch(), add_chunk() for each of `chunks` chunks, then
  /// finish_moments().
  void begin_batch(Batch& batch, std::size_t rows, std::size_t chunks) const;
  void add_chunk(Batch& batch, std::size_t chunk, MatrixView<const float> x) const;
  void finish_moments(Batch& batch) const;
  /// Forward pass otherwise: uses the running moments.
  void use_running(Batch& batch) const;
  /// y = the normalised x; x and y may be the same rows.
  void normalize(const Batch& batch, MatrixView<const float> x, MatrixView<float> y) const;

  /// Backward pass: add_gradient() adds the gradients of gamma and beta of all rows to their
  /// groups; then finish_sums(), which also updates the running moments.
  void add_gradient(const Batch& batch, std::size_t group, MatrixView<const float> x,
                    MatrixView<const float> dy);
  void finish_sums(Batch& batch);
  /// dx = gradient of x.
  void backward(const Batch& batch, MatrixView<const float> x, MatrixView<const float> dy,
                MatrixView<float> dx) const;

  std::size_t dim() const { return gamma_.out(); }
  Weights& gamma() { return gamma_; }
  Weights& beta() { return beta_; }
  std::span<float> running_mean() { return running_mean_; }
  std::span<float> running_variance() { return running_variance_; }
  /// Tensors `name`.running_mean and .running_var; gamma and beta are saved as Weights.
  void save_running(Document& document, const std::string& name) const;
  void load_running(const Document& document, const std::string& path, const std::string& name);

 private:
  void set_factors(Batch& batch) const;

  Weights gamma_, beta_;
  std::vector<float> running_mean_, running_variance_;
};

}  // namespace frugal
