#include "tools/gnn-sample/serve/sample.h"

#include <signal.h>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/threading/object_pool.h"
#include "libcore/threading/ordered_pipeline.h"
#include "tools/gnn-sample/batches/batch_ring.h"
#include "tools/gnn-sample/batches/sampler_factory.h"
#include "tools/gnn-sample/data/feature_view.h"

namespace frugal::gnn {
namespace {

/// Mini-batches in work or waiting, per thread: enough that none waits for the writer to begin.
constexpr std::size_t kDepthPerThread = 3;
constexpr double kMaxWalkNodes = 1 << 30;

std::size_t pipeline_depth() { return kDepthPerThread * static_cast<std::size_t>(num_threads()); }

struct Item {
  LinkBatch seeds;
  MiniBatch batch;
  OwnArena own;
  DocumentArena* arena = &own;  ///< where the document is made; a slot in shared memory
  std::uint64_t num_seeds = 0, num_nodes = 0, num_edges = 0;
};

/// Ends the process as the writer of a pipe whose reader is gone.
void end_without_reader() {
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

class SampleRun {
 public:
  explicit SampleRun(const SampleOptions& options)
      : options_(options),
        reader_(options.shared.empty()
                    ? nullptr
                    : std::make_unique<PeerSocket>(options.shared, end_without_reader)),
        graph_(options.graph, options.residence),
        seeds_(graph_, source_options(), batch_options()),
        factory_(graph_, options.sampling,
                 sampler_options(options.sampling, seeds_.max_seeds(), options.seed),
                 seeds_.node_type()),
        samplers_([this] { return factory_.make(); }),
        documents_(graph_, document_options()) {
    check_batches();
    check_edge_numbers();
    check_features();
    if (options.walks.walks.length != 0) {
      check_device_of_walks(options.device, "gnn-sample sample");
      add_walks();
    } else {
      add_device();
    }
  }

  SampleResult run(const std::function<void(std::uint64_t)>& begun,
                   const std::function<void(std::uint64_t)>& progress);

 private:
  BatchDocumentOptions document_options() const {
    BatchDocumentOptions document = options_.document;
    document.semantics = factory_.options().semantics;
    document.edge_types = factory_.edge_types();
    return document;
  }
  SeedSourceOptions source_options() const {
    SeedSourceOptions source = options_.source;
    source.temporal = options_.sampling.temporal != "none";
    return source;
  }
  SeedBatchOptions batch_options() const {
    SeedBatchOptions batches = options_.batches;
    batches.seed = options_.seed;
    return batches;
  }
  TensorWriteOptions write_options() const {
    TensorWriteOptions write;
    write.level = options_.level;
    // Mini-batches for a program on this machine are gone as soon as they are read.
    write.pipe_level = TensorWriteOptions::kPlain;
    write.threads = 1;  // the others sample
    return write;
  }
  void check_batches() const;
  void check_edge_numbers() const;
  /// Fails unless the features in memory that are written are finite. import has checked those in
  /// the file.
  void check_features() const {
    if (graph_.features_are_mapped() || !options_.document.features) return;
    for (const NodeSet& nodes : graph_.content().nodes) {
      if (!nodes.features) continue;
      const std::string type = graph_.heterogeneous() ? ": nodes of type " + nodes.type : "";
      check_finite(*nodes.features, graph_.path() + type);
    }
  }
  void add_walks();
  void add_device();
  bool next_seeds(LinkBatch& seeds);
  bool take(Item& item);
  void sample_into(Item& item);
  void walk_into(Item& item);
  void count(const Item& item);
  void pass_on(const std::function<void(std::uint64_t)>& progress,
               const std::function<void(Item&)>& write, bool aside, BatchRing* ring);

  SampleOptions options_;
  std::unique_ptr<PeerSocket> reader_;  ///< before the graph, whose reading may take long
  StoredGraph graph_;
  SeedSource seeds_;
  SamplerFactory factory_;
  ObjectPool<NeighborSampler> samplers_;
  BatchDocuments documents_;
  std::optional<WalkDocuments> walks_;
  std::unique_ptr<DeviceSampler> device_;
  std::optional<SampledAhead> sampled_;  ///< by the device
  std::uint64_t wanted_ = 0;             ///< mini-batches whose seeds are still to be taken
  SampleResult result_;
};

SampleResult SampleRun::run(const std::function<void(std::uint64_t)>& begun,
                            const std::function<void(std::uint64_t)>& progress) {
  wanted_ =
      options_.max_batches == 0 ? seeds_.left() : std::min(seeds_.left(), options_.max_batches);
  begun(wanted_);
  if (reader_ != nullptr) {
    const std::size_t slots =
        options_.slots != 0 ? options_.slots : std::min(pipeline_depth() + 1, BatchRing::kMaxSlots);
    BatchRing ring(*reader_, slots, {seeds_.per_epoch(), options_.batches.shard});
    pass_on(
        progress, [&](Item& item) { ring.send(*item.arena); }, true, &ring);
    ring.finish();
    return result_;
  }
  TensorWriter writer(options_.output, write_options());
  pass_on(
      progress, [&](Item& item) { writer.write(item.arena->document()); }, writer.is_stream(),
      nullptr);
  writer.finish();
  return result_;
}

/// Makes all mini-batches and calls `write` with each, in order.
void SampleRun::pass_on(const std::function<void(std::uint64_t)>& progress,
                        const std::function<void(Item&)>& write, bool aside, BatchRing* ring) {
  const double start = wall_seconds();
  double writing = 0;
  OrderedPipeline<Item> pipeline;
  pipeline.produce = [&](Item& item) {
    if (!take(item)) return false;
    if (ring != nullptr) {
      item.arena = &ring->next();
    } else {
      item.own.clear();
    }
    return true;
  };
  pipeline.transform = [&](Item& item) {
    if (walks_) {
      walk_into(item);
    } else {
      sample_into(item);
    }
  };
  pipeline.consume_aside = aside;
  pipeline.consume = [&](Item& item) {
    const double began = wall_seconds();
    if (result_.batches == 0) {
      item.arena->document().metadata["frugal.history"] = "[" + options_.history_entry + "]";
    }
    write(item);
    count(item);
    writing += wall_seconds() - began;
    progress(result_.batches);
  };
  pipeline.run(pipeline_depth());
  result_.seconds = wall_seconds() - start;
  result_.waiting_share = std::max(0.0, 1 - writing / result_.seconds);
}

/// A stream of nothing is a mistake.
void SampleRun::check_batches() const {
  const std::uint64_t total = seeds_.total(), first = options_.batches.first;
  if (total == 0) {
    fail(ExitStatus::usage, "--drop-last leaves no mini-batch: there are fewer seeds than ",
         options_.batches.batch_size, ", take a smaller --batch-size");
  }
  if (first < total) return;
  fail(ExitStatus::usage, "--from is ", first, ", expected at most ", total - 1,
       ", the number of the last");
}

/// A place among the edges of the graph is no number that their owner knows.
void SampleRun::check_edge_numbers() const {
  if (!options_.sampling.edge_ids) return;
  for (const std::size_t type : factory_.edge_types()) {
    const EdgeSet& edges = graph_.content().edges[type];
    if (!edges.edge_ids.empty() || edges.csr.num_edges() == 0) continue;
    fail(ExitStatus::bad_input, graph_.path(),
         ": the edges have no numbers; have import keep them (--edge-ids)");
  }
}

void SampleRun::add_walks() {
  graph_.require_homogeneous();
  if (seeds_.links()) {
    fail(ExitStatus::usage, "--walks begin at nodes: leave out edges as seeds");
  }
  WalkDocumentOptions walks = options_.walks;
  walks.walks.seed = options_.seed;
  walks.features = options_.document.features;
  walks.dense = options_.document.dense;
  walks.identities = options_.document.identities;
  walks.wide_ids = options_.document.wide_ids;
  const double nodes = static_cast<double>(options_.batches.batch_size) * walks.walks_per_node *
                       (walks.walks.length + 1.0);
  if (nodes > kMaxWalkNodes) {
    fail(ExitStatus::usage, "walks of ", nodes, " nodes a mini-batch, expected at most ",
         kMaxWalkNodes, "; take a smaller --batch-size");
  }
  // Nodes and the tensor of them.
  const double bytes = nodes * (sizeof(NodeId) + (walks.wide_ids ? 8 : 4)) * kDepthPerThread;
  check_memory(
      "walks of " + format_count(static_cast<std::uint64_t>(nodes), "node") + " a mini-batch",
      static_cast<std::uint64_t>(bytes) * static_cast<std::uint64_t>(num_threads()));
  walks_.emplace(graph_, walks);
}

void SampleRun::add_device() {
  device_ = make_device_sampler(graph_, factory_,
                                {options_.device, "gnn-sample sample", options_.device_graph});
  if (device_ == nullptr) return;
  sampled_.emplace(*device_, options_.sampling.hide_seed_edges, [this](LinkBatch& seeds) {
    if (!next_seeds(seeds)) return false;
    seeds_.complete(seeds);
    return true;
  });
}

bool SampleRun::next_seeds(LinkBatch& seeds) {
  if (wanted_ == 0 || !seeds_.next(seeds)) return false;
  --wanted_;
  return true;
}

/// The seeds of the next mini-batch, and where a device samples the mini-batch; false at the end.
bool SampleRun::take(Item& item) {
  return sampled_ ? sampled_->next(item.seeds, item.batch) : next_seeds(item.seeds);
}

void SampleRun::sample_into(Item& item) {
  if (!sampled_) {
    seeds_.complete(item.seeds);
    item.batch.epoch = item.seeds.seeds.epoch;
    item.batch.number = item.seeds.seeds.number;
    const SampleSeeds seeds = sample_seeds(item.seeds, options_.sampling.hide_seed_edges);
    samplers_.with([&](NeighborSampler& s) { s.sample(seeds, item.batch); });
  }
  documents_.make(item.batch, seeds_.links() ? &item.seeds : nullptr, *item.arena);
  item.num_seeds = item.batch.num_seeds();
  item.num_nodes = item.batch.total_nodes();
  item.num_edges = item.batch.num_edges();
}

void SampleRun::walk_into(Item& item) {
  const WalkDocuments::Made made = walks_->make(item.seeds.seeds, *item.arena);
  item.num_seeds = item.seeds.seeds.nodes.size();
  item.num_nodes = made.nodes;
  item.num_edges = made.steps;
}

void SampleRun::count(const Item& item) {
  ++result_.batches;
  result_.seeds += item.num_seeds;
  result_.nodes += item.num_nodes;
  result_.edges += item.num_edges;
  result_.next_batch = item.seeds.seeds.number + 1;
}

}  // namespace

SampleResult sample(const SampleOptions& options,
                    const std::function<void(std::uint64_t batches)>& begun,
                    const std::function<void(std::uint64_t batches)>& progress) {
  return SampleRun(options).run(begun, progress);
}

}  // namespace frugal::gnn
