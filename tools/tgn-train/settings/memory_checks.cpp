#include "tools/tgn-train/settings/memory_checks.h"

#include "libcore/base/error.h"

namespace frugal::tgn {
namespace {

/// Fails (usage) where an architecture or a value asks for what the memory mode cannot do.
void check_modules(const TrainOptions& o) {
  if (o.network.embeds_pairs() && o.mode != MemoryMode::window) {
    fail(ExitStatus::usage, "--memory ", memory_mode_name(o.mode),
         " goes with architectures that have a memory, not with tpnet; leave it out");
  }
  if (o.network.embeds_pairs() && o.network.aggregator != AggregatorKind::last) {
    fail(ExitStatus::usage,
         "--aggregator mean goes with architectures that have a memory, not "
         "with tpnet; leave it out");
  }
  if (o.network.aggregator == AggregatorKind::mean && o.network.is_pyg()) {
    fail(ExitStatus::usage, "--aggregator mean goes with other architectures than pyg");
  }
  if (o.network.aggregator == AggregatorKind::mean && o.mode != MemoryMode::exact) {
    fail(ExitStatus::usage,
         o.architecture == "tgn-mean" ? "--architecture tgn-mean" : "--aggregator mean",
         " goes with --memory exact: a node may have several messages there");
  }
  if (o.network.dyrep && o.mode != MemoryMode::exact) {
    fail(ExitStatus::usage,
         "--architecture dyrep goes with --memory exact: its messages need embeddings");
  }
}

/// Which events the memory knows when.
void check_window(TrainOptions& o) {
  if (o.mode == MemoryMode::window) {
    if (o.window > 1) {
      fail(
          ExitStatus::usage, "--window ", o.window,
          ": with --memory window every event knows all before it, as in windows of 1; larger ones "
          "go with --memory exact and read");
    }
    o.window = 0;
    return;
  }
  if (o.window == 0) o.window = o.batch;
  if (o.window % o.batch != 0) {
    fail(ExitStatus::usage, "--window ", o.window, ": expected a multiple of --batch-size ",
         o.batch);
  } else if (o.network.dyrep && o.window > o.batch) {
    fail(ExitStatus::usage, "--window ", o.window,
         ": the messages of --architecture dyrep have embeddings of their batch; expected ",
         o.batch);
  }
}

}  // namespace

void check_memory_mode(TrainOptions& options) {
  check_modules(options);
  check_window(options);
}

}  // namespace frugal::tgn
