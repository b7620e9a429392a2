#include "tools/sparse-train/outputs/label_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/network/predictor.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kPieceParts = 4;      ///< tables or blocks of rows that are built as a unit
constexpr std::uint64_t kInsertSteps = 64;  ///< steps after which missed labels are inserted
constexpr std::uint64_t kProbeStream = 12;
// The probe: some runs of neighbouring examples, all over the data.
constexpr std::size_t kProbeRuns = 4;
constexpr std::size_t kProbeRun = 64;
constexpr std::size_t kProbeRanks = 10;

}  // namespace

LabelIndex::LabelIndex(const Network& network, const LshOptions& options,
                       std::uint64_t batches_per_epoch)
    : network_(network),
      options_(options),
      freeze_step_(options.settings.freeze_after * batches_per_epoch) {
  const std::size_t num_rows = network.labels.rows(), dim = network.labels.dim() - 1;
  if (options.uses_tables()) {
    tables_.emplace(options.hash, options.tables, options.settings.center, num_rows, dim);
    tables_->begin_rebuild(rows(), Rehash::all);
  } else {
    signatures_.emplace(options.hash.kind, options.settings.bits, options.hash.seed,
                        options.settings.center, num_rows, dim);
    signatures_->begin_rebuild(rows());
  }
  seconds_.resize((num_parts() + kPieceParts - 1) / kPieceParts + 1);
  parallel_for(num_parts(), 1, [&](std::size_t part) { build(part, part + 1); });
}

std::size_t LabelIndex::num_parts() const {
  return tables_ ? tables_->num_tables() : signatures_->num_blocks();
}

void LabelIndex::build(std::size_t begin, std::size_t end) {
  if (tables_) {
    return tables_->rebuild(rows(), static_cast<std::uint32_t>(begin),
                            static_cast<std::uint32_t>(end));
  }
  for (std::size_t block = begin; block < end; ++block) signatures_->rebuild(rows(), block);
}

MatrixView<const float> LabelIndex::rows() const {
  const MatrixView<const float> w = network_.labels.weights();
  return {w.data, w.rows, w.cols - 1, w.stride};
}

/// Where the rebuild that is under way at a step began, and how many there were.
RebuildSchedule::Position LabelIndex::last_rebuild(std::uint64_t step) const {
  if (!frozen(step)) return options_.schedule.at(step);
  return {options_.schedule.at(freeze_step_ - 1).rebuilds + 1, freeze_step_};
}

bool LabelIndex::rebuilds_at(std::uint64_t step) const {
  const RebuildSchedule::Position last = last_rebuild(step);
  return last.rebuilds != 0 && last.last == step;
}

LabelIndex::Range LabelIndex::parts_due(std::uint64_t step) const {
  const RebuildSchedule::Position last = last_rebuild(step);
  const std::uint64_t part = step - last.last;
  if (last.rebuilds == 0 || part >= options_.settings.rebuild_steps) return {};
  return {num_parts() * part / options_.settings.rebuild_steps,
          num_parts() * (part + 1) / options_.settings.rebuild_steps};
}

std::size_t LabelIndex::num_pieces(std::size_t stage, std::uint64_t step) const {
  if (stage == 0) {
    const bool inserts = tables_ && frozen(step) && step % kInsertSteps == 0;
    return rebuilds_at(step) || inserts ? 1 : 0;
  }
  const Range due = parts_due(step);
  return (due.end - due.begin + kPieceParts - 1) / kPieceParts;
}

void LabelIndex::run(std::size_t stage, std::size_t piece, std::uint64_t step) {
  const double began = wall_seconds();
  if (stage == 0) {
    begin(step);
  } else {
    const Range due = parts_due(step);
    const std::size_t first = due.begin + piece * kPieceParts;
    build(first, std::min(first + kPieceParts, due.end));
  }
  seconds_[stage + piece] += wall_seconds() - began;
}

void LabelIndex::begin(std::uint64_t step) {
  if (!rebuilds_at(step)) {
    tables_->tables().insert(std::move(missed_));
    missed_.clear();
    return;
  }
  rebuilds_ = last_rebuild(step).rebuilds;
  if (signatures_) return signatures_->begin_rebuild(rows());
  const bool draws =
      options_.settings.new_hashes != 0 && rebuilds_ % options_.settings.new_hashes == 0;
  // The last rebuild before tables are frozen may cut another one short.
  tables_->begin_rebuild(rows(), draws          ? Rehash::new_functions
                                 : frozen(step) ? Rehash::all
                                                : Rehash::moved);
}

double LabelIndex::rebuild_seconds() const {
  return std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
}

