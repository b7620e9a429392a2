#include "tools/sparse-train/network/predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/linear.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kChunkExamples = 32;  ///< examples
constexpr std::size_t kLabelBlock = 2048;   ///< labels whose logits are held at a time

}  // namespace

struct Predictor::Scratch {
  Array<float> hidden;
  Array<float> logits;
  std::vector<float> rows;  ///< of a block of labels, where they are kept as bf16
  std::vector<double> sum;  ///< of exp(logit - largest) of each example
  std::vector<float> largest;
};

Predictor::Predictor(const Network& network, std::size_t top_k)
    : network_(network), k_(std::min(top_k, network.labels.rows())) {}

std::vector<ScoredLabel> Predictor::predict(const Dataset& data, std::size_t begin,
                                            std::size_t end) const {
  std::vector<ScoredLabel> out((end - begin) * k_);
  const std::size_t chunks = (end - begin + kChunkExamples - 1) / kChunkExamples;
  parallel_ranges(chunks, [&](std::size_t first, std::size_t last, int) {
    Scratch scratch;
    for (std::size_t c = first; c < last; ++c) {
      const std::size_t from = begin + c * kChunkExamples;
      predict_chunk(data, from, std::min(from + kChunkExamples, end), scratch,
                    out.data() + c * kChunkExamples * k_);
    }
  });
  return out;
}

void Predictor::predict_chunk(const Dataset& data, std::size_t begin, std::size_t end,
                              Scratch& scratch, ScoredLabel* out) const {
  const std::size_t rows = end - begin;
  const std::size_t stride = network_.hidden_stride();
  const std::size_t num_labels = network_.labels.rows();
  if (scratch.hidden.empty()) {
    scratch.hidden = Array<float>(kChunkExamples * stride);
    scratch.logits = Array<float>(kChunkExamples * std::min(kLabelBlock, num_labels));
  }
  scratch.sum.assign(rows, 0.0);
  scratch.largest.assign(rows, -std::numeric_limits<float>::infinity());
  for (std::size_t r = 0; r < rows; ++r) {
    network_.hidden_units({data.features_of(begin + r), data.values_of(begin + r)},
                          scratch.hidden.data() + r * stride);
  }
  std::fill(out, out + rows * k_, ScoredLabel{0, -std::numeric_limits<float>::infinity()});
  for (std::size_t l = 0; l < num_labels; l += kLabelBlock) score_block(l, rows, scratch, out);
  for (std::size_t r = 0; r < rows; ++r) {
    for (ScoredLabel& s : std::span(out + r * k_, k_)) {
      s.score =
          network_.shape.loss == LossKind::one_vs_all
              ? 1 / (1 + std::exp(-s.score))
              : static_cast<float>(std::exp(static_cast<double>(s.score - scratch.largest[r])) /
                                   scratch.sum[r]);
    }
  }
}

void Predictor::score_block(std::size_t label_begin, std::size_t rows, Scratch& scratch,
                            ScoredLabel* out) const {
  const std::size_t label_end = std::min(label_begin + kLabelBlock, network_.labels.rows());
  const std::size_t n = label_end - label_begin;
  const MatrixView<const float> h(scratch.hidden.data(), rows, network_.labels.dim(),
                                  network_.hidden_stride());
  const MatrixView<float> z(scratch.logits.data(), rows, n);
  linear_forward(h, network_.labels.rows_between(label_begin, label_end, scratch.rows), {}, z);
  for (std::size_t r = 0; r < rows; ++r) {
    ScoredLabel* best = out + r * k_;
    float* logits = z.row(r);
    for (std::size_t j = 0; j < n; ++j) {
      if (logits[j] > best[k_ - 1].score) {
        insert_ranked({best, k_}, {static_cast<std::uint32_t>(label_begin + j), logits[j]});
      }
    }
    const float largest = std::max(scratch.largest[r], best[0].score);
    scratch.sum[r] = scratch.sum[r] * std::exp(static_cast<double>(scratch.largest[r] - largest)) +
                     static_cast<double>(kernels().exp_sum(logits, largest, n));
    scratch.largest[r] = largest;
  }
}

}  // namespace frugal::sparse
