#include "tools/sparse-train/outputs/sharded_output.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "libcore/parallel/tree_sum.h"
#include "tools/sparse-train/outputs/active_set.h"
#include "tools/sparse-train/outputs/blocked_output.h"
#include "tools/sparse-train/outputs/gathered_rows.h"
#include "tools/sparse-train/outputs/output_layers.h"

namespace frugal::sparse {
namespace {

/// Active sets of batches, the outputs of each shard behind those of the one before.
class ShardedActiveSet {
 public:
  ShardedActiveSet(const Dataset& data, const OutputOptions& options, const LabelShards& shards)
      : builder_(data, options.negatives, options.seed),
        shards_(shards),
        num_labels_(data.num_labels) {}

  void prepare(std::uint64_t batch, std::span<const std::uint32_t> examples) {
    builder_.build(batch, examples, built_);
    sort_by_shard();
  }
  void advance() {
    std::swap(set_, next_);
    std::swap(begin_, next_begin_);
  }
  const ActiveSet& set() const { return set_; }
  std::size_t begin_of(std::uint32_t shard) const { return begin_[shard]; }

 private:
  void sort_by_shard();
  std::uint32_t shard_of(std::uint32_t label) const;

  SharedActiveSet builder_;
  LabelShards shards_;
  std::uint32_t num_labels_;
  ActiveSet built_, next_, set_;
  std::vector<std::size_t> next_begin_, begin_;  ///< [shards + 1]
  std::vector<std::uint32_t> place_;             ///< of each output that was built
};

std::uint32_t ShardedActiveSet::shard_of(std::uint32_t label) const {
  auto shard = static_cast<std::uint32_t>(std::uint64_t{label} * shards_.count / num_labels_);
  while (shards_.labels_of(shard, num_labels_).end <= label) ++shard;
  return shard;
}

void ShardedActiveSet::sort_by_shard() {
  next_begin_.assign(shards_.count + 1, 0);
  for (const std::uint32_t label : built_.labels) ++next_begin_[shard_of(label) + 1];
  for (std::size_t s = 0; s < shards_.count; ++s) next_begin_[s + 1] += next_begin_[s];
  std::vector<std::size_t> free = next_begin_;
  place_.clear();
  next_.labels.resize(built_.labels.size());
  next_.log_inclusion.resize(built_.labels.size());
  for (std::size_t j = 0; j < built_.labels.size(); ++j) {
    const std::size_t to = free[shard_of(built_.labels[j])]++;
    next_.labels[to] = built_.labels[j];
    next_.log_inclusion[to] = built_.log_inclusion[j];
    place_.push_back(static_cast<std::uint32_t>(to));
  }
  next_.targets.begin = built_.targets.begin;
  next_.targets.positions.clear();
  for (const std::uint32_t j : built_.targets.positions)
    next_.targets.positions.push_back(place_[j]);
}

/// The outputs of an active set that are a shard's.
class SharedPart final : public BlockedOutput {
 public:
  SharedPart(Network& network, const OutputOptions& options, const ShardedActiveSet& sets,
             std::uint32_t shard)
      : BlockedOutput(network, options), sets_(sets), shard_(shard) {}

  void advance() override {
    const std::size_t first = sets_.begin_of(shard_), end = sets_.begin_of(shard_ + 1);
    first_ = first;
    gathered_.begin(first, end - first, network_.labels.dim());
    set_active(end - first, first);
  }

 protected:
  std::size_t num_selections() const override { return 1; }
  std::size_t selection_pieces(std::size_t, const Batch&) const override {
    return (num_active() + kBlock - 1) / kBlock;
  }
  void select(std::size_t, std::size_t piece, const Batch&) override {
    const std::size_t begin = piece * kBlock, end = std::min(begin + kBlock, num_active());
    gathered_.gather(network_, sets_.set().labels, log_inclusion(), {first_ + begin, first_ + end});
  }
  MatrixView<const float> rows(std::size_t begin, std::size_t end) const override {
    return gathered_.between(begin, end);
  }
  std::uint32_t label_at(std::size_t output) const override { return sets_.set().labels[output]; }
  std::span<const std::uint32_t> targets_of(std::size_t k) const override {
    return sets_.set().targets.of(k);
  }
  std::span<const float> log_inclusion() const override {
    if (!options_.correct_sampling) return {};
    return sets_.set().log_inclusion;
  }

