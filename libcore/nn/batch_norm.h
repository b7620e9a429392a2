#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/weights.h"

namespace frugal {

/// Batch normalisation of rows of `dim` units: y = gamma (x - mean) / sqrt(variance + 1e-5) + beta,
/// in training with the moments of the batch, else with running ones (Ioffe, Szegedy, ICML 2015;
/// initial values, the momentum 0.1 and names of tensors as PyTorch's BatchNorm1d). A batch's rows
/// are worked on in chunks by any threads; sums are made in the order of chunks and groups.
class BatchNorm {
 public:
  explicit BatchNorm(std::size_t dim);

  /// The moments of a batch.
  struct Batch {
    std::size_t rows = 0;
    std::vector<std::size_t> chunk_rows;
    std::vector<float> chunk_means, chunk_squares;  ///< [chunks, dim] sums of squared deviations
    std::vector<double> mean, variance;             ///< [dim]
    /// [dim] x with mean 0 and variance 1 is x inverse + centre, the output x factor + shift.
    std::vector<float> inverse, centre, factor, shift;
    /// [dim] the mean over the rows of what is taken from dy: offset + slope x.
    std::vector<float> slope, offset;
  };

  /// Training, first: for each of `chunks` chunks add_chunk(), then finish_moments().
  void begin_batch(Batch& batch, std::size_t rows, std::size_t chunks) const;
  void add_chunk(Batch& batch, std::size_t chunk, MatrixView<const float> x) const;
  void finish_moments(Batch& batch) const;
  /// Otherwise: the running moments.
  void use_running(Batch& batch) const;
  /// y = the normalised x; they may be the same rows.
  void normalize(const Batch& batch, MatrixView<const float> x, MatrixView<float> y) const;

  /// Backward, first: adds the gradients of gamma and beta of all rows to their groups; then
  /// finish_sums(), which moves the running moments, too.
  void add_gradient(const Batch& batch, std::size_t group, MatrixView<const float> x,
                    MatrixView<const float> dy);
  void finish_sums(Batch& batch);
  /// dx = the gradient by x.
  void backward(const Batch& batch, MatrixView<const float> x, MatrixView<const float> dy,
                MatrixView<float> dx) const;

  std::size_t dim() const { return gamma_.out(); }
  Weights& gamma() { return gamma_; }
  Weights& beta() { return beta_; }
  std::span<float> running_mean() { return running_mean_; }
  std::span<float> running_variance() { return running_variance_; }
  /// Tensors `name`.running_mean and .running_var; the others are the Weights' own.
  void save_running(Document& document, const std::string& name) const;
  void load_running(const Document& document, const std::string& path, const std::string& name);

 private:
  void set_factors(Batch& batch) const;

  Weights gamma_, beta_;
  std::vector<float> running_mean_, running_variance_;
};

}  // namespace frugal
