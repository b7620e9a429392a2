#include "tools/sparse-train/outputs/lsh_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"
#include "tools/sparse-train/outputs/active_count.h"
#include "tools/sparse-train/outputs/label_index.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kTableStream = 13;
constexpr std::uint64_t kPaddingStream = 14;
constexpr std::uint64_t kInsertStream = 15;
constexpr std::size_t kPieceExamples = 16;  ///< examples that a piece computes
constexpr std::size_t kLabelRanges = 64;    ///< of labels, stepped as units
constexpr std::size_t kLabelsAhead = 6;     ///< rows to fetch ahead
constexpr double kMostSparse = 0.5;         ///< share of the labels from which on sparse is dear

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
  std::vector<std::uint32_t> labels, codes, targets;
  std::vector<float> logits, log_inclusion;
  std::vector<Rng> order;
  /// Labels of each example of the piece: its own, then the labels found.
  std::vector<std::vector<std::uint32_t>> found;
  // Labels drawn for all examples of a piece.
  std::vector<std::uint32_t> drawn;
  std::vector<std::uint32_t> columns;  ///< places in `drawn` of the last labels of an example
  std::vector<float> drawn_rows;       ///< [drawn, dim]
  std::vector<float> drawn_logits;     ///< [piece, drawn], then their gradients

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
  void begin_set(std::size_t num_labels, std::span<const std::uint32_t> first) {
    begin_set(num_labels);
    for (const std::uint32_t l : first) add(l);
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
    if (stage < kForward) {
      if (stage == 0 && index_.rebuilds_at(batch.number)) active_count_.begin_recent();
      return index_.run(stage, piece, batch.number);
    }
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
  void save(Document& state) const override {
    index_.save(state);
    active_count_.save(state);
  }
  void restore(const Document& state, const std::string& path) override {
    index_.restore(state, path);
    active_count_.restore(state, path);
  }

 private:
  enum Stage : std::size_t { kForward = LabelIndex::kNumStages, kUpdate, kNumStages };

  void forward(std::size_t piece, const Batch& batch);
  void look_up(std::size_t begin, std::size_t end, const Batch& batch, Scratch& scratch);
  void insert_missed(std::span<const std::uint32_t> own, const std::uint32_t* codes,
                     std::size_t stride, std::uint64_t place, std::span<const std::uint32_t> found);
  std::size_t outputs_of(std::size_t size) const;
  void draw_for_all(MatrixView<const float> hidden, std::uint64_t place, Scratch& scratch) const;
  void fill_up(std::size_t k, std::size_t row, const Batch& batch, Scratch& scratch) const;
  void differentiate(std::size_t k, std::size_t row, const Batch& batch, Scratch& scratch);
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
  ActiveCount active_count_;  ///< recent: since the last rebuild
};

void LshOutput::forward(std::size_t piece, const Batch& batch) {
  thread_local Scratch scratch;
  const std::size_t begin = piece * kPieceExamples,
                    end = std::min(begin + kPieceExamples, batch.size());
  look_up(begin, end, batch, scratch);
  const std::uint64_t place = batch.number * options_.batch_size + begin;
  scratch.drawn.clear();
  if (index_.options().settings.share_random) {
    draw_for_all(batch.hidden.rows_between(begin, end), place, scratch);
  }
  const std::size_t drawn = scratch.drawn.size(), dim = network_.labels.dim();
  for (std::size_t k = begin; k < end; ++k) {
    fill_up(k, k - begin, batch, scratch);
    differentiate(k, k - begin, batch, scratch);
    keep(k, scratch);
  }
  if (drawn == 0) return;
  gemm({scratch.drawn_logits.data(), end - begin, drawn}, Transpose::no,
       {scratch.drawn_rows.data(), drawn, dim}, Transpose::no,
       batch.hidden_gradient.rows_between(begin, end), 1, 1);
}