 private:
  const ShardedActiveSet& sets_;
  std::uint32_t shard_;
  std::size_t first_ = 0;
  GatheredRows gathered_;
};

class ShardedOutput final : public OutputLayer {
 public:
  ShardedOutput(Network& network, const Dataset& data, const OutputOptions& options,
                const LabelShards& shards, Communicator& ranks);

  void prepare(std::uint64_t batch, std::span<const std::uint32_t> examples) override {
    if (sets_) sets_->prepare(batch, examples);
    for (const auto& part : parts_) part->prepare(batch, examples);
  }
  void advance() override {
    if (sets_) sets_->advance();
    for (const auto& part : parts_) part->advance();
  }
  std::size_t num_stages() const override { return parts_[0]->num_stages(); }
  std::size_t num_pieces(std::size_t stage, const Batch& batch) const override {
    std::size_t pieces = 0;
    for (const auto& part : parts_) pieces += part->num_pieces(stage, batch);
    return pieces;
  }
  void run(std::size_t stage, std::size_t piece, const Batch& batch) override;
  bool synchronizes_after(std::size_t stage) const override {
    return parts_[0]->ends_parts(stage) || parts_[0]->ends_sums(stage);
  }
  void synchronize(std::size_t stage, const Batch& batch) override {
    if (parts_[0]->ends_parts(stage)) return normalise(batch);
    sum_gradients(batch);
    if (network_.shape.loss == LossKind::one_vs_all) sum_losses(batch);
  }
  double active_per_example() const override {
    return static_cast<double>(sets_ ? sets_->set().labels.size() : network_.shape.num_labels);
  }

 private:
  void normalise(const Batch& batch);
  void sum_gradients(const Batch& batch);
  void sum_losses(const Batch& batch);
  /// Gathers the values of all shards, in their order.
  std::vector<double> all_shards(const std::vector<double>& mine) const;

  Network& network_;
  Communicator& ranks_;
  std::size_t count_;  ///< shards of all ranks
  std::unique_ptr<ShardedActiveSet> sets_;
  std::vector<std::unique_ptr<BlockedOutput>> parts_;  ///< this rank's
  std::vector<std::vector<float>> gradients_;          ///< of each, [batch, width + 1]
  std::vector<std::vector<double>> losses_;            ///< of each, [batch]
};

ShardedOutput::ShardedOutput(Network& network, const Dataset& data, const OutputOptions& options,
                             const LabelShards& shards, Communicator& ranks)
    : network_(network), ranks_(ranks), count_(shards.count) {
  assert(shards.count % static_cast<std::uint32_t>(ranks.size()) == 0);
  OutputOptions of_part = options;
  of_part.shards = shards.count;
  if (shards.shared) sets_ = std::make_unique<ShardedActiveSet>(data, options, shards);
  const RankPart mine = part_of_rank(ranks, shards.count);
  for (auto s = static_cast<std::uint32_t>(mine.begin); s < mine.end; ++s) {
    if (sets_) {
      parts_.push_back(std::make_unique<SharedPart>(network, of_part, *sets_, s));
    } else {
      const LabelRange labels = shards.labels_of(s, network.shape.num_labels);
      parts_.push_back(make_dense_part(network, data, of_part, labels));
    }
    gradients_.emplace_back(options.batch_size * network.labels.dim());
    losses_.emplace_back(options.batch_size);
  }
}

void ShardedOutput::run(std::size_t stage, std::size_t piece, const Batch& batch) {
  std::size_t p = 0;
  for (std::size_t n; piece >= (n = parts_[p]->num_pieces(stage, batch)); ++p) piece -= n;
  Batch own = batch;
  own.hidden_gradient = {gradients_[p].data(), batch.size(), network_.labels.dim()};
  own.losses = {losses_[p].data(), batch.size()};
  parts_[p]->run(stage, piece, own);
}

std::vector<double> ShardedOutput::all_shards(const std::vector<double>& mine) const {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(ranks_.size()));
  ranks_.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  return all;
}

void ShardedOutput::normalise(const Batch& batch) {
  std::vector<double> mine;
  for (const auto& part : parts_) {
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const BlockedOutput::Part& p = part->whole_part(k);
      mine.insert(mine.end(), {static_cast<double>(p.largest), p.sum, p.targets});
    }
  }
  const std::vector<double> all = all_shards(mine);
  std::vector<BlockedOutput::Part> of_shards(count_);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    for (std::size_t s = 0; s < count_; ++s) {
      const double* const p = all.data() + 3 * (s * batch.size() + k);
      of_shards[s] = {static_cast<float>(p[0]), p[1], p[2]};
    }
    const BlockedOutput::Part whole = BlockedOutput::join(of_shards.data(), 1, count_);
    for (const auto& part : parts_) batch.losses[k] = part->set_normaliser(k, whole);
  }
}

