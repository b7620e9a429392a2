#include "tools/sparse-train/network/lsh_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/kernels/kernels.h"
#include "tools/sparse-train/network/label_index.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kTableStream = 13;
constexpr std::uint64_t kPaddingStream = 14;
constexpr std::uint64_t kInsertStream = 15;
constexpr std::size_t kPieceExamples = 16;  ///< examples that a piece computes
constexpr std::size_t kLabelRanges = 64;    ///< of labels, stepped as units
constexpr std::size_t kLabelsAhead = 6;     ///< rows to fetch ahead

void prefetch(const float* row, std::size_t dim) {
  for (std::size_t i = 0; i < dim; i += 16) __builtin_prefetch(row + i);
}

/// The outputs of one example, and in the end the gradients of their logits, by ranges of labels.
struct ActiveOutputs {
  std::vector<std::uint32_t> labels;
  std::vector<float> gradients;
  std::array<std::uint32_t, kLabelRanges + 1> range_begin{};
};

/// Working memory of a thread.
struct Scratch {
  std::vector<std::uint32_t> user;  ///< [labels] the set that had it last
  std::uint32_t set = 0;
  std::vector<std::uint32_t> codes, found, labels, targets;
  std::vector<float> logits, log_inclusion;

  void begin_set(std::size_t num_labels) {
    if (user.size() != num_labels || ++set == 0) {
      user.assign(num_labels, 0);
      set = 1;
    }
    labels.clear();
  }
  bool add(std::uint32_t label) {
    if (user[label] == set) return false;
    user[label] = set;
    labels.push_back(label);
    return true;
  }
};

class LshOutput : public OutputLayer {
 public:
  LshOutput(Network& network, const Dataset& data, const OutputOptions& options,
            const LshOptions& lsh)
      : network_(network),
        data_(data),
        options_(options),
        index_(network, lsh, (data.size() + options.batch_size - 1) / options.batch_size),
        range_width_((network.labels.rows() + kLabelRanges - 1) / kLabelRanges),
        active_(options.batch_size) {}

  std::size_t num_stages() const override { return kNumStages; }

  std::size_t num_pieces(std::size_t stage, const Batch& batch) const override {
    if (stage < kForward) return index_.num_pieces(stage, batch.number);
    return stage == kForward ? (batch.size() + kPieceExamples - 1) / kPieceExamples : kLabelRanges;
  }

  void run(std::size_t stage, std::size_t piece, const Batch& batch) override {
    if (stage < kForward) return index_.run(stage, piece, batch.number);
    if (stage == kForward) return forward(piece, batch);
    update(piece, batch);
  }

  void prepare(std::uint64_t, std::span<const std::uint32_t> examples) override {
    next_size_ = examples.size();
  }
  void advance() override { size_ = next_size_; }

  double active_per_example() const override {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < size_; ++k) sum += active_[k].labels.size();
    return static_cast<double>(sum) / static_cast<double>(std::max<std::size_t>(1, size_));
  }

  OutputFigures figures() const override;
  void save(Document& state) const override { index_.save(state); }
  void restore(const Document& state, const std::string& path) override {
    index_.restore(state, path);
  }

 private:
  enum Stage : std::size_t { kForward = LabelIndex::kNumStages, kUpdate, kNumStages };

  /// Of one example: that of table t is first[t * stride].
  struct Codes {
    const std::uint32_t* first;
    std::size_t stride;
  };

  void forward(std::size_t piece, const Batch& batch);
  void choose(std::size_t k, Codes codes, const Batch& batch, Scratch& scratch);
  void pad(Rng rng, Scratch& scratch) const;
  void insert_missed(std::span<const std::uint32_t> own, Codes codes, std::uint64_t place,
                     std::span<const std::uint32_t> found);
  void differentiate(std::size_t k, const Batch& batch, Scratch& scratch);
  void keep(std::size_t k, const Scratch& scratch);
  void update(std::size_t range, const Batch& batch);

  Network& network_;
  const Dataset& data_;
  OutputOptions options_;
  LabelIndex index_;
  std::size_t range_width_;
  std::vector<ActiveOutputs> active_;  ///< [batch]
  std::size_t size_ = 0;               ///< examples of the current batch
  std::size_t next_size_ = 0;
};

void LshOutput::forward(std::size_t piece, const Batch& batch) {
  thread_local Scratch scratch;
  const std::size_t begin = piece * kPieceExamples,
                    end = std::min(begin + kPieceExamples, batch.size());
  scratch.codes.resize(index_.tables().num_tables() * (end - begin));
  index_.codes(batch.hidden.rows_between(begin, end), scratch.codes.data());
  for (std::size_t k = begin; k < end; ++k) {
    choose(k, {scratch.codes.data() + k - begin, end - begin}, batch, scratch);
    differentiate(k, batch, scratch);
    keep(k, scratch);
  }
}

/// The outputs of the k-th example: its own labels, which come first, those found and random ones.
void LshOutput::choose(std::size_t k, Codes codes, const Batch& batch, Scratch& scratch) {
  const LshOptions& lsh = index_.options();
  const auto own = data_.labels_of(batch.examples[k]);
  const std::uint64_t place = batch.number * options_.batch_size + k;
  index_.retrieve(codes.first, codes.stride, Rng(options_.seed, hash_combine(kTableStream, place)),
                  scratch.found);
  if (index_.frozen(batch.number)) insert_missed(own, codes, place, scratch.found);
  scratch.begin_set(network_.labels.rows());
  for (const std::uint32_t l : own) scratch.add(l);
  scratch.targets.resize(scratch.labels.size());
  std::iota(scratch.targets.begin(), scratch.targets.end(), 0U);
  for (const std::uint32_t l : scratch.found) scratch.add(l);

  const std::size_t looked_up = scratch.labels.size();
  pad(Rng(options_.seed, hash_combine(kPaddingStream, place)), scratch);
  scratch.log_inclusion.clear();
  if (!lsh.correct_sampling || scratch.labels.size() == looked_up) return;
  // Of the labels that were not looked up, each is here with the same probability.
  const auto random = static_cast<float>(scratch.labels.size() - looked_up);
  const auto others = static_cast<float>(network_.labels.rows() - looked_up);
  scratch.log_inclusion.assign(scratch.labels.size(), 0.0F);
  std::fill(scratch.log_inclusion.begin() + static_cast<std::ptrdiff_t>(looked_up),
            scratch.log_inclusion.end(), std::log(random / others));
}