/// Labels of examples [begin, end) that are no chance: their own, which come first, and those
/// found.
void LshOutput::look_up(std::size_t begin, std::size_t end, const Batch& batch, Scratch& scratch) {
  const std::size_t n = end - begin;
  scratch.order.clear();
  for (std::size_t k = begin; k < end; ++k) {
    const std::uint64_t place = batch.number * options_.batch_size + k;
    scratch.order.emplace_back(options_.seed, hash_combine(kTableStream, place));
  }
  scratch.found.resize(kPieceExamples);
  index_.search(batch.hidden.rows_between(begin, end), scratch.order, scratch.codes,
                {scratch.found.data(), n});
  const bool inserts = index_.frozen(batch.number) && index_.options().uses_tables();
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = data_.labels_of(batch.examples[begin + i]);
    std::vector<std::uint32_t>& found = scratch.found[i];
    if (inserts) {
      const std::uint64_t place = batch.number * options_.batch_size + begin + i;
      insert_missed(own, scratch.codes.data() + i, n, place, found);
    }
    scratch.begin_set(network_.labels.rows(), own);
    for (const std::uint32_t l : found) scratch.add(l);
    std::swap(found, scratch.labels);
  }
}

/// Own labels that were not found go to one of the buckets in which they would have been. The code
/// of the example in table t is codes[t * stride].
void LshOutput::insert_missed(std::span<const std::uint32_t> own, const std::uint32_t* codes,
                              std::size_t stride, std::uint64_t place,
                              std::span<const std::uint32_t> found) {
  for (const std::uint32_t l : own) {
    if (std::find(found.begin(), found.end(), l) != found.end()) continue;
    Rng rng(options_.seed, hash_combine(kInsertStream, place), l);
    const auto table = static_cast<std::uint32_t>(rng.below(index_.options().tables.tables));
    index_.insert_later({table, codes[table * stride], l});
  }
}

/// Outputs of an example that has and looked up `size` labels.
std::size_t LshOutput::outputs_of(std::size_t size) const {
  const LshOptions& lsh = index_.options();
  return std::min<std::size_t>(
      std::max<std::size_t>(lsh.settings.min_active, size + lsh.least_drawn),
      network_.labels.rows());
}

/// Draws labels that serve all examples of a piece: their logits are one dense product, and their
/// rows are read once. They are enough for the example that lacks the most.
void LshOutput::draw_for_all(MatrixView<const float> hidden, std::uint64_t place,
                             Scratch& scratch) const {
  const std::size_t num_labels = network_.labels.rows(), dim = network_.labels.dim();
  double most = 0;  // of which an example takes the labels that it does not have
  for (std::size_t i = 0; i < hidden.rows; ++i) {
    const std::size_t size = scratch.found[i].size(), lacking = outputs_of(size) - size;
    if (lacking == 0) continue;
    most = std::max(most, static_cast<double>(lacking) * static_cast<double>(num_labels) /
                              static_cast<double>(num_labels - size));
  }
  if (most == 0) return;
  const std::size_t wanted = std::min(num_labels, static_cast<std::size_t>(most) + 1);
  Rng rng(options_.seed, hash_combine(kPaddingStream, place));
  if (2 * wanted >= num_labels) {
    scratch.drawn.resize(num_labels);
    std::iota(scratch.drawn.begin(), scratch.drawn.end(), 0U);
    shuffle(scratch.drawn.data(), num_labels, rng);
    scratch.drawn.resize(wanted);
  } else {
    scratch.begin_set(num_labels);
    while (scratch.labels.size() < wanted) {
      scratch.add(static_cast<std::uint32_t>(rng.below(num_labels)));
    }
    std::swap(scratch.drawn, scratch.labels);
  }
  scratch.drawn_rows.resize(wanted * dim);
  kernels().gather_rows(network_.labels.data(), network_.labels.stride(), dim, scratch.drawn.data(),
                        wanted, scratch.drawn_rows.data(), dim);
  scratch.drawn_logits.resize(hidden.rows * wanted);
  gemm(hidden, Transpose::no, {scratch.drawn_rows.data(), wanted, dim}, Transpose::yes,
       {scratch.drawn_logits.data(), hidden.rows, wanted});
}

