#include "tools/tgn-train/making/generate.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/tgn-train/commands/tool.h"

namespace frugal::tgn {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::string summary_of(const GenerateResult& r) {
  std::string text = format_count(r.events, "event") + " at " +
                     format_count(r.distinct_times, "time") + ", " + format_count(r.nodes, "node");
  if (r.sources != 0) {
    text += " (" + format_count(r.sources, "source") + ", " +
            format_count(r.nodes - r.sources, "destination") + ")";
  }
  if (r.recurring != 0) {
    text += "; " +
            format_percent(static_cast<double>(r.recurring) / static_cast<double>(r.events)) +
            " of the events repeat one of the last partners";
  }
  if (r.types != 0) text += "; " + format_count(r.types, "edge type");
  if (r.features != 0) text += "; " + format_count(r.features, "feature") + " an event";
  return text;
}

void describe_result(const ResultFields& f, const GenerateResult& r) {
  f.add("nodes", r.nodes, "nodes of the stream");
  f.add("sources", r.sources, "number of sources; 0 if nodes are of one kind");
  f.add("events", r.events, "events of the stream");
  f.add("distinct_times", r.distinct_times, "number of different times");
  f.add("recurring", r.recurring, "events with one of the source's last partners");
  f.when("--edge-types above 0", r.types != 0, [&](const ResultFields& typed) {
    typed.add("edge_types", r.types, "number of edge types");
  });
  f.add("edge_features", r.features, "features of an event");
}

ExitStatus run_generate(GenerateOptions& o, Run& run) {
  o.seed = run.options().seed;
  o.history_entry = run.history_entry();
  run.writes(o.output);
  TaskProgress progress(run);
  const GenerateResult result = generate(o, [&](std::uint64_t done, std::uint64_t all) {
    progress.update({"writing", static_cast<double>(all), "rows"}, static_cast<double>(done));
  });
  progress.finish();
  describe_result(ResultFields(run.result()), result);
  run.say(summary_of(result));
  return ExitStatus::ok;
}

void add_stream_options(const OptionFields& f, GenerateOptions& o) {
  const std::int64_t none = 0, some = 1;
  f.add("--nodes", o.nodes, "number of nodes; auto: as in the shape")
      .range(some, kMost)
      .automatic(o.nodes, -1);
  f.add("--sources", o.sources,
        "number of nodes that are sources; the others are destinations. 0: every node is both. "
        "auto: as in the shape")
      .range(none, kMost)
      .automatic(o.sources, -1);
  f.add("--events", o.events, "number of events; auto: as in the shape")
      .range(none, kMost)
      .automatic(o.events, -1);
  f.add("--distinct-times", o.distinct_times,
        "number of distinct times, each with about the same number of events. 0: any times. auto: "
        "as in the shape")
      .range(none, kMost)
      .automatic(o.distinct_times, -1);
  f.add("--duration", o.duration,
        "upper limit of the times, which are whole numbers from 0; auto: as in the shape")
      .range(some, kMost)
      .automatic(o.duration, -1);
  f.add("--exponent", o.exponent,
        "exponent of the power law that the degrees of nodes follow, above 1; larger ones give "
        "fewer nodes of high degree. auto: as in the shape")
      .positive()
      .automatic(o.exponent, -1);
  f.add("--recurrence", o.recurrence,
        "share of the events whose destination is one of the source's last four partners. auto: as "
        "in the shape")
      .range(0.0, 1.0)
      .automatic(o.recurrence, -1);
  f.add("--features", o.features, "number of features of an event; auto: as in the shape")
      .range(0, 65536)
      .automatic(o.features, -1);
  f.add("--edge-types", o.types,
        "number of edge types. Each type has its own popular destinations, and a source returns to "
        "the last partners of the type. 0: events have no types")
      .range(0, 65535);
  f.add("--feature-type", o.feature_type, "number type in which features are stored")
      .choices({"f32", "f16", "bf16"});
  f.go_with({"--feature-type"}, "--features, not with 0", [&o] { return o.features != 0; });
}

}  // namespace

Command generate_command(GenerateOptions& o) {
  Command command;
  command.name = "generate";
  command.summary = "generate a synthetic stream of events of any size";
  command.description =
      "Writes a synthetic events file. The degrees of nodes follow a power law, and some events "
      "return to one of the source's last partners, which a model can learn. Each source belongs "
      "to one of 64 centres, and features are noise around its centre. Use the file for tests and "
      "to measure sizes and speed; accuracy on it says nothing about real data.\n\n"
      "The shapes have the sizes of published data sets, so that times can be compared with "
      "published ones. --scale makes them smaller. The file depends only on the options and "
      "--seed, not on the number of threads. It is generated while it is written: with recurrence, "
      "the last partners take 20 bytes of memory a source.";
  command.examples = {{"tgn-train generate -o small.safetensors", "20,000 events for a first try"},
                      {"tgn-train generate --shape wikipedia -o wikipedia.safetensors",
                       "as many users, pages, edits and features as in JODIE's Wikipedia data set"},
                      {"tgn-train generate --shape twitter -o twitter.safetensors",
                       "261 million events, a file of 4 GB"}};
  command.often = {"--output", "--shape", "--scale", "--nodes", "--events", "--features", "--seed"};
  command.describe = [&o](const OptionFields& f) {
    f.add("-o,--output", o.output, "events file to write; - is stdout").metavar("FILE");
    f.add_row_name("--shape", o.shape, event_shapes(),
                   "predefined sizes, which other options replace one by one");
    f.add("--scale", o.scale, "divide the numbers of nodes and events of the shape by this")
        .range(1.0, 1e6);
    add_stream_options(f, o);
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) { describe_result(f, GenerateResult{}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_generate(o, run); };
  return command;
}

}  // namespace frugal::tgn
