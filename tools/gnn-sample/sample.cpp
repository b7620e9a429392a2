#include "tools/gnn-sample/sample.h"

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/threading/object_pool.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal {
namespace {

/// Mini-batches in work or waiting, per thread: enough that none waits for the writer to begin.
constexpr std::size_t kDepthPerThread = 3;

struct Item {
  LinkBatch seeds;
  MiniBatch batch;
  Document document;
};

class SampleRun {
 public:
  explicit SampleRun(const SampleOptions& options)
      : options_(options),
        graph_(options.graph, options.residence),
        seeds_(graph_, source_options(), batch_options()),
        factory_(graph_, options.sampling,
                 sampler_options(options.sampling, seeds_.max_seeds(), options.seed)),
        samplers_([this] { return factory_.make(); }),
        documents_(graph_, document_options()) {}

  SampleResult run(const std::function<void(std::uint64_t)>& begun,
                   const std::function<void(std::uint64_t)>& progress);

 private:
  BatchDocumentOptions document_options() const {
    BatchDocumentOptions document = options_.document;
    document.semantics = factory_.options().semantics;
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
  void count(const Item& item);

  SampleOptions options_;
  StoredGraph graph_;
  SeedSource seeds_;
  SamplerFactory factory_;
  ObjectPool<NeighborSampler> samplers_;
  BatchDocuments documents_;
  SampleResult result_;
};

SampleResult SampleRun::run(const std::function<void(std::uint64_t)>& begun,
                            const std::function<void(std::uint64_t)>& progress) {
  const std::uint64_t wanted =
      options_.max_batches == 0 ? seeds_.left() : std::min(seeds_.left(), options_.max_batches);
  begun(wanted);
  TensorWriter writer(options_.output, write_options());
  const double start = wall_seconds();
  double writing = 0;
  std::uint64_t produced = 0;
  OrderedPipeline<Item> pipeline;
  pipeline.produce = [&](Item& item) { return produced++ < wanted && seeds_.next(item.seeds); };
  pipeline.transform = [&](Item& item) {
    seeds_.complete(item.seeds);
    const SeedBatches::Seeds& seeds = item.seeds.seeds;
    item.batch.epoch = seeds.epoch;
    item.batch.number = seeds.number;
    SampleSeeds given{seeds.nodes, seeds.times, {}};
    if (options_.sampling.hide_seed_edges) given.hidden = item.seeds.positives;
    samplers_.with([&](NeighborSampler& s) { s.sample(given, item.batch); });
    item.document = documents_.make(item.batch, seeds_.links() ? &item.seeds : nullptr);
  };
  pipeline.consume = [&](Item& item) {
    const double began = wall_seconds();
    if (result_.batches == 0) {
      item.document.metadata["frugal.history"] = "[" + options_.history_entry + "]";
    }
    writer.write(item.document);
    count(item);
    writing += wall_seconds() - began;
    progress(result_.batches);
  };
  pipeline.run(kDepthPerThread * static_cast<std::size_t>(num_threads()));
  writer.finish();
  result_.seconds = wall_seconds() - start;
  result_.waiting_share = std::max(0.0, 1 - writing / result_.seconds);
  return result_;
}

void SampleRun::count(const Item& item) {
  ++result_.batches;
  result_.seeds += item.batch.num_seeds();
  result_.nodes += item.batch.num_nodes();
  result_.edges += item.batch.num_edges();
  result_.next_batch = item.batch.number + 1;
}

}  // namespace

SampleResult sample(const SampleOptions& options,
                    const std::function<void(std::uint64_t batches)>& begun,
                    const std::function<void(std::uint64_t batches)>& progress) {
  return SampleRun(options).run(begun, progress);
}

}  // namespace frugal