void LabelIndex::search(MatrixView<const float> h, std::span<const Rng> order,
                        std::vector<std::uint32_t>& codes,
                        std::span<std::vector<std::uint32_t>> found) const {
  const MatrixView<const float> x(h.data, h.rows, h.cols - 1, h.stride);
  codes.clear();
  if (signatures_) return signatures_->search(x, options_.query.wanted, order, found);
  codes.resize(tables_->num_tables() * h.rows);
  tables_->codes(x, codes.data());
  thread_local Retriever retriever(0);
  if (retriever.num_rows() != tables_->num_rows()) retriever = Retriever(tables_->num_rows());
  for (std::size_t i = 0; i < h.rows; ++i) {
    retriever.retrieve(tables_->tables(), codes.data() + i, h.rows, options_.query, order[i],
                       found[i]);
  }
}

void LabelIndex::insert_later(const HashTables::Entry& entry) {
  const std::lock_guard lock(mutex_);
  missed_.push_back(entry);
}

IndexQuality LabelIndex::quality(const Dataset& data) const {
  const Predictor exact(network_, kProbeRanks);
  const std::size_t run = std::min(kProbeRun, data.size() / kProbeRuns + 1);
  std::vector<double> gains;
  IndexQuality quality;
  for (std::size_t i = 0; i < kProbeRuns; ++i) {
    const std::size_t begin = i * data.size() / kProbeRuns;
    const std::size_t end = std::min(begin + run, data.size());
    const std::vector<ScoredLabel> best = exact.predict(data, begin, end);
    for (std::size_t k = begin; k < end; ++k) {
      const ExampleQuality q =
          quality_of(data, k, {best.data() + (k - begin) * exact.k(), exact.k()});
      quality.recall += q.recall;
      quality.retrieved += q.retrieved;
      gains.push_back(q.recall - q.retrieved / static_cast<double>(network_.labels.rows()));
    }
  }
  const auto n = static_cast<double>(gains.size());
  quality.recall /= n;
  quality.retrieved /= n;
  quality.chance = quality.retrieved / static_cast<double>(network_.labels.rows());
  double squares = 0;
  for (const double g : gains) squares += std::pow(g - (quality.recall - quality.chance), 2);
  quality.deviation = std::sqrt(squares) / n;
  return quality;
}

OutputFigures LabelIndex::figures(const Dataset& data) const {
  const IndexQuality q = quality(data);
  OutputFigures figures;
  figures.values = {{"lsh_recall", q.recall},
                    {"lsh_chance", q.chance},
                    {"lsh_retrieved", q.retrieved},
                    {"lsh_rebuilds", static_cast<double>(rebuilds_)},
                    {"lsh_rebuild_seconds", rebuild_seconds()}};
  std::ostringstream remark;
  remark << (tables_ ? "hash tables find " : "signatures find ") << format_number(100 * q.recall, 3)
         << " % of the " << kProbeRanks << " best labels by looking up "
         << format_number(q.retrieved, 3) << "; "
         << (q.better_than_chance() ? "" : "that is no better than chance: ")
         << "as many drawn at random hold " << format_number(100 * q.chance, 3) << " %";
  figures.remarks.push_back(remark.str());
  return figures;
}

LabelIndex::ExampleQuality LabelIndex::quality_of(const Dataset& data, std::size_t k,
                                                  std::span<const ScoredLabel> best) const {
  std::vector<float> h(network_.hidden_stride());
  network_.hidden_units({data.features_of(k), data.values_of(k)}, h.data());
  std::vector<std::uint32_t> codes, found;
  const Rng order(options_.hash.seed, hash_combine(kProbeStream, k));
  search({h.data(), 1, network_.labels.dim()}, {&order, 1}, codes, {&found, 1});
  std::sort(found.begin(), found.end());
  const auto hits = std::count_if(best.begin(), best.end(), [&](const ScoredLabel& s) {
    return std::binary_search(found.begin(), found.end(), s.label);
  });
  return {static_cast<double>(hits) / static_cast<double>(best.size()),
          static_cast<double>(found.size())};
}

void LabelIndex::save(Document& state) const {
  if (signatures_) return signatures_->save(state);
  tables_->save(state);
  std::vector<HashTables::Entry> sorted = missed_;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> numbers;
  for (const HashTables::Entry& e : sorted)
    numbers.insert(numbers.end(), {e.table, e.bucket, e.row});
  state.tensors.push_back(
      Tensor::copy_of<std::uint32_t>("lsh.missed", {sorted.size(), 3}, numbers));
}

void LabelIndex::restore(const Document& state, const std::string& path) {
  if (signatures_) return signatures_->restore(state, path);
  tables_->restore(state, path);
  const auto numbers = state.at("lsh.missed").as<std::uint32_t>();
  missed_.clear();
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    const HashTables::Entry entry{numbers[i], numbers[i + 1], numbers[i + 2]};
    if (entry.table >= tables_->num_tables() || entry.row >= tables_->num_rows() ||
        entry.bucket >> tables_->tables().options().range_pow != 0) {
      fail(ExitStatus::bad_input, path, ": tensor 'lsh.missed' names what is not there");
    }
    missed_.push_back(entry);
  }
}

}  // namespace frugal::sparse
