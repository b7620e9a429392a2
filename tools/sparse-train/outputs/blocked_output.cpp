#include "tools/sparse-train/outputs/blocked_output.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/linear.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kExamples = 256;    ///< examples whose logits of a block are stored at a time
constexpr std::size_t kSumExamples = 16;  ///< examples in a piece of stages by example
constexpr std::size_t kMostGroups = 64;
/// Memory for exponentials kept from the first pass for the second.
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;

std::size_t num_pieces_of(std::size_t n, std::size_t piece) { return (n + piece - 1) / piece; }

/// Working memory of a thread, reused between calls.
float* at_least(Array<float>& memory, std::size_t size) {
  if (memory.size() < size) memory = Array<float>(size, uninitialized);
  return memory.data();
}
thread_local Array<float> score_memory, row_gradient_memory;

}  // namespace

BlockedOutput::BlockedOutput(Network& network, const OutputOptions& options)
    : network_(network),
      options_(options),
      wholes_(options.batch_size),
      log_sum_(options.batch_size) {}

void BlockedOutput::set_active(std::size_t outputs, std::size_t first) {
  first_active_ = first;
  num_active_ = outputs;
  const std::size_t block_floats = options_.batch_size * kBlock;
  const std::size_t kept_floats = kKeptBytes / sizeof(float) / options_.shards;
  const bool softmax = network_.shape.loss == LossKind::softmax;
  num_kept_ = softmax ? std::min(num_blocks(), kept_floats / block_floats) : 0;
  if (kept_.size() < num_kept_ * block_floats) {
    kept_ = Array<float>(num_kept_ * block_floats, uninitialized);
  }
  const std::size_t gradient_floats = num_groups() * options_.batch_size * network_.hidden_stride();
  if (gradients_.size() < gradient_floats) {
    gradients_ = Array<float>(gradient_floats, uninitialized);
  }
  parts_.resize(std::max<std::size_t>(1, num_blocks()) * options_.batch_size);
}

std::size_t BlockedOutput::num_groups() const {
  return std::min(num_blocks(), std::max<std::size_t>(1, kMostGroups / options_.shards));
}

BlockedOutput::Range BlockedOutput::outputs_of(std::size_t block) const {
  return {first_active_ + block * kBlock,
          first_active_ + std::min((block + 1) * kBlock, num_active_)};
}

std::size_t BlockedOutput::num_pieces(std::size_t stage, const Batch& batch) const {
  if (stage < num_selections()) return selection_pieces(stage, batch);
  const bool softmax = network_.shape.loss == LossKind::softmax;
  switch (stage - num_selections()) {
    case kScores: return softmax ? num_blocks() : 0;
    case kNormalisers: return softmax ? num_pieces_of(batch.size(), kSumExamples) : 0;
    case kGradients: return num_groups();
    default: return num_pieces_of(batch.size(), kSumExamples);
  }
}

void BlockedOutput::run(std::size_t stage, std::size_t piece, const Batch& batch) {
  if (stage < num_selections()) return select(stage, piece, batch);
  switch (stage - num_selections()) {
    case kScores: return score(piece, batch);
    case kNormalisers: return normalise(piece, batch);
    case kGradients: return differentiate(piece, batch);
    default: return sum_gradients(piece, batch);
  }
}

MatrixView<float> BlockedOutput::scores(std::size_t block, Range examples) {
  const std::size_t size = outputs_of(block).size();
  if (block < num_kept_) {
    float* kept = kept_.data() + (block * options_.batch_size + examples.begin) * kBlock;
    return {kept, examples.size(), size, kBlock};
  }
  return {at_least(score_memory, kExamples * kBlock), examples.size(), size, kBlock};
}

/// Logits, less the correction of sampled outputs of a softmax but where an example needs none.
void BlockedOutput::logits(std::size_t block, Range examples, const Batch& batch,
                           MatrixView<float> z) const {
  const Range outputs = outputs_of(block);
  linear_forward(batch.hidden.rows_between(examples.begin, examples.end),
                 rows(outputs.begin, outputs.end), {}, z, options_.precision);
  const std::span<const float> correction = log_inclusion();
  if (correction.empty() || network_.shape.loss != LossKind::softmax) return;
  for (std::size_t r = 0; r < z.rows; ++r) {
    for (const auto certain : {targets_of(examples.begin + r), hard_of(examples.begin + r)}) {
      for (const std::uint32_t j : certain) {
        if (outputs.holds(j)) z(r, j - outputs.begin) += correction[j];
      }
    }
  }
}

