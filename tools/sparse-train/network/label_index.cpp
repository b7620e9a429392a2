#include "tools/sparse-train/network/label_index.h"

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

constexpr std::uint32_t kPieceTables = 4;   ///< tables that are built as a unit
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
      freeze_step_(options.freeze_after * batches_per_epoch),
      index_(options.hash, options.tables, network.labels.rows(), network.labels.dim() - 1),
      seconds_((options.tables.tables + kPieceTables - 1) / kPieceTables + 1) {
  index_.begin_rebuild(rows(), Rehash::all);
  parallel_for(options.tables.tables, 1, [&](std::size_t t) {
    index_.rebuild(rows(), static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(t + 1));
  });
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

LabelIndex::Range LabelIndex::tables_due(std::uint64_t step) const {
  const RebuildSchedule::Position last = last_rebuild(step);
  const std::uint64_t part = step - last.last;
  if (last.rebuilds == 0 || part >= options_.rebuild_steps) return {};
  const std::uint64_t tables = index_.num_tables();
  return {static_cast<std::uint32_t>(tables * part / options_.rebuild_steps),
          static_cast<std::uint32_t>(tables * (part + 1) / options_.rebuild_steps)};
}

std::size_t LabelIndex::num_pieces(std::size_t stage, std::uint64_t step) const {
  if (stage == 0) {
    const RebuildSchedule::Position last = last_rebuild(step);
    const bool begins = last.rebuilds != 0 && last.last == step;
    return begins || (frozen(step) && step % kInsertSteps == 0) ? 1 : 0;
  }
  const Range due = tables_due(step);
  return (due.end - due.begin + kPieceTables - 1) / kPieceTables;
}

void LabelIndex::run(std::size_t stage, std::size_t piece, std::uint64_t step) {
  const double began = wall_seconds();
  if (stage == 0) {
    begin(step);
  } else {
    const Range due = tables_due(step);
    const std::uint32_t first = due.begin + static_cast<std::uint32_t>(piece) * kPieceTables;
    index_.rebuild(rows(), first, std::min(first + kPieceTables, due.end));
  }
  seconds_[stage + piece] += wall_seconds() - began;
}

void LabelIndex::begin(std::uint64_t step) {
  const RebuildSchedule::Position last = last_rebuild(step);
  if (last.last != step) {
    index_.tables().insert(std::move(missed_));
    missed_.clear();
    return;
  }
  rebuilds_ = last.rebuilds;
  const bool draws = options_.new_hashes != 0 && last.rebuilds % options_.new_hashes == 0;
  // The last rebuild before tables are frozen may cut another one short.
  index_.begin_rebuild(rows(), draws          ? Rehash::new_functions
                               : frozen(step) ? Rehash::all
                                              : Rehash::moved);
}

double LabelIndex::rebuild_seconds() const {
  return std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
}

void LabelIndex::codes(MatrixView<const float> h, std::uint32_t* out) const {
  index_.codes({h.data, h.rows, h.cols - 1, h.stride}, out);
}

void LabelIndex::retrieve(const std::uint32_t* codes, std::size_t stride, Rng rng,
                          std::vector<std::uint32_t>& out) const {
  thread_local Retriever retriever(0);
  if (retriever.num_rows() != index_.num_rows()) retriever = Retriever(index_.num_rows());
  retriever.retrieve(index_.tables(), codes, stride, options_.query, rng, out);
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
      gains.push_back(q.recall - q.retrieved / static_cast<double>(index_.num_rows()));
    }
  }
  const auto n = static_cast<double>(gains.size());
  quality.recall /= n;
  quality.retrieved /= n;
  quality.chance = quality.retrieved / static_cast<double>(index_.num_rows());
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
  remark << "hash tables find " << format_number(100 * q.recall, 3) << " % of the " << kProbeRanks
         << " best labels by looking up " << format_number(q.retrieved, 3) << "; "
         << (q.better_than_chance() ? "" : "that is no better than chance: ")
         << "as many drawn at random hold " << format_number(100 * q.chance, 3) << " %";
  figures.remarks.push_back(remark.str());
  return figures;
}

LabelIndex::ExampleQuality LabelIndex::quality_of(const Dataset& data, std::size_t k,
                                                  std::span<const ScoredLabel> best) const {
  std::vector<float> h(network_.hidden_stride());
  network_.hidden_units({data.features_of(k), data.values_of(k)}, h.data());
  std::vector<std::uint32_t> own_codes(index_.num_tables()), found;
  codes({h.data(), 1, network_.labels.dim()}, own_codes.data());
  retrieve(own_codes.data(), 1, Rng(options_.hash.seed, hash_combine(kProbeStream, k)), found);
  std::sort(found.begin(), found.end());
  const auto hits = std::count_if(best.begin(), best.end(), [&](const ScoredLabel& s) {
    return std::binary_search(found.begin(), found.end(), s.label);
  });
  return {static_cast<double>(hits) / static_cast<double>(best.size()),
          static_cast<double>(found.size())};
}

void LabelIndex::save(Document& state) const {
  index_.save(state);
  std::vector<HashTables::Entry> sorted = missed_;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> numbers;
  for (const HashTables::Entry& e : sorted)
    numbers.insert(numbers.end(), {e.table, e.bucket, e.row});
  state.tensors.push_back(
      Tensor::copy_of<std::uint32_t>("lsh.missed", {sorted.size(), 3}, numbers));
}

void LabelIndex::restore(const Document& state, const std::string& path) {
  index_.restore(state, path);
  const auto numbers = state.at("lsh.missed").as<std::uint32_t>();
  missed_.clear();
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    const HashTables::Entry entry{numbers[i], numbers[i + 1], numbers[i + 2]};
    if (entry.table >= index_.num_tables() || entry.row >= index_.num_rows() ||
        entry.bucket >> index_.tables().options().range_pow != 0) {
      fail(ExitStatus::bad_input, path, ": tensor 'lsh.missed' names what is not there");
    }
    missed_.push_back(entry);
  }
}

}  // namespace frugal::sparse
