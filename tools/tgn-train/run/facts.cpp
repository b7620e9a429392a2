#include "tools/tgn-train/run/facts.h"

#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

/// A tenth of the nodes may have most of the events.
void warn_of_held_out(const LinkData& data, std::uint64_t train_events, double new_nodes) {
  constexpr double kMuch = 0.2;
  const double all = data.split().end(EventPart::train);
  const double out = all - static_cast<double>(train_events);
  if (out <= kMuch * all) return;
  log_warning("--new-nodes ", format_number(new_nodes), " keeps ", static_cast<std::uint64_t>(out),
              " of the ", static_cast<std::uint64_t>(all),
              " events of the training part out of training (", format_number(100 * out / all, 2),
              " %), those of the nodes to be tested as new ones; --new-nodes 0 trains on all");
}

}  // namespace

TrainFacts facts_of(const LinkData& data, const TrainOptions& options) {
  const EventSplit& split = data.split();
  TrainFacts f;
  f.nodes = data.stream().num_nodes();
  f.events = data.stream().num_events();
  f.edge_features = data.stream().edge_features().dim;
  f.edge_types = data.stream().type_names().size();
  f.train_events = split.num_events(EventPart::train);
  f.valid_events = split.num_events(EventPart::valid);
  f.test_events = split.num_events(EventPart::test);
  f.new_valid_events = split.num_new_node_events(EventPart::valid);
  f.new_test_events = split.num_new_node_events(EventPart::test);
  f.batch = options.batch;
  f.neighbors = options.network.reads_neighbors() ? options.network.neighbors : 0;
  f.memory_dim = options.network.memory_dim;
  f.time_ranges = options.time_ranges;
  f.memory_shards = options.memory_shards;
  warn_of_held_out(data, f.train_events, options.split.new_nodes);
  return f;
}

}  // namespace frugal::tgn