/// The first pass of a softmax: leaves exp(logit - largest of the block).
void BlockedOutput::score(std::size_t block, const Batch& batch) {
  const Kernels& kernel = kernels();
  const Range outputs = outputs_of(block);
  for (std::size_t begin = 0; begin < batch.size(); begin += kExamples) {
    const Range examples{begin, std::min(begin + kExamples, batch.size())};
    const MatrixView<float> z = scores(block, examples);
    logits(block, examples, batch, z);
    for (std::size_t r = 0; r < z.rows; ++r) {
      Part& mine = part(block, begin + r);
      mine.targets = 0;
      for (const std::uint32_t j : targets_of(begin + r)) {
        if (outputs.holds(j)) mine.targets += static_cast<double>(z(r, j - outputs.begin));
      }
      mine.largest = kernel.max(z.row(r), z.cols);
      mine.sum = static_cast<double>(kernel.exp_sum(z.row(r), mine.largest, z.cols));
    }
  }
}

void BlockedOutput::normalise(std::size_t piece, const Batch& batch) {
  const std::size_t end = std::min((piece + 1) * kSumExamples, batch.size());
  for (std::size_t k = piece * kSumExamples; k < end; ++k) {
    wholes_[k] = join(parts_.data() + k, options_.batch_size, num_blocks());
    if (options_.shards == 1) batch.losses[k] = set_normaliser(k, wholes_[k]);
  }
}

BlockedOutput::Part BlockedOutput::join(const Part* parts, std::size_t stride, std::size_t n) {
  Part whole{-std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < n; ++i)
    whole.largest = std::max(whole.largest, parts[i * stride].largest);
  for (std::size_t i = 0; i < n; ++i) {
    const Part& p = parts[i * stride];
    whole.sum += p.sum * std::exp(static_cast<double>(p.largest - whole.largest));
    whole.targets += p.targets;
  }
  return whole;
}

double BlockedOutput::set_normaliser(std::size_t k, const Part& whole) {
  log_sum_[k] = static_cast<double>(whole.largest) + std::log(whole.sum);
  const std::size_t own = targets_of(k).size();
  return own == 0 ? 0 : log_sum_[k] - whole.targets / static_cast<double>(own);
}

void BlockedOutput::differentiate(std::size_t group, const Batch& batch) {
  const std::size_t stride = network_.hidden_stride();
  const MatrixView<float> dh(gradients_.data() + group * options_.batch_size * stride, batch.size(),
                             network_.labels.dim(), stride);
  const std::size_t begin = group * num_blocks() / num_groups();
  const std::size_t end = (group + 1) * num_blocks() / num_groups();
  for (std::size_t b = begin; b < end; ++b) differentiate_block(b, batch, dh, b == begin);
}

void BlockedOutput::differentiate_block(std::size_t block, const Batch& batch, MatrixView<float> dh,
                                        bool first) {
  const Range outputs = outputs_of(block);
  const std::size_t dim = network_.labels.dim();
  const MatrixView<const float> w = rows(outputs.begin, outputs.end);
  const MatrixView<float> dw(at_least(row_gradient_memory, kBlock * dim), outputs.size(), dim);
  for (std::size_t begin = 0; begin < batch.size(); begin += kExamples) {
    const Range examples{begin, std::min(begin + kExamples, batch.size())};
    const MatrixView<float> z = scores(block, examples);
    if (block >= num_kept_) logits(block, examples, batch, z);
    if (network_.shape.loss == LossKind::softmax) {
      softmax_gradient(block, examples, z);
    } else {
      one_vs_all_gradient(block, examples, z);
    }
    const MatrixView<const float> h = batch.hidden.rows_between(examples.begin, examples.end);
    gemm(z, Transpose::no, w, Transpose::no, dh.rows_between(examples.begin, examples.end), 1,
         first ? 0.0F : 1.0F, options_.precision);
    gemm(z, Transpose::yes, h, Transpose::no, dw, 1, begin == 0 ? 0.0F : 1.0F, options_.precision);
  }
  const bool rounds = network_.labels.half_columns() != 0;
  const Rng keys = rounding_keys(options_.seed, batch.number);
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const std::uint32_t label = label_at(outputs.begin + j);
    const std::uint32_t key = rounds ? static_cast<std::uint32_t>(keys.at(label)) : 0;
    step_biased_row(network_.labels, label - network_.first_label, dw.row(j), batch.rate,
                    options_.optimizer, key);
  }
}

