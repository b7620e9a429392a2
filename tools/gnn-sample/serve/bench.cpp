#include "tools/gnn-sample/serve/bench.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/tensors/mapped_document.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/batches/row_slicer.h"
#include "tools/gnn-sample/batches/sampler_factory.h"
#include "tools/gnn-sample/batches/seed_batches.h"
#include "tools/gnn-sample/serve/device_ladder.h"

namespace frugal::gnn {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// A sampler and a mini-batch for each thread, kept from round to round as in a long run.
struct Way {
  BenchFigure figure;
  std::unique_ptr<SamplerFactory> factory;
  std::vector<std::unique_ptr<NeighborSampler>> samplers;
  std::vector<MiniBatch> batches;
  /// Where features are gathered: of each thread and type of nodes.
  std::vector<std::vector<Array<std::byte>>> rows;
  bool one_slices = false;             ///< one thread at a time
  std::unique_ptr<RandomWalks> walks;  ///< instead of samplers
  std::vector<std::vector<NodeId>> nodes;
  /// Instead of samplers: all mini-batches of a round on a device.
  std::function<LadderRound(std::span<const LinkBatch>)> on_device;
  bool trains = false;  ///< on fewer mini-batches than are sampled
};

class BenchRun {
 public:
  explicit BenchRun(const BenchOptions& options)
      : options_(options), graph_(options.graph, options.residence) {}

  BenchResult run(const std::function<void(std::uint64_t, std::uint64_t)>& progress);

 private:
  /// Work of a mini-batch.
  struct Work {
    std::uint64_t edges = 0, nodes = 0, feature_bytes = 0;
  };

  void add_slicers();
  Way& add_way(const std::string& name, const StoredGraph& graph, const SamplingOptions& sampling);
  void add_walks();
  void add_steps();
  void add_lacks();
  void add_device();
  void add_ladder_of_device();
  Work work(Way& way, std::size_t thread, const LinkBatch& given);
  std::uint64_t slice(Way& way, std::size_t thread);
  void open_seeds();
  bool draw_seeds();
  void measure_room(Way& way);
  void measure_room_of_trainings(Way& way);
  void warm_up();
  void round(Way& way);
  void round_on_device(Way& way);
  void find_gains();