void ShardedOutput::sum_gradients(const Batch& batch) {
  const std::size_t dim = network_.labels.dim(), size = batch.size() * dim;
  TreeSum<float> sum;
  for (const std::vector<float>& g : gradients_)
    sum.add({g.begin(), g.begin() + static_cast<std::ptrdiff_t>(size)});
  std::vector<float> total = sum.take(size);
  ranks_.all_reduce_sum(std::span(total));
  for (std::size_t k = 0; k < batch.size(); ++k)
    std::copy_n(total.data() + k * dim, dim, batch.hidden_gradient.row(k));
}

void ShardedOutput::sum_losses(const Batch& batch) {
  std::vector<double> mine;
  for (const std::vector<double>& losses : losses_)
    mine.insert(mine.end(), losses.begin(),
                losses.begin() + static_cast<std::ptrdiff_t>(batch.size()));
  const std::vector<double> all = all_shards(mine);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    batch.losses[k] = 0;
    for (std::size_t s = 0; s < count_; ++s) batch.losses[k] += all[s * batch.size() + k];
  }
}

}  // namespace

LabelRange LabelShards::labels_of(std::uint32_t shard, std::uint32_t labels) const {
  const auto begin = [&](std::uint64_t s) {
    return static_cast<std::uint32_t>(s * labels / count);
  };
  return {begin(shard), begin(std::uint64_t{shard} + 1)};
}

LabelRange LabelShards::labels_of_rank(int rank, int ranks, std::uint32_t labels) const {
  const std::uint32_t each = count / static_cast<std::uint32_t>(ranks);
  const std::uint32_t first = each * static_cast<std::uint32_t>(rank);
  return {labels_of(first, labels).begin, labels_of(first + each - 1, labels).end};
}

std::unique_ptr<OutputLayer> make_sharded_output(Network& network, const Dataset& data,
                                                 const OutputOptions& options,
                                                 const LabelShards& shards, Communicator& ranks) {
  return std::make_unique<ShardedOutput>(network, data, options, shards, ranks);
}

void bring_labels_to_first(Communicator& ranks, const LabelShards& shards, Network& network) {
  if (ranks.size() == 1) return;
  RowTable& table = network.labels;
  const std::size_t row_bytes = table.stride() * sizeof(float);
  std::vector<std::vector<std::byte>> to(static_cast<std::size_t>(ranks.size()));
  if (ranks.rank() != 0) {
    const auto* const rows = reinterpret_cast<const std::byte*>(table.data());
    to[0].assign(rows, rows + table.rows() * row_bytes);
  }
  const std::vector<std::vector<std::byte>> from = ranks.all_to_all(std::move(to));
  for (int r = 1; ranks.rank() == 0 && r < ranks.size(); ++r) {
    const LabelRange labels = shards.labels_of_rank(r, ranks.size(), network.shape.num_labels);
    const std::vector<std::byte>& rows = from[static_cast<std::size_t>(r)];
    assert(rows.size() == labels.size() * row_bytes);
    if (rows.empty()) continue;
    std::memcpy(table.data() + labels.begin * table.stride(), rows.data(), rows.size());
  }
}

}  // namespace frugal::sparse
