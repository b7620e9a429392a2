#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "tools/sparse-train/outputs/output_layer.h"

namespace frugal::sparse {

/// Base of the outputs `dense` and `shared`. All examples of a batch have the same outputs, whose
/// logits are matrix products. They are computed block by block and never stored together. The
/// first pass computes the largest logit and the sum of exponentials of each block. With the
/// normaliser from these, the second pass computes the block's gradients (Milakov, Gimelshein,
/// "Online normalizer calculation for softmax", 2018, over blocks). Exponentials of as many blocks
/// as fit into a fixed memory are kept between the passes; the others are computed twice.
/// One-vs-all needs one pass only. Outputs are rows of a block, so a block's rows are stepped
/// together. Gradients of the hidden units are summed by groups of blocks, then in the order of the
/// groups.
class BlockedOutput : public OutputLayer {
 public:
  BlockedOutput(Network& network, const OutputOptions& options);

  std::size_t num_stages() const final { return num_selections() + kNumStages; }
  std::size_t num_pieces(std::size_t stage, const Batch& batch) const final;
  void run(std::size_t stage, std::size_t piece, const Batch& batch) final;
  double active_per_example() const override { return static_cast<double>(num_active_); }

  /// Partial softmax of an example over some outputs: a block, or all of a layer.
  struct Part {
    float largest = 0;   ///< largest logit
    double sum = 0;      ///< sum of exp(logit - largest)
    double targets = 0;  ///< sum of the logits of the example's own labels; one-vs-all: the loss
  };
  /// Combines parts[0], parts[stride], ..., parts[(n - 1) stride], in this order.
  static Part join(const Part* parts, std::size_t stride, std::size_t n);

  // For a layer that is one of several shards (sharded_output.h), between its stages:
  /// True if parts must be exchanged, or gradients and losses summed, after `stage`.
  bool ends_parts(std::size_t stage) const { return stage == num_selections() + kNormalisers; }
  bool ends_sums(std::size_t stage) const { return stage == num_selections() + kSums; }
  const Part& whole_part(std::size_t k) const { return wholes_[k]; }
  /// Sets the combined part of all shards. Returns the loss.
  double set_normaliser(std::size_t k, const Part& whole);

 protected:
  static constexpr std::size_t kBlock = 128;  ///< outputs

  /// Number of stages that choose the outputs, before those that compute them. The last of them, or
  /// advance(), calls set_active().
  virtual std::size_t num_selections() const { return 0; }
  virtual std::size_t selection_pieces(std::size_t, const Batch&) const { return 0; }
  virtual void select(std::size_t, std::size_t, const Batch&) {}

  /// Weights and biases of outputs [begin, end). For a softmax, biases of sampled outputs are
  /// reduced by log_inclusion().
  virtual MatrixView<const float> rows(std::size_t begin, std::size_t end) const = 0;
  virtual std::uint32_t label_at(std::size_t output) const = 0;
  /// Outputs of the k-th example's own labels. hard_of(): other outputs of the example that need no
  /// correction.
  virtual std::span<const std::uint32_t> targets_of(std::size_t k) const = 0;
  virtual std::span<const std::uint32_t> hard_of(std::size_t) const { return {}; }
  /// [outputs] log of the inclusion probabilities; empty if outputs are not sampled.
  virtual std::span<const float> log_inclusion() const { return {}; }

  /// Sets the active outputs: [first, first + outputs) in the numbering of the functions above.
  void set_active(std::size_t outputs, std::size_t first = 0);
  std::size_t num_active() const { return num_active_; }

  Network& network_;
  OutputOptions options_;

 private:
  enum Stage : std::size_t { kScores, kNormalisers, kGradients, kSums, kNumStages };
  struct Range {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
    bool holds(std::size_t i) const { return i >= begin && i < end; }
  };
  std::size_t num_blocks() const { return (num_active_ + kBlock - 1) / kBlock; }
  std::size_t num_groups() const;
  Range outputs_of(std::size_t block) const;
  Part& part(std::size_t block, std::size_t k) { return parts_[block * options_.batch_size + k]; }
  /// Memory for the exponentials of examples [begin, end) and a block: kept, or temporary.
  MatrixView<float> scores(std::size_t block, Range examples);

  void score(std::size_t block, const Batch& batch);
  void normalise(std::size_t piece, const Batch& batch);
  void differentiate(std::size_t group, const Batch& batch);
  void sum_gradients(std::size_t piece, const Batch& batch);

  void logits(std::size_t block, Range examples, const Batch& batch, MatrixView<float> z) const;
  void differentiate_block(std::size_t block, const Batch& batch, MatrixView<float> dh, bool first);
  void softmax_gradient(std::size_t block, Range examples, MatrixView<float> z);
  void one_vs_all_gradient(std::size_t block, Range examples, MatrixView<float> z);

  std::size_t first_active_ = 0;
  std::size_t num_active_ = 0;
  std::size_t num_kept_ = 0;     ///< blocks whose exponentials are kept
  std::vector<Part> parts_;      ///< [blocks, batch]
  std::vector<Part> wholes_;     ///< [batch] of all blocks
  std::vector<double> log_sum_;  ///< [batch] log of the sum of exponentials
  Array<float> kept_;            ///< [kept blocks, batch, kBlock]
  Array<float> gradients_;       ///< [groups, batch, hidden stride] of the hidden units
};

}  // namespace frugal::sparse
