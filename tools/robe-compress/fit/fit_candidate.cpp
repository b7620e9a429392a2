#include "tools/robe-compress/fit/fit_candidate.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/threading/parallel.h"
#include "tools/robe-compress/fit/row_weights.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kSlotsAtATime = std::size_t{1} << 14;
constexpr std::size_t kLineNumbers = 64 / sizeof(double);

}  // namespace

SlotSums::SlotSums(std::uint64_t begin, std::uint64_t end, Blocks blocks)
    : begin_(begin),
      end_(end),
      length_(blocks.length),
      first_start_(begin - std::min<std::uint64_t>(begin, blocks.length - 1)),
      numerators_(end - begin),
      starts_(end - first_start_),
      shorter_(blocks.some_shorter ? end - begin : 0) {}

void SlotSums::add(std::uint64_t slot, double weight, const float* x, std::size_t n) {
  if (n == length_) {
    if (slot < first_start_ || slot >= end_) return;
    starts_[slot - first_start_] += weight;
    if (slot >= begin_ && slot + n <= end_) {
      double* const numerators = numerators_.data() + (slot - begin_);
      for (std::size_t i = 0; i < n; ++i) numerators[i] += weight * static_cast<double>(x[i]);
      return;
    }
  }
  const std::uint64_t from = std::max(slot, begin_), to = std::min(slot + n, end_);
  for (std::uint64_t s = from; s < to; ++s) {
    numerators_[s - begin_] += weight * static_cast<double>(x[s - slot]);
    if (n != length_) shorter_[s - begin_] += weight;
  }
}

void SlotSums::prefetch(std::uint64_t slot) const {
  if (slot < begin_ || slot >= end_) return;
  const std::size_t at = slot - begin_, last = std::min(at + length_, numerators_.size()) - 1;
  __builtin_prefetch(&starts_[slot - first_start_], 1);
  for (std::size_t i = at; i < last; i += kLineNumbers) __builtin_prefetch(&numerators_[i], 1);
  __builtin_prefetch(&numerators_[last], 1);
}

/// Slots begin + [from, to).
double SlotSums::solve_piece(std::size_t from, std::size_t to, float* values) const {
  std::vector<double> weights(to - from);
  if (!shorter_.empty()) std::copy_n(shorter_.data() + from, weights.size(), weights.data());
  const std::size_t before = begin_ - first_start_;
  for (std::size_t j = 0; j < length_; ++j) {  // blocks that begin j slots before
    const std::size_t skipped = from + before < j ? j - from - before : 0;
    const double* const starts = starts_.data() + (from + before + skipped - j);
    for (std::size_t i = skipped; i < weights.size(); ++i) weights[i] += starts[i - skipped];
  }
  double explained = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double numerator = numerators_[from + i];
    const double value = weights[i] > 0 ? numerator / weights[i] : 0;
    values[from + i] = static_cast<float>(value);
    explained += value * numerator;
  }
  return explained;
}

double SlotSums::solve(float* values) const {
  const std::size_t n = numerators_.size(), pieces = (n + kSlotsAtATime - 1) / kSlotsAtATime;
  std::vector<double> explained(pieces);
  parallel_for(pieces, 1, [&](std::size_t p) {
    explained[p] = solve_piece(p * kSlotsAtATime, std::min(n, (p + 1) * kSlotsAtATime), values);
  });
  double total = 0;
  for (const double part : explained) total += part;
  return total;
}

namespace {

constexpr std::uint64_t kKeyBytes = 4;
/// Blocks between asking for a line of sums and adding to it.
constexpr std::size_t kBlocksAhead = 12;
/// Rows that count 0 decide slots that no other row has, and nothing else: in sums of doubles this
/// part of the smallest weight is lost.
constexpr double kUnseenPart = 1e-18;

}  // namespace

ArrayPlan plan_array(const TableSet& tables, const RowWeights& weights, std::uint64_t bytes,
                     double hot_share, Storage storage) {
  const std::uint64_t key = weights.descend() ? 0 : kKeyBytes;
  const std::uint64_t row_bytes = stored_bytes(storage, tables.dim()) + key;
  ArrayPlan plan;
  plan.hot = weights.heaviest(static_cast<std::uint64_t>(hot_share * static_cast<double>(bytes)) /
                              row_bytes);
  const std::uint64_t numbers = numbers_in(storage, bytes - key * plan.hot.size());
  plan.hashed = numbers - plan.hot.size() * tables.dim();
  return plan;
}