/// From exponentials (kept) or logits to the gradient of the logits.
void BlockedOutput::softmax_gradient(std::size_t block, Range examples, MatrixView<float> z) {
  const Kernels& kernel = kernels();
  const Range outputs = outputs_of(block);
  for (std::size_t r = 0; r < z.rows; ++r) {
    const std::size_t k = examples.begin + r;
    const std::span<const std::uint32_t> own = targets_of(k);
    if (own.empty()) {
      std::fill_n(z.row(r), z.cols, 0.0F);
      continue;
    }
    if (block < num_kept_) {
      const double shift = static_cast<double>(part(block, k).largest) - log_sum_[k];
      kernel.scale(static_cast<float>(std::exp(shift)), z.row(r), z.cols);
    } else {
      kernel.exp_sum(z.row(r), static_cast<float>(log_sum_[k]), z.cols);
    }
    const float share = 1 / static_cast<float>(own.size());
    for (const std::uint32_t j : own) {
      if (outputs.holds(j)) z(r, j - outputs.begin) -= share;
    }
  }
}

void BlockedOutput::one_vs_all_gradient(std::size_t block, Range examples, MatrixView<float> z) {
  const Range outputs = outputs_of(block);
  std::vector<float> sampled;  // what each output stands for, if it is there by chance
  for (std::size_t j = outputs.begin; j < outputs.end && !log_inclusion().empty(); ++j) {
    sampled.push_back(std::exp(-log_inclusion()[j]));
  }
  std::vector<float> weights = sampled;
  std::vector<std::uint32_t> own, certain;
  const auto keep_those_of_block = [&](std::span<const std::uint32_t> all,
                                       std::vector<std::uint32_t>& kept) {
    for (const std::uint32_t j : all) {
      if (outputs.holds(j)) kept.push_back(static_cast<std::uint32_t>(j - outputs.begin));
    }
  };
  for (std::size_t r = 0; r < z.rows; ++r) {
    const std::size_t k = examples.begin + r;
    own.clear();
    keep_those_of_block(targets_of(k), own);
    if (!sampled.empty()) {
      certain = own;
      keep_those_of_block(hard_of(k), certain);
      for (const std::uint32_t j : certain) weights[j] = 1;
    }
    part(block, k).targets = weighted_one_vs_all_loss(z.row_span(r), own, weights, 1);
    for (const std::uint32_t j : certain) weights[j] = sampled[j];
  }
}

void BlockedOutput::sum_gradients(std::size_t piece, const Batch& batch) {
  const std::size_t stride = network_.hidden_stride();
  const std::size_t end = std::min((piece + 1) * kSumExamples, batch.size());
  for (std::size_t k = piece * kSumExamples; k < end; ++k) {
    float* dh = batch.hidden_gradient.row(k);
    const float* from = gradients_.data() + k * stride;
    if (num_groups() == 0) std::fill_n(dh, network_.labels.dim(), 0.0F);
    if (num_groups() != 0) std::copy_n(from, network_.labels.dim(), dh);
    for (std::size_t g = 1; g < num_groups(); ++g) {
      kernels().axpy(1, from + g * options_.batch_size * stride, dh, network_.labels.dim());
    }
    if (network_.shape.loss == LossKind::softmax) continue;
    batch.losses[k] = 0;
    for (std::size_t b = 0; b < num_blocks(); ++b) batch.losses[k] += part(b, k).targets;
  }
}

}  // namespace frugal::sparse