  BenchOptions options_;
  StoredGraph graph_;
  std::unique_ptr<StoredGraph> mapped_;            ///< for the ladder, where the file can be mapped
  std::vector<std::optional<RowSlicer>> slicers_;  ///< of each type of nodes
  std::mutex slicing_;
  std::optional<SeedSource> source_;
  std::uint64_t batches_of_epoch_ = 0;
  std::vector<LinkBatch> seeds_;  ///< of a round
  std::uint32_t max_seeds_ = 0;
  std::size_t node_type_ = 0;
  std::vector<Way> ways_;
  std::unique_ptr<DeviceSampler> device_;
  std::unique_ptr<DeviceLadder> device_ladder_;
  std::size_t trained_batches_ = 0;  ///< of a round; 0: all
};

void BenchRun::add_slicers() {
  bool found = false;
  for (const NodeSet& nodes : graph_.content().nodes) {
    slicers_.emplace_back();
    if (!nodes.features) continue;
    slicers_.back().emplace(*nodes.features);
    found = true;
  }
  if (!found) fail(ExitStatus::bad_input, graph_.path(), ": has no features, leave out --features");
}

Way& BenchRun::add_way(const std::string& name, const StoredGraph& graph,
                       const SamplingOptions& sampling) {
  Way way;
  way.factory = std::make_unique<SamplerFactory>(
      graph, sampling, sampler_options(sampling, max_seeds_, options_.seed), node_type_);
  way.figure.name = name;
  for (int t = 0; t < num_threads(); ++t) {
    way.samplers.push_back(way.factory->make());
  }
  way.batches.resize(way.samplers.size());
  for (int t = 0; t < num_threads(); ++t) way.rows.emplace_back(slicers_.size());
  return ways_.emplace_back(std::move(way));
}

void BenchRun::add_walks() {
  graph_.require_homogeneous();
  check_device_of_walks(options_.device, "gnn-sample bench");
  for (const bool interleave : {true, false}) {
    if (!interleave && !options_.ladder) break;
    WalkOptions walks = options_.walks;
    walks.seed = options_.seed;
    walks.sources_ascend = graph_.times().empty();
    walks.interleave = interleave;
    Way way;
    way.figure.name = interleave ? "as given" : "one walk at a time";
    way.walks = std::make_unique<RandomWalks>(graph_.csr(), walks);
    way.nodes.resize(static_cast<std::size_t>(num_threads()));
    ways_.push_back(std::move(way));
  }
}

/// From a sampler without the optimisations to the step before "as given".
void BenchRun::add_steps() {
  SamplingOptions sampling = options_.sampling;
  sampling.prefetch = false;
  sampling.table = "hash";
  const bool one_slices = options_.features;
  if (mapped_) {
    add_way("plain: mapped file, hash table", *mapped_, sampling).one_slices = one_slices;
    add_way("+ memory with huge pages", graph_, sampling).one_slices = one_slices;
  } else {
    add_way("plain: hash table", graph_, sampling).one_slices = one_slices;
  }
  sampling.table = options_.sampling.table;
  add_way("+ the table that suits the graph", graph_, sampling).one_slices = one_slices;
  if (one_slices) add_way("+ prefetch", graph_, options_.sampling).one_slices = true;
}

/// Adds the ways in which one optimisation is switched off.
void BenchRun::add_lacks() {
  SamplingOptions without = options_.sampling;
  without.prefetch = false;
  add_way("without prefetch", graph_, without);
  for (const char* table : {"dense", "hash"}) {
    SamplingOptions with = options_.sampling;
    with.table = table;
    add_way(std::string(table) + " table", graph_, with);
  }
  if (mapped_) add_way("mapped file, 4 KiB pages", *mapped_, options_.sampling);
}

/// Samples the same mini-batches on the device that is asked for.
void BenchRun::add_device() {
  device_ = make_device_sampler(graph_, *ways_.front().factory,
                                {options_.device, "gnn-sample bench", options_.device_graph});
  if (device_ == nullptr) return;
  Way way;
  way.figure.name = "sampled on " + device_->device();
  way.on_device = [this](std::span<const LinkBatch> batches) {
    return sample_all(*device_, options_.sampling.hide_seed_edges, batches);
  };
  ways_.push_back(std::move(way));
  if (options_.ladder) add_ladder_of_device();
}

void BenchRun::add_ladder_of_device() {
  const bool trainable = !source_->links() && graph_.features() && graph_.num_classes() != 0;
  if (!trainable && options_.device == "auto") return;
  if (source_->links()) {
    fail(ExitStatus::usage,
         "--ladder trains on nodes where there is a --device: expected --seeds "
         "of nodes, or --device cpu");
  }
  const LadderTraining training{options_.device, "gnn-sample bench", options_.sampling,
                                max_seeds_,      options_.seed,      options_.hidden};
  device_ladder_ = std::make_unique<DeviceLadder>(graph_, training, *device_);
  for (std::size_t step = 0; step < device_ladder_->size(); ++step) {
    Way way;
    way.figure.name = device_ladder_->name(step);
    way.on_device = [this, step](std::span<const LinkBatch> batches) {
      return device_ladder_->round(step, batches);
    };
    way.trains = true;
    ways_.push_back(std::move(way));
  }
}

void BenchRun::open_seeds() {
  SeedBatchOptions batches;
  batches.batch_size = options_.batch_size;
  batches.seed = options_.seed;
  SeedSourceOptions of = options_.source;
  of.temporal = options_.sampling.temporal != "none";
  source_.emplace(graph_, of, batches);
  max_seeds_ = source_->max_seeds();
  node_type_ = source_->node_type();
  batches_of_epoch_ = source_->left();
}

/// Draws the seeds of one more mini-batch; false if there are enough.
bool BenchRun::draw_seeds() {
  if (options_.max_batches != 0 && seeds_.size() == options_.max_batches) return false;
  LinkBatch seeds;
  if (!source_->next(seeds)) return false;
  source_->complete(seeds);
  seeds_.push_back(std::move(seeds));
  return true;
}

/// The mini-batches that are done in the time of a round, a few at once; the first touches memory
/// and tables for the first time.
void BenchRun::measure_room(Way& way) {
  const std::size_t at_once = 4 * static_cast<std::size_t>(num_threads());
  std::vector<LinkBatch> all;
  const double began = wall_seconds();
  do {
    seeds_.clear();
    while (seeds_.size() < at_once && draw_seeds()) continue;
    round(way);
    std::move(seeds_.begin(), seeds_.end(), std::back_inserter(all));
  } while (seeds_.size() == at_once && wall_seconds() - began < options_.round_seconds);
  seeds_ = std::move(all);
}

/// The mini-batches that are trained on in the time of a round, by a few; those before them load
/// the kernels.
void BenchRun::measure_room_of_trainings(Way& way) {
  constexpr std::size_t kTried = 4;
  trained_batches_ = std::min(kTried, seeds_.size());
  round(way);
  round(way);
  if (!way.figure.left_out.empty()) {
    trained_batches_ = 0;
    return;
  }
  const double each = way.figure.seconds.back() / static_cast<double>(trained_batches_);
  const double all = std::min(options_.round_seconds / std::max(each, 1e-6), 1e9);
  trained_batches_ = std::clamp(static_cast<std::size_t>(all), trained_batches_, seeds_.size());
}

/// The first rounds count for nothing but the number of mini-batches.
void BenchRun::warm_up() {
  const bool by_time = options_.max_batches == 0 && options_.round_seconds > 0;
  if (by_time) measure_room(ways_.front());
  while (!by_time && draw_seeds()) continue;
  for (Way& way : ways_) {
    if (by_time && way.trains && trained_batches_ == 0) measure_room_of_trainings(way);
    if (!by_time || &way != &ways_.front()) round(way);
    way.figure.seconds.clear();
    way.figure.cpu_seconds.clear();
    way.figure.busy_seconds.clear();
  }
}

void BenchRun::round(Way& way) {
  if (way.on_device) return round_on_device(way);
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> edges{0}, nodes{0}, feature_bytes{0};
  const double began = wall_seconds(), cpu = cpu_seconds();
  parallel_threads([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    for (std::size_t i = next++; i < seeds_.size(); i = next++) {
      const Work done = work(way, t, seeds_[i]);
      edges += done.edges;
      nodes += done.nodes;
      feature_bytes += done.feature_bytes;
    }
  });
  way.figure.seconds.push_back(wall_seconds() - began);
  way.figure.cpu_seconds.push_back(cpu_seconds() - cpu);
  way.figure.batches = seeds_.size();
  way.figure.edges = edges;
  way.figure.nodes = nodes;
  way.figure.feature_bytes = feature_bytes;
}

void BenchRun::round_on_device(Way& way) {
  std::span<const LinkBatch> batches = seeds_;
  if (way.trains && trained_batches_ != 0) batches = batches.first(trained_batches_);
  const double began = wall_seconds(), cpu = cpu_seconds();
  const LadderRound done = way.on_device(batches);
  way.figure.left_out = done.left_out;
  if (!done.left_out.empty()) return;
  way.figure.seconds.push_back(wall_seconds() - began);
  way.figure.cpu_seconds.push_back(cpu_seconds() - cpu);
  if (done.busy_seconds > 0) way.figure.busy_seconds.push_back(done.busy_seconds);
  way.figure.batches = batches.size();
  way.figure.edges = done.edges;
  way.figure.nodes = done.nodes;
  if (!way.trains) return;
  std::size_t seeds = 0;
  for (const LinkBatch& batch : batches) seeds += batch.seeds.nodes.size();
  way.figure.loss = done.loss / static_cast<double>(seeds);
}

/// Sets the gains in the device's ladder: edges per second relative to the measured step before.
void BenchRun::find_gains() {
  const BenchFigure* before = nullptr;
  for (Way& way : ways_) {
    if (!way.trains || !way.figure.left_out.empty()) continue;
    if (before != nullptr) {
      way.figure.gain = way.figure.edges_per_second() / before->edges_per_second();
    }
    before = &way.figure;
  }
}

/// Gathers the features of the thread's mini-batch; returns their bytes.
std::uint64_t BenchRun::slice(Way& way, std::size_t thread) {
  std::unique_lock<std::mutex> one(slicing_, std::defer_lock);
  if (way.one_slices) one.lock();
  std::uint64_t bytes = 0;
  for (std::size_t t = 0; t < slicers_.size(); ++t) {
    if (!slicers_[t]) continue;
    const std::span<const NodeId> nodes = way.batches[thread].nodes(t);
    slicers_[t]->make_room(nodes.size(), way.rows[thread][t]);
    slicers_[t]->slice(nodes, way.rows[thread][t].data());
    bytes += nodes.size() * slicers_[t]->row_bytes();
  }
  return bytes;
}

/// Samples once, and gathers features where they are asked for.
BenchRun::Work BenchRun::work(Way& way, std::size_t thread, const LinkBatch& given) {
  const SeedBatches::Seeds& seeds = given.seeds;
  if (way.walks) {
    std::vector<NodeId>& walks = way.nodes[thread];
    walks.resize(seeds.nodes.size() * (options_.walks.length + std::size_t{1}));
    return {way.walks->walk(seeds.nodes, seeds.number, walks.data()), walks.size(), 0};
  }
  MiniBatch& batch = way.batches[thread];
  batch.epoch = seeds.epoch;
  batch.number = seeds.number;
  way.samplers[thread]->sample(sample_seeds(given, options_.sampling.hide_seed_edges), batch);
  return {batch.num_edges(), batch.total_nodes(), slice(way, thread)};
}

BenchResult BenchRun::run(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  open_seeds();
  if (options_.walks.length != 0) {
    add_walks();
  } else {
    if (options_.features) add_slicers();
    if (options_.ladder && !graph_.topology_is_mapped() &&
        MappedDocument::open(options_.graph) != nullptr) {
      mapped_ = std::make_unique<StoredGraph>(options_.graph, Residence::mapped);
    }
    add_way("as given", graph_, options_.sampling);
    if (options_.ladder) {
      add_steps();
      add_lacks();
    }
    add_device();
  }
  const std::uint64_t of = options_.rounds * ways_.size();
  std::uint64_t done = 0;
  progress(done, of);
  warm_up();
  for (std::uint32_t r = 0; r < options_.rounds; ++r) {
    for (Way& way : ways_) {
      round(way);
      progress(++done, of);
    }
  }
  find_gains();
  BenchResult result;
  result.batches_of_epoch = batches_of_epoch_;
  if (device_ != nullptr) result.device = device_->device();
  for (Way& way : ways_) result.figures.push_back(std::move(way.figure));
  return result;
}

}  // namespace

double BenchFigure::edges_per_second() const {
  return static_cast<double>(edges) / std::max(1e-9, median(seconds));
}
double BenchFigure::edges_per_cpu_second() const {
  return static_cast<double>(edges) / std::max(1e-9, median(cpu_seconds));
}
double BenchFigure::waiting_share() const {
  return std::clamp(1 - median(busy_seconds) / std::max(1e-9, median(seconds)), 0.0, 1.0);
}

BenchResult bench(const BenchOptions& options,
                  const std::function<void(std::uint64_t done, std::uint64_t of)>& progress) {
  return BenchRun(options).run(progress);
}

}  // namespace frugal::gnn