double expected_explained(const ArrayPlan& plan, const RowWeights& weights,
                          const TableSet& tables) {
  double hot = 0, all = 0;
  for (const std::uint64_t row : plan.hot) hot += static_cast<double>(weights[row]);
  for (std::uint64_t row = 0; row < tables.num_rows(); ++row) {
    all += static_cast<double>(weights[row]);
  }
  const double others =
      (all - hot) * static_cast<double>(tables.dim()) / static_cast<double>(plan.hashed);
  double explained = hot;
  auto next = plan.hot.begin();
  for (std::uint64_t row = 0; row < tables.num_rows(); ++row) {
    if (next != plan.hot.end() && *next == row) {
      ++next;
      continue;
    }
    const auto weight = static_cast<double>(weights[row]);
    if (weight > 0) explained += weight * weight / (weight + others);
  }
  return explained;
}

FitCandidate::FitCandidate(const TableSet& tables, const RowWeights& weights,
                           const BlockHashOptions& hash, ArrayPlan plan)
    : weights_(weights),
      unseen_(kUnseenPart * static_cast<double>(weights.smallest())),
      hot_(std::move(plan.hot)) {
  BlockEmbedding::Settings settings;
  settings.hash = hash;
  if (!hot_.empty()) {
    settings.method = "robe-hot";
    settings.hot = HotRows::of(tables, hot_);
  }
  embedding_ = std::make_unique<BlockEmbedding>(tables, std::move(settings), plan.hashed);
}

SlotSums::Blocks FitCandidate::blocks() const {
  const BlockHash& hash = embedding_->hash();
  const bool even = embedding_->tables().dim() % hash.block() == 0;
  return {hash.block(), !even || hash.is_circular()};
}

void FitCandidate::begin_pass(std::uint64_t n) {
  if (n != 0) sums_.emplace(solved_, solved_ + n, blocks());
}

void FitCandidate::place(const TablePiece& piece, Placed& placed) const {
  const BlockHash& hash = embedding_->hash();
  const std::size_t n = piece.values.rows, dim = piece.values.cols;
  placed.rows.resize(n);
  std::iota(placed.rows.begin(), placed.rows.end(), static_cast<std::uint32_t>(piece.row));
  placed.starts.resize(n * hash.blocks_per_row());
  hash.starts_of_rows(piece.table, placed.rows.data(), n, placed.starts.data());
  if (!hash.has_signs()) return;
  placed.with_signs.resize(n * dim);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t i = 0; i < dim; ++i) {
      placed.with_signs[r * dim + i] =
          piece.values(r, i) * hash.sign(piece.table, placed.rows[r], i);
    }
  }
}

void FitCandidate::add(const TablePiece& piece, const Placed& placed) {
  const std::size_t n = piece.values.rows, blocks = embedding_->hash().blocks_per_row();
  const std::uint64_t first = embedding_->tables().first_row(piece.table) + piece.row;
  const MatrixView<const float> values =
      placed.with_signs.empty()
          ? piece.values
          : MatrixView<const float>(placed.with_signs.data(), n, piece.values.cols);
  auto hot = std::lower_bound(hot_.begin(), hot_.end(), first);
  for (std::size_t r = 0; r < n; ++r) {
    const double weight = static_cast<double>(weights_[first + r]);
    if (hot != hot_.end() && *hot == first + r) {
      add_hot(static_cast<std::size_t>(hot - hot_.begin()), weight, piece.values.row(r));
      ++hot;
      continue;
    }
    const std::size_t end = std::min((r + 1) * blocks + kBlocksAhead, n * blocks);
    for (std::size_t j = r * blocks + kBlocksAhead; j < end; ++j) {
      sums_->prefetch(placed.starts[j]);
    }
    add_row(&placed.starts[r * blocks], weight > 0 ? weight : unseen_, values.row(r));
  }
}

void FitCandidate::add_row(const std::uint32_t* starts, double weight, const float* x) {
  const std::size_t dim = embedding_->tables().dim(), block = embedding_->hash().block();
  const std::uint64_t size = hashed();
  for (std::size_t i = 0; i < dim; i += block, ++starts) {
    const std::size_t length = std::min(block, dim - i);
    const std::size_t before_end = std::min<std::uint64_t>(length, size - *starts);
    sums_->add(*starts, weight, x + i, before_end);
    if (before_end < length) sums_->add(0, weight, x + i + before_end, length - before_end);
  }
}

void FitCandidate::add_hot(std::size_t number, double weight, const float* x) {
  if (solved_ != 0) return;  // the first pass did it
  const std::size_t dim = embedding_->tables().dim();
  std::copy_n(x, dim, embedding_->array().values().data() + hashed() + number * dim);
  explained_ += weight * sum_of_squares(x, dim);
}

void FitCandidate::end_pass() {
  explained_ += sums_->solve(embedding_->array().values().data() + solved_);
  solved_ = sums_->end();
  sums_.reset();
}

}  // namespace frugal::robe
