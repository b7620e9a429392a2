#include "tools/robe-compress/fit/array_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding_methods.h"
#include "tools/robe-compress/fit/fit_candidate.h"
#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {
namespace {

constexpr std::array kHotShares = {0.0, 0.25, 0.5, 0.9, 0.97};
/// Sums use at least 1 / this of the memory: with less, additional passes would take too long.
constexpr std::uint64_t kLeastShareForSums = 4;
/// fewest slots in a pass, whatever the memory
constexpr std::uint64_t kFewestSlots = std::uint64_t{1} << 14;
/// Bytes to find a hot row: its number, twice, and an entry of a hash index.
constexpr std::uint64_t kHotKeyBytes = 40;

std::vector<double> shares_to_try(const FitOptions& options, const RowWeights& weights) {
  if (options.hot_share) {
    if (*options.hot_share > 0 && weights.are_uniform()) {
      fail(ExitStatus::usage, "--hot-share ", format_number(*options.hot_share),
           " needs to know how often rows occur: tensors NAME.counts, or --counts FILE");
    }
    return {*options.hot_share};
  }
  if (weights.are_uniform()) return {0};
  return {kHotShares.begin(), kHotShares.end()};
}

std::uint64_t bytes_of_array(const TableSet& tables, double compression) {
  EmbeddingOptions allowed;
  allowed.compression = compression;
  return byte_budget(tables, allowed);
}

std::size_t block_size(const TableSet& tables, const FitOptions& options) {
  return options.hash.block == 0 ? tables.dim() : options.hash.block;
}

class ArrayFit {
 public:
  ArrayFit(TableSource& file, const RowWeights& weights, const FitOptions& options)
      : file_(file), weights_(weights), options_(options) {
    bytes_ = bytes_of_array(file.tables(), options.compression);
    std::vector<ArrayPlan> plans;
    const std::vector<double> shares = shares_to_try(options, weights);
    for (const double share : shares) add_trial(share, plans);
    if (plans.empty() && !options.hot_share) {
      take_smallest_size();
      for (const double share : shares) add_trial(share, plans);
    }
    if (plans.empty()) refuse_size();
    keep_what_fits(plans);
    for (ArrayPlan& plan : plans) {
      candidates_.emplace_back(file_.tables(), weights_, options_.hash, std::move(plan));
    }
    plan_passes();
  }

  FitResult run(const FitProgress& progress) {
    for (int pass = 1; pass <= passes_; ++pass) {
      run_pass([&](double done) { progress(pass, passes_, done); });
    }
    FitResult result;
    result.passes = passes_;
    result.memory = memory_;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const double rest = std::max(0.0, energy_ - candidates_[i].explained());
      trials_[i].relative_error = energy_ > 0 ? std::sqrt(rest / energy_) : 0;
      if (trials_[i].relative_error < trials_[result.chosen].relative_error) result.chosen = i;
    }
    result.trials = trials_;
    result.embedding = candidates_[result.chosen].take();
    return result;
  }

 private:
  void add_trial(double share, std::vector<ArrayPlan>& plans) {
    ArrayPlan plan = plan_array(file_.tables(), weights_, bytes_, share, options_.storage);
    if (plan.hashed <= block_size(file_.tables(), options_)) return;
    // A larger share is the same plan if all rows that occur are hot already.
    if (!trials_.empty() && trials_.back().hot_rows == plan.hot.size()) return;
    trials_.push_back({share, plan.hot.size(), plan.hashed, 0});
    plans.push_back(std::move(plan));
  }

  std::uint64_t array_bytes(const ArrayPlan& plan) const {
    const std::uint64_t row_bytes = sizeof(float) * file_.tables().dim() + kHotKeyBytes;
    return sizeof(float) * plan.hashed + plan.hot.size() * row_bytes;
  }

  /// If the arrays of all plans need more than half of the memory, keeps only the plan that is best
  /// by the frequencies.
  void keep_what_fits(std::vector<ArrayPlan>& plans) {
    for (const ArrayPlan& plan : plans) memory_.arrays += array_bytes(plan);
    if (plans.size() == 1 || memory_.arrays <= options_.max_memory / 2) return;
    std::vector<double> explained;
    for (const ArrayPlan& plan : plans) {
      explained.push_back(expected_explained(plan, weights_, file_.tables()));
    }
    const auto best = static_cast<std::size_t>(
        std::max_element(explained.begin(), explained.end()) - explained.begin());
    log_verbose("arrays of ", format_count(plans.size(), "hot share"), " take ",
                format_bytes(memory_.arrays), ": only ", trials_[best].hot_share,
                " is fitted, the best by the frequencies of the rows");
    memory_.arrays = array_bytes(plans[best]);
    std::swap(plans[0], plans[best]);
    plans.resize(1);
    trials_ = {trials_[best]};
  }