/// The outputs of the k-th example, in row `row` of its piece: the labels looked up, and labels
/// drawn until there are enough.
void LshOutput::fill_up(std::size_t k, std::size_t row, const Batch& batch,
                        Scratch& scratch) const {
  const LshSettings& lsh = index_.options().settings;
  const std::size_t num_labels = network_.labels.rows();
  scratch.begin_set(num_labels, scratch.found[row]);
  const std::size_t looked_up = scratch.labels.size(), outputs = outputs_of(looked_up);
  scratch.columns.clear();
  for (std::uint32_t j = 0; j < scratch.drawn.size() && scratch.labels.size() < outputs; ++j) {
    if (scratch.add(scratch.drawn[j])) scratch.columns.push_back(j);
  }
  if (!lsh.share_random) {
    const std::uint64_t place = batch.number * options_.batch_size + k;
    Rng rng(options_.seed, hash_combine(kPaddingStream, place));
    if (outputs >= num_labels) {
      for (std::uint32_t l = 0; l < num_labels; ++l) scratch.add(l);
    }
    while (scratch.labels.size() < outputs) {
      scratch.add(static_cast<std::uint32_t>(rng.below(num_labels)));
    }
  }
  scratch.log_inclusion.clear();
  if (!lsh.correct_sampling || scratch.labels.size() == looked_up) return;
  // Each label that was not looked up is here with the same probability.
  const auto random = static_cast<float>(scratch.labels.size() - looked_up);
  const auto others = static_cast<float>(num_labels - looked_up);
  scratch.log_inclusion.assign(scratch.labels.size(), 0.0F);
  std::fill(scratch.log_inclusion.begin() + static_cast<std::ptrdiff_t>(looked_up),
            scratch.log_inclusion.end(), std::log(random / others));
}

/// Loss, gradients of the logits and of the hidden units; those by way of the labels drawn for all
/// come from the product of their gradients, which are left in drawn_logits.
void LshOutput::differentiate(std::size_t k, std::size_t row, const Batch& batch,
                              Scratch& scratch) {
  const std::size_t n = scratch.labels.size(), dim = network_.labels.dim();
  const std::size_t own_rows = n - scratch.columns.size(), drawn = scratch.drawn.size();
  const RowTable& rows = network_.labels;
  const float* h = batch.hidden.row(k);
  float* const drawn_logits = scratch.drawn_logits.data() + row * drawn;
  scratch.logits.resize(n);
  for (std::size_t j = 0; j < own_rows; ++j) {
    if (j + kLabelsAhead < own_rows) prefetch(rows.row(scratch.labels[j + kLabelsAhead]), dim);
    scratch.logits[j] = kernels().dot(rows.row(scratch.labels[j]), h, dim);
  }
  for (std::size_t j = own_rows; j < n; ++j) {
    scratch.logits[j] = drawn_logits[scratch.columns[j - own_rows]];
  }
  scratch.targets.resize(data_.labels_of(batch.examples[k]).size());
  std::iota(scratch.targets.begin(), scratch.targets.end(), 0U);
  batch.losses[k] = loss_and_gradient(network_.shape.loss, scratch.logits, scratch.targets,
                                      scratch.log_inclusion, 1.0F);
  float* dh = batch.hidden_gradient.row(k);
  std::fill_n(dh, dim, 0.0F);
  kernels().gather_sum(rows.data(), rows.stride(), dim, scratch.labels.data(),
                       scratch.logits.data(), own_rows, dh);
  std::fill_n(drawn_logits, drawn, 0.0F);
  for (std::size_t j = own_rows; j < n; ++j) {
    drawn_logits[scratch.columns[j - own_rows]] = scratch.logits[j];
  }
  active_count_.add(n);
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
  const std::size_t num_labels = network_.labels.rows();
  const double all = active_count_.share(num_labels);
  const double recent = active_count_.recent_share(num_labels);
  OutputFigures figures = index_.figures(data_);
  figures.values.emplace_back("lsh_active_fraction", all);
  figures.values.emplace_back("lsh_recent_active_fraction", recent);
  std::ostringstream remark;
  remark << "an example computes " << format_number(100 * all, 3) << " % of the labels on average, "
         << format_number(100 * recent, 3) << " % since the last rebuild";
  figures.remarks.push_back(remark.str());
  if (all > kMostSparse) {
    figures.warnings.push_back("an example computes " + format_number(100 * all, 3) +
                               " % of the labels: --architecture dense or shared does the same "
                               "for less, or set --lsh-active lower");
  }
  return figures;
}

}  // namespace

std::unique_ptr<OutputLayer> make_lsh_output(Network& network, const Dataset& data,
                                             const OutputOptions& options, const LshOptions& lsh) {
  return std::make_unique<LshOutput>(network, data, options, lsh);
}

}  // namespace frugal::sparse
