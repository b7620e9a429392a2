#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

using nlohmann::ordered_json;

ordered_json figure_json(const BenchFigure& figure) {
  ordered_json json;
  json["name"] = figure.name;
  if (!figure.left_out.empty()) {
    json["left_out"] = figure.left_out;
    return json;
  }
  json["sampled_edges_per_second"] = figure.edges_per_second();
  json["sampled_edges_per_cpu_second"] = figure.edges_per_cpu_second();
  json["seconds"] = figure.seconds;
  json["cpu_seconds"] = figure.cpu_seconds;
  if (figure.busy_seconds.empty()) return json;
  json["batches"] = figure.batches;
  json["device_waiting_share"] = figure.waiting_share();
  if (figure.loss) json["loss"] = *figure.loss;
  if (figure.gain > 0) json["gain"] = figure.gain;
  return json;
}

std::string figure_text(const BenchFigure& figure, const std::string& unit) {
  if (!figure.left_out.empty()) return figure.name + ": left out: " + figure.left_out;
  std::string text = figure.name + ": " + in_millions(figure.edges_per_second()) + " " + unit +
                     "/s, " + in_millions(figure.edges_per_cpu_second()) + " a CPU second";
  if (!figure.busy_seconds.empty()) {
    text +=
        ", the device waits " + format_number(100 * figure.waiting_share(), 3) + " % of the time";
  }
  if (figure.gain > 0) text += ", " + format_number(figure.gain, 3) + " times the step before";
  return text;
}

void describe_result(const ResultFields& f, const BenchOptions& options, const BenchResult& r,
                     int threads) {
  const BenchFigure first = r.figures.empty() ? BenchFigure{} : r.figures.front();
  const auto a_batch = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(first.batches);
  };
  f.add("sampled_edges_per_second", first.edges_per_second(), "edges sampled per second");
  f.add("sampled_edges_per_cpu_second", first.edges_per_cpu_second(),
        "edges sampled per second of CPU time, over all threads");
  f.add("threads", threads, "threads that sampled");
  f.add("batches", first.batches, "mini-batches of a round");
  f.add("batches_of_epoch", r.batches_of_epoch, "mini-batches of an epoch");
  f.add("edges_per_batch", a_batch(first.edges), "mean number of edges of a mini-batch");
  f.add("nodes_per_batch", a_batch(first.nodes), "mean number of nodes of a mini-batch");
  f.when("--features", options.features, [&](const ResultFields& features) {
    features.add("feature_bytes_per_batch", a_batch(first.feature_bytes),
                 "mean size of a mini-batch's features");
  });
  f.add("rounds", options.rounds, "rounds measured, whose median is shown");
  f.when("--device", !r.device.empty(), [&](const ResultFields& device) {
    device.add("device", r.device, "name of the device that sampled, too");
  });
  ordered_json ways = ordered_json::array();
  for (const BenchFigure& figure : r.figures) ways.push_back(figure_json(figure));
  f.add(
      "ways", ways,
      "what was measured, first the options as given. Each has name, sampled_edges_per_second, "
      "sampled_edges_per_cpu_second, seconds and cpu_seconds of a round. On a device it also has "
      "batches, device_waiting_share and, where layers are trained, loss. A step of the ladder "
      "has gain, its speed relative to the step before. left_out says why a way was not measured");
}

ExitStatus run_bench(const BenchOptions& given, Run& run) {
  BenchOptions options = given;
  options.seed = run.options().seed;
  options.device = run.options().device;
  run.reads(options.graph);
  read_seeds(run, options.source);
  TaskProgress progress(run);
  const BenchResult result = bench(options, [&](std::uint64_t done, std::uint64_t of) {
    progress.update({"measuring", static_cast<double>(of), "rounds"}, static_cast<double>(done));
  });
  progress.finish();
  describe_result(ResultFields(run.result()), options, result, run.threads());
  for (const BenchFigure& figure : result.figures) {
    run.say(figure_text(figure, options.walks.length != 0 ? "steps" : "edges"));
  }
  return ExitStatus::ok;
}

void describe_bench(const OptionFields& f, BenchOptions& b) {
  f.add("graph", b.graph, "graph file written by import or generate").required().metavar("GRAPH");
  describe_sampling(f, b.sampling, true);
  describe_seeds(f, b.source, b.sampling, b.batch_size);
  describe_walks(f, b.walks);
  f.group("Sampling")
      .add("--edge-ids", b.sampling.edge_ids, "also store the position of each edge in the graph");
  f.add_duration(
       "--round-time", b.round_seconds,
       "length of a round: it has as many mini-batches as a first, untimed round finished in this "
       "time, at most an epoch. 0: an epoch")
      .goes_with("--batches 0", [&b] { return b.max_batches == 0; });
  f.add("--batches", b.max_batches, "number of mini-batches in a round; 0: by --round-time");
  f.add("--rounds", b.rounds, "number of rounds, whose median is the result").range(1U, 1000U);
  f.add("--features", b.features, "also gather the features of all nodes in a mini-batch");
  f.add("--ladder", b.ladder,
        "also measure with the optimisations switched on one by one; each is then switched off "
        "alone");
  f.add("--hidden", b.hidden,
        "with --ladder on a device: number of units in a hidden layer of the network")
      .range(1, 65536)
      .goes_with("--ladder", [&b] { return b.ladder; });
  describe_residence(f, b.residence);
  describe_device_graph(f, b.device_graph);
  describe_walk_conditions(f, b.walks);
  f.field("--features").goes_with("neighbourhoods, not with --walks", [&b] {
    return b.walks.length == 0;
  });
}

}  // namespace

Command bench_command(BenchOptions& o) {
  Command command;
  command.name = "bench";
  command.summary = "measure the number of sampled edges per second";
  command.description =
      "Samples mini-batches without writing them. Each round has the same mini-batches: an epoch, "
      "or as many as fit into --round-time. The result is the median of the rounds. With "
      "--features the features are gathered, too.\n\n"
      "With --ladder, the optimisations are switched on one after the other, and then each alone "
      "is switched off. All variants are measured in turn, round by round: a machine that slows "
      "down slows all of them.\n\n"
      "--device cuda also samples on the GPU: the same mini-batches, without features. With "
      "--ladder, the GPU trains GraphSAGE, and each step of the ladder adds one optimisation. The "
      "steps are: one thing after the other; batches prepared ahead; the next batch copied while a "
      "step is computed; features pinned in the host's memory; features in the device's memory; "
      "batches sampled on the device, which reach the training through the host. The learning rate "
      "is 0, so all steps have the same work and the same loss. Each reports its gain over the "
      "step before. The device's clock gives the share of the time in which the device waits "
      "because no step is computed.";
  command.examples = {
      {"gnn-sample bench GRAPH --fanouts 15,10,5 --batch-size 1024 --json",
       "print sampled edges per second as JSON"},
      {"gnn-sample bench GRAPH --ladder --features", "the gain of each optimisation"},
      {"gnn-sample bench GRAPH --ladder --device cuda",
       "the gain of each optimisation in training on a GPU"}};
  command.often = {"--fanouts",  "--batch-size", "--method",  "--rounds",
                   "--features", "--ladder",     "--threads", "--json"};
  command.describe = [&o](const OptionFields& f) { describe_bench(f, o); };
  command.uses = {.seed = true, .device = true, .engine = "gnn.sample"};
  command.describe_results = [](const ResultFields& f) {
    describe_result(f, BenchOptions{}, BenchResult{}, 0);
  };
  command.run = [&o](Run& run) { return run_bench(o, run); };
  return command;
}

}  // namespace frugal::gnn
