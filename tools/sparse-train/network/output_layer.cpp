#include "tools/sparse-train/network/output_layer.h"

#include <algorithm>
#include <cassert>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/linear.h"

namespace frugal {
namespace {

constexpr std::size_t kPieceRows = 128;  ///< labels a piece of gather() and update()

std::size_t num_pieces(std::size_t rows) { return (rows + kPieceRows - 1) / kPieceRows; }

/// What dense and shared have in common: logits as one matrix product for a range of examples.
class MatrixOutput : public OutputLayer {
 public:
  MatrixOutput(Network& network, const Dataset& data, const OutputOptions& options)
      : network_(network), data_(data), options_(options) {}

  void forward_backward(std::size_t begin, MatrixView<const float> h, MatrixView<float> dh,
                        std::span<double> losses) override {
    const MatrixView<const float> w = active_weights();
    const MatrixView<float> z = logits(begin, h.rows);
    linear_forward(h, w, {}, z, options_.precision);
    for (std::size_t r = 0; r < h.rows; ++r) {
      losses[r] = loss_and_gradient(network_.shape.loss, z.row_span(r), targets_of(begin + r),
                                    log_inclusion(), 1.0F);
    }
    linear_backward_input(z, w, dh, options_.precision);
  }

  std::size_t num_update_pieces() const override { return num_pieces(num_active()); }

  void update(std::size_t piece, MatrixView<const float> h, float rate) override {
    const std::size_t begin = piece * kPieceRows;
    const std::size_t end = std::min(begin + kPieceRows, num_active());
    const MatrixView<const float> dz(logits_.data() + begin, h.rows, end - begin, num_active());
    thread_local Array<float> gradient;
    if (gradient.size() < kPieceRows * h.cols) gradient = Array<float>(kPieceRows * h.cols);
    const MatrixView<float> dw(gradient.data(), end - begin, h.cols);
    linear_backward_weights(dz, h, dw, {}, options_.precision);
    for (std::size_t j = begin; j < end; ++j) {
      step_biased_row(network_.labels, label_at(j), dw.row(j - begin), rate, options_.optimizer);
    }
  }

 protected:
  virtual MatrixView<const float> active_weights() const = 0;  ///< [active, hidden + 1]
  virtual std::size_t label_at(std::size_t column) const = 0;
  virtual std::span<const std::uint32_t> targets_of(std::size_t k) const = 0;
  virtual std::span<const float> log_inclusion() const = 0;

  /// Makes room for the logits of a whole batch.
  void resize_logits() {
    const std::size_t size = options_.batch_size * num_active();
    if (logits_.size() < size) logits_ = Array<float>(size, uninitialized);
  }

  Network& network_;
  const Dataset& data_;
  OutputOptions options_;

 private:
  MatrixView<float> logits(std::size_t begin, std::size_t rows) {
    return {logits_.data() + begin * num_active(), rows, num_active()};
  }

  Array<float> logits_;  ///< [batch, active]; forward_backward() leaves their gradient here
};

class DenseOutput : public MatrixOutput {
 public:
  using MatrixOutput::MatrixOutput;

  void prepare(std::uint64_t, std::span<const std::uint32_t> examples) override {
    next_ = examples;
  }
  void advance() override {
    examples_ = next_;
    resize_logits();
  }
  std::size_t num_gather_pieces() const override { return 0; }
  void gather(std::size_t) override {}
  std::size_t num_active() const override { return network_.labels.rows(); }

 protected:
  MatrixView<const float> active_weights() const override { return network_.labels.weights(); }
  std::size_t label_at(std::size_t column) const override { return column; }
  std::span<const std::uint32_t> targets_of(std::size_t k) const override {
    return data_.labels_of(examples_[k]);
  }
  std::span<const float> log_inclusion() const override { return {}; }

 private:
  std::span<const std::uint32_t> next_;
  std::span<const std::uint32_t> examples_;
};

class SharedOutput : public MatrixOutput {
 public:
  SharedOutput(Network& network, const Dataset& data, const OutputOptions& options)
      : MatrixOutput(network, data, options),
        uniform_(data.num_labels, options.negatives, options.seed),
        builder_(data, uniform_) {}

  void prepare(std::uint64_t batch, std::span<const std::uint32_t> examples) override {
    builder_.build(batch, examples, next_);
  }
  void advance() override {
    std::swap(current_, next_);
    const std::size_t size = current_.labels.size() * network_.labels.dim();
    if (weights_.size() < size) weights_ = Array<float>(size + size / 4, uninitialized);
    resize_logits();
  }
  std::size_t num_gather_pieces() const override { return num_pieces(num_active()); }
  void gather(std::size_t piece) override {
    const std::size_t begin = piece * kPieceRows;
    const std::size_t rows = std::min(kPieceRows, num_active() - begin);
    const std::size_t dim = network_.labels.dim();
    kernels().gather_rows(network_.labels.data(), network_.labels.stride(), dim,
                          current_.labels.data() + begin, rows, weights_.data() + begin * dim, dim);
  }
  std::size_t num_active() const override { return current_.labels.size(); }

 protected:
  MatrixView<const float> active_weights() const override {
    return {weights_.data(), num_active(), network_.labels.dim()};
  }
  std::size_t label_at(std::size_t column) const override { return current_.labels[column]; }
  std::span<const std::uint32_t> targets_of(std::size_t k) const override {
    return current_.targets_of(k);
  }
  std::span<const float> log_inclusion() const override {
    if (!options_.correct_sampling) return {};
    return current_.log_inclusion;
  }

 private:
  UniformCandidates uniform_;
  SharedActiveSet builder_;
  ActiveSet next_;
  ActiveSet current_;
  Array<float> weights_;  ///< [active, hidden + 1]: the rows of this batch, side by side
};

}  // namespace

std::unique_ptr<OutputLayer> make_dense_output(Network& network, const Dataset& data,
                                               const OutputOptions& options) {
  return std::make_unique<DenseOutput>(network, data, options);
}

std::unique_ptr<OutputLayer> make_shared_output(Network& network, const Dataset& data,
                                                const OutputOptions& options) {
  return std::make_unique<SharedOutput>(network, data, options);
}

}  // namespace frugal
