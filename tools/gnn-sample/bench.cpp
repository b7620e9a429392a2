#include "tools/gnn-sample/bench.h"

#include <algorithm>
#include <atomic>

#include "libcore/base/error.h"
#include "libcore/io/mapped_document.h"
#include "libcore/system/clock.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/batches/seed_batches.h"

namespace frugal {
namespace {

double median(std::vector<double> values) {
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
};

class BenchRun {
 public:
  explicit BenchRun(const BenchOptions& options)
      : options_(options), graph_(options.graph, options.residence) {}

  BenchResult run(const std::function<void(std::uint64_t, std::uint64_t)>& progress);

 private:
  void add_way(const std::string& name, const StoredGraph& graph, const SamplingOptions& sampling);
  void add_ladder();
  void draw_seeds();
  void round(Way& way);

  BenchOptions options_;
  StoredGraph graph_;
  std::unique_ptr<StoredGraph> mapped_;
  std::vector<LinkBatch> seeds_;
  std::uint32_t max_seeds_ = 0;
  std::vector<Way> ways_;
};

void BenchRun::add_way(const std::string& name, const StoredGraph& graph,
                       const SamplingOptions& sampling) {
  Way way;
  way.factory = std::make_unique<SamplerFactory>(
      graph, sampling, sampler_options(sampling, max_seeds_, options_.seed));
  way.figure.name = name;
  for (int t = 0; t < num_threads(); ++t) {
    way.samplers.push_back(way.factory->make());
  }
  way.batches.resize(way.samplers.size());
  ways_.push_back(std::move(way));
}

/// What is left where one optimisation is missing.
void BenchRun::add_ladder() {
  SamplingOptions without = options_.sampling;
  without.prefetch = false;
  add_way("without prefetch", graph_, without);
  for (const char* table : {"dense", "hash"}) {
    SamplingOptions with = options_.sampling;
    with.table = table;
    add_way(std::string(table) + " table", graph_, with);
  }
  if (!graph_.topology_is_mapped() && MappedDocument::open(options_.graph) != nullptr) {
    mapped_ = std::make_unique<StoredGraph>(options_.graph, Residence::mapped);
    add_way("mapped file, 4 KiB pages", *mapped_, options_.sampling);
  }
}

void BenchRun::draw_seeds() {
  SeedBatchOptions batches;
  batches.batch_size = options_.batch_size;
  batches.seed = options_.seed;
  SeedSourceOptions of = options_.source;
  of.temporal = options_.sampling.temporal != "none";
  SeedSource source(graph_, of, batches);
  max_seeds_ = source.max_seeds();
  LinkBatch seeds;
  while (source.next(seeds) &&
         (options_.max_batches == 0 || seeds_.size() < options_.max_batches)) {
    source.complete(seeds);
    seeds_.push_back(seeds);
  }
}

void BenchRun::round(Way& way) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> edges{0}, nodes{0};
  const double began = wall_seconds(), cpu = cpu_seconds();
  parallel_threads([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    MiniBatch& batch = way.batches[t];
    for (std::size_t i = next++; i < seeds_.size(); i = next++) {
      const SeedBatches::Seeds& seeds = seeds_[i].seeds;
      batch.epoch = seeds.epoch;
      batch.number = seeds.number;
      SampleSeeds given{seeds.nodes, seeds.times, {}};
      if (options_.sampling.hide_seed_edges) given.hidden = seeds_[i].positives;
      way.samplers[t]->sample(given, batch);
      edges += batch.num_edges();
      nodes += batch.num_nodes();
    }
  });
  way.figure.seconds.push_back(wall_seconds() - began);
  way.figure.cpu_seconds.push_back(cpu_seconds() - cpu);
  way.figure.batches = seeds_.size();
  way.figure.edges = edges;
  way.figure.nodes = nodes;
}

BenchResult BenchRun::run(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  draw_seeds();
  add_way("as given", graph_, options_.sampling);
  if (options_.ladder) add_ladder();
  // The first round touches memory and tables for the first time.
  for (Way& way : ways_) {
    round(way);
    way.figure.seconds.clear();
    way.figure.cpu_seconds.clear();
  }
  const std::uint64_t of = options_.rounds * ways_.size();
  std::uint64_t done = 0;
  for (std::uint32_t r = 0; r < options_.rounds; ++r) {
    for (Way& way : ways_) {
      round(way);
      progress(++done, of);
    }
  }
  BenchResult result;
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

BenchResult bench(const BenchOptions& options,
                  const std::function<void(std::uint64_t done, std::uint64_t of)>& progress) {
  return BenchRun(options).run(progress);
}

}  // namespace frugal