  /// Takes the smallest useful size for tables so small that the compression leaves no room for a
  /// block.
  void take_smallest_size() {
    EmbeddingOptions asked;
    asked.method = "robe";
    asked.compression = options_.compression;
    asked.storage = options_.storage;
    asked.hash = options_.hash;
    bytes_ = byte_budget(file_.tables(), fitting_options(file_.tables(), asked));
  }

  [[noreturn]] void refuse_size() const {
    fail(ExitStatus::usage, "--compression ", format_number(options_.compression), " leaves ",
         format_bytes(bytes_), " for ", format_count(file_.tables().size(), "table"),
         ", expected room for more than one block of ", block_size(file_.tables(), options_),
         " shared numbers; lower it, or --hot-share or --block");
  }

  void plan_passes() {
    std::uint64_t slots = 0;
    for (const FitCandidate& candidate : candidates_) slots += candidate.slots_left();
    memory_.counts = weights_.num_bytes();
    const std::uint64_t other = memory_.arrays + memory_.counts;
    const std::uint64_t left = options_.max_memory - std::min(options_.max_memory, other);
    const std::uint64_t slot_bytes = SlotSums::bytes_for(1, candidates_[0].blocks());
    slots_at_a_time_ = std::max(
        {left / slot_bytes, options_.max_memory / kLeastShareForSums / slot_bytes, kFewestSlots});
    passes_ = static_cast<int>((slots + slots_at_a_time_ - 1) / slots_at_a_time_);
    memory_.sums = std::min(slots, slots_at_a_time_) * slot_bytes;
    if (passes_ > 1 && !file_.is_regular()) {
      fail(ExitStatus::usage, file_.path(), ": a pipe can be read once, but sums of ",
           format_bytes(slots * slot_bytes), " need ", passes_,
           " passes; raise --max-memory, name one --hot-share, or give a file");
    }
    log_verbose("fitting takes ", format_bytes(memory_.sums), " for sums, ",
                format_bytes(memory_.counts), " for counts and ", format_bytes(memory_.arrays),
                " for ", format_count(candidates_.size(), "array"), ", in ", passes_,
                passes_ == 1 ? " pass" : " passes");
  }

  template <class Progress>
  void run_pass(const Progress& progress) {
    std::uint64_t room = slots_at_a_time_;
    for (FitCandidate& candidate : candidates_) {
      const std::uint64_t n = std::min(room, candidate.slots_left());
      candidate.begin_pass(n);
      room -= n;
    }
    struct Found {
      std::vector<FitCandidate::Placed> placed;
      double energy = 0;
    };
    TablePass<Found> pass;
    pass.work = [&](const TablePiece& piece, Found& found) {
      found.energy = energy_of(piece);
      found.placed.resize(candidates_.size());
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (candidates_[i].takes_part()) candidates_[i].place(piece, found.placed[i]);
      }
    };
    double energy = 0;
    pass.use = [&](const TablePiece& piece, Found& found) {
      energy += found.energy;
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (candidates_[i].takes_part()) candidates_[i].add(piece, found.placed[i]);
      }
      progress(static_cast<double>(file_.bytes_read()));
    };
    pass.run(file_);
    energy_ = energy;
    for (FitCandidate& candidate : candidates_) {
      if (candidate.takes_part()) candidate.end_pass();
    }
  }

  /// sum(w e^2) of a piece.
  double energy_of(const TablePiece& piece) const {
    const std::uint64_t first = file_.tables().first_row(piece.table) + piece.row;
    double energy = 0;
    for (std::size_t r = 0; r < piece.values.rows; ++r) {
      energy += static_cast<double>(weights_[first + r]) *
                sum_of_squares(piece.values.row(r), piece.values.cols);
    }
    return energy;
  }

  TableSource& file_;
  const RowWeights& weights_;
  const FitOptions& options_;
  std::uint64_t bytes_ = 0;
  std::vector<FitCandidate> candidates_;
  std::vector<FitTrial> trials_;
  std::uint64_t slots_at_a_time_ = 0;
  int passes_ = 0;
  FitMemory memory_;
  double energy_ = 0;
};

}  // namespace

bool has_room(const TableSet& tables, const RowWeights& weights, const FitOptions& options) {
  const ArrayPlan plan = plan_array(tables, weights, bytes_of_array(tables, options.compression),
                                    options.hot_share.value_or(0), options.storage);
  return plan.hashed > block_size(tables, options);
}

FitResult fit_array(TableSource& tables, const RowWeights& weights, const FitOptions& options,
                    const FitProgress& progress) {
  return ArrayFit(tables, weights, options).run(progress);
}

}  // namespace frugal::robe