/// Labels drawn at random until there are min_active.
void LshOutput::pad(Rng rng, Scratch& scratch) const {
  const std::uint64_t num_labels = network_.labels.rows();
  const std::size_t least = index_.options().min_active;
  if (least >= num_labels) {
    for (std::uint32_t l = 0; l < num_labels; ++l) scratch.add(l);
  }
  while (scratch.labels.size() < least) {
    scratch.add(static_cast<std::uint32_t>(rng.below(num_labels)));
  }
}

/// Own labels that were not found go to one of the buckets in which they would have been.
void LshOutput::insert_missed(std::span<const std::uint32_t> own, Codes codes, std::uint64_t place,
                              std::span<const std::uint32_t> found) {
  for (const std::uint32_t l : own) {
    if (std::find(found.begin(), found.end(), l) != found.end()) continue;
    Rng rng(options_.seed, hash_combine(kInsertStream, place), l);
    const auto table = static_cast<std::uint32_t>(rng.below(index_.tables().num_tables()));
    index_.insert_later({table, codes.first[table * codes.stride], l});
  }
}

/// Loss, gradients of the logits and of the hidden units.
void LshOutput::differentiate(std::size_t k, const Batch& batch, Scratch& scratch) {
  const std::size_t n = scratch.labels.size(), dim = network_.labels.dim();
  const RowTable& rows = network_.labels;
  const float* h = batch.hidden.row(k);
  scratch.logits.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (j + kLabelsAhead < n) prefetch(rows.row(scratch.labels[j + kLabelsAhead]), dim);
    scratch.logits[j] = kernels().dot(rows.row(scratch.labels[j]), h, dim);
  }
  batch.losses[k] = loss_and_gradient(network_.shape.loss, scratch.logits, scratch.targets,
                                      scratch.log_inclusion, 1.0F);
  float* dh = batch.hidden_gradient.row(k);
  std::fill_n(dh, dim, 0.0F);
  kernels().gather_sum(rows.data(), rows.stride(), dim, scratch.labels.data(),
                       scratch.logits.data(), n, dh);
}

/// Keeps labels and gradients for update(), by ranges of labels.
void LshOutput::keep(std::size_t k, const Scratch& scratch) {
  ActiveOutputs& active = active_[k];
  active.labels.resize(scratch.labels.size());
  active.gradients.resize(scratch.labels.size());
  active.range_begin.fill(0);
  for (const std::uint32_t l : scratch.labels) ++active.range_begin[l / range_width_ + 1];
  std::partial_sum(active.range_begin.begin(), active.range_begin.end(),
                   active.range_begin.begin());
  std::array<std::uint32_t, kLabelRanges + 1> next = active.range_begin;
  for (std::size_t j = 0; j < scratch.labels.size(); ++j) {
    const std::uint32_t to = next[scratch.labels[j] / range_width_]++;
    active.labels[to] = scratch.labels[j];
    active.gradients[to] = scratch.logits[j];
  }
}

/// Steps the rows of a range of labels: sorts what the examples have for it by label, in the order
/// of the examples.
void LshOutput::update(std::size_t range, const Batch& batch) {
  thread_local std::vector<std::uint32_t> begin, examples;
  thread_local std::vector<float> gradients, sum;
  const std::size_t first = range * range_width_;
  const auto for_each = [&](auto body) {
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const ActiveOutputs& active = active_[k];
      for (std::uint32_t j = active.range_begin[range]; j < active.range_begin[range + 1]; ++j) {
        body(active.labels[j] - first, static_cast<std::uint32_t>(k), active.gradients[j]);
      }
    }
  };
  begin.assign(range_width_ + 1, 0);
  for_each([&](std::size_t l, std::uint32_t, float) { ++begin[l]; });
  std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), 0U);
  examples.resize(begin[range_width_]);
  gradients.resize(examples.size());
  for_each([&](std::size_t l, std::uint32_t k, float gradient) {
    gradients[begin[l]] = gradient;
    examples[begin[l]++] = k;  // begin[l] ends up where the next label begins
  });
  std::uint32_t from = 0;
  for (std::size_t l = 0; l < range_width_; from = begin[l++]) {
    if (begin[l] == from) continue;
    sum.assign(batch.hidden.cols, 0.0F);
    kernels().gather_sum(batch.hidden.data, batch.hidden.stride, batch.hidden.cols,
                         examples.data() + from, gradients.data() + from, begin[l] - from,
                         sum.data());
    step_biased_row(network_.labels, first + l, sum.data(), batch.rate, options_.optimizer);
  }
}

OutputFigures LshOutput::figures() const {
  OutputFigures figures = index_.figures(data_);
  figures.values.emplace_back("lsh_active_fraction",
                              active_per_example() / static_cast<double>(network_.labels.rows()));
  return figures;
}

}  // namespace

std::unique_ptr<OutputLayer> make_lsh_output(Network& network, const Dataset& data,
                                             const OutputOptions& options, const LshOptions& lsh) {
  return std::make_unique<LshOutput>(network, data, options, lsh);
}

}  // namespace frugal::sparse
