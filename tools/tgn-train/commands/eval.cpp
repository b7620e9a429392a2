#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/tgn-train/commands/tool.h"
#include "tools/tgn-train/links/link_report.h"

namespace frugal::tgn {
namespace {

constexpr char kPlace[] = "Memory";

void describe_labels(const ResultFields& f, const LabelTests& labels) {
  f.add("validation_events", labels.valid_events, "events of the validation part");
  f.add("validation_labelled", labels.valid_labelled,
        "validation events with label 1 or, of classes and numbers, with a label");
  f.add("test_events", labels.test_events, "events of the test part");
  f.add("test_labelled", labels.test_labelled, "as validation_labelled, of the test");
  describe_label_reads(f, labels.reads);
  describe_label_metrics(f, labels.valid, labels.test, labels.baselines);
}

void describe_evaluation(const ResultFields& f, const EvalResult& r) {
  f.add("parameters", r.parameters, "parameters of the model");
  f.when("a model of labels", r.labels, describe_labels);
  f.when("a model of links", !r.labels, [&](const ResultFields& links) {
    describe_tests(links, r.tests, Ranks::may_be);
    links.when("--negatives, not uniform", r.given_negatives,
               [](const ResultFields& given, std::uint64_t count) {
                 given.add("given_negatives", count,
                           "events of validation and test whose negative is historical, inductive "
                           "or of a file; the others have uniform ones");
               });
    describe_baselines(links, r.baselines);
    links.add("memory", memory_text(r.memory_of_model),
              "where the memory came from: model (its file) or anew (the training events)");
  });
  f.add("read_seconds", r.read_seconds, "time of reading model and events");
  f.add("seconds", r.seconds, "time of the evaluation");
  f.when("a model of links", !r.labels, [&](const ResultFields& links) {
    links.add("baseline_seconds", r.baseline_seconds, "time of the baselines");
  });
}

void describe_embeddings(const ResultFields& f, const EmbedResult& r) {
  f.add("embeddings", r.embeddings, "embeddings written");
  f.add("dim", r.dim, "numbers of an embedding");
  f.add("events", r.events, "events that the memory knew in the end");
  f.add("memory", memory_text(r.memory_of_model),
        "where the memory for the last time came from: model (its file) or anew (the events)");
  f.add("read_seconds", r.read_seconds, "time of reading model and events");
  f.add("seconds", r.seconds, "time of computing and writing the embeddings");
}

void say_label_tests(const LabelTests& labels, Run& run) {
  run.say(std::to_string(labels.test_labelled) + " of " +
          format_count(labels.test_events, "event") + " of the test have " +
          labelled_text(labels.type) + metrics_text("validation", labels.valid.values) +
          metrics_text("test", labels.test.values));
  if (!labels.baselines.constant.values.empty()) {
    say_label_baseline(labels.test, labels.baselines, run);
  }
}

constexpr char kEvalDescription[] =
    "Tests a model on a stream, which is split as in training. The model scores each event of "
    "validation and test, and beside it an event that did not happen, before the memory learns of "
    "the event. The memory starts from the one in the model file. On another stream, or with a "
    "model of --weights-only, it is computed anew from the training events. Events with nodes that "
    "are new since training are also tested apart (inductive). With --ranks each destination is "
    "ranked among others, as in the Temporal Graph Benchmark. A mix of the model was fitted "
    "to validation. Then only results of the test are of data that it never saw.\n\n"
    "--ranks FILE reads the nodes to rank among from a file, such as the negatives of that "
    "benchmark. It contains arrays of whole numbers, with a row for each event of the part in the "
    "order of the stream. A row lists nodes by their ids in the input and is filled up with -1. "
    "Destinations with ids of their own are given by these ids, or by numbers that continue after "
    "the sources, as in benchmarks. Nodes with names are given by their order of appearance. An "
    ".npz or tensor file has the array `test` and, to rank validation too, `valid` or `val`. An "
    ".npy file is the array of the test. A .pkl file is a dict of the Temporal Graph Benchmark, "
    "from (source, destination, time) to nodes. Nothing of it is run. If its name contains "
    "test_ns, the file with val_ns instead is read for validation.\n\n"
    "--rank-scores writes the nodes that events are ranked among and all logits, for other "
    "programs' evaluators. The arrays `valid` and `test` are as --ranks FILE reads them. Rows of "
    "`valid.logits` and `test.logits` begin with the destination, and the logits of the nodes "
    "follow. Rows are filled up with minus infinity.\n\n"
    "--seed changes the events that did not happen and the nodes of --ranks. With 0 they are the "
    "ones of the test that train reports.\n\n"
    "Predictions without learning are tested beside the model, as baselines: EdgeBank with all "
    "events and with recent ones, recency, popularity, and cooccurrence. Cooccurrence is how often "
    "a destination occurred near the last 10 of the source. If events have edge types, all are "
    "tested a second time within types (typed_recency and so on): then they know a destination "
    "only by its events of the type.\n\n"
    "--predictions writes two lines for each event of validation and test, each with the model's "
    "probability. The first line is the event, with label 1. The second has another destination "
    "and label 0. Ids are as in the input; the edge type, if events have one, follows the time. "
    "With node-label and event-label there is one line for "
    "each event, with the event's label. Lines of classes have the likeliest class and its "
    "probability, and lines of numbers the predicted number.\n\n"
    "With a model of train --task node-label or event-label, the labels of validation and test are "
    "tested in the same way as in train. --ranks and --batch-size then have no effect.";

ExitStatus run_eval(const EvalOptions& given, Run& run) {
  EvalOptions options = given;
  options.place = memory_place(given.place, "");
  options.seed = run.options().seed;
  options.precision = network_precision(run);
  options.device = run.options().device;
  run.reads(options.model);
  run.reads(options.events);
  if (names_rank_file(options.ranks)) run.reads(options.ranks);
  if (options.negatives.find_first_of("./") != std::string::npos) run.reads(options.negatives);
  run.writes(options.predictions);
  run.writes(options.rank_scores);
  options.history_entry = run.history_entry();
  const EvalResult result = evaluate(options);
  describe_evaluation(ResultFields(run.result()), result);
  if (result.labels) {
    say_label_tests(*result.labels, run);
    return ExitStatus::ok;
  }
  for (const std::string& line : test_table(result.tests, result.baselines)) run.say(line);
  return ExitStatus::ok;
}

ExitStatus run_embed(const EmbedOptions& given, Run& run) {
  EmbedOptions options = given;
  options.place = memory_place(given.place, options.output);
  options.precision = network_precision(run);
  options.device = run.options().device;
  options.history_entry = run.history_entry();
  run.reads(options.model);
  run.reads(options.events);
  run.reads(options.nodes);
  run.writes(options.output);
  const auto progress = run.progress("embedding", 1, "of the nodes");
  const EmbedResult result = embed_nodes(options, [&](double share) { progress->update(share); });
  progress->finish();
  describe_embeddings(ResultFields(run.result()), result);
  run.say(format_count(result.embeddings, "embedding") + " of " +
          format_count(result.dim, "number") + ", after " + format_count(result.events, "event") +
          ", in " + format_seconds(result.seconds));
  return ExitStatus::ok;
}

}  // namespace

Command embed_command(EmbedOptions& o) {
  Command command;
  command.name = "embed";
  command.summary = "write embeddings of nodes";
  command.description =
      "Writes the embeddings of nodes as tensors `nodes`, `times` and `embeddings`, in the order "
      "of the request. The tensor `ids`, or `names` with `names.offsets`, contains the ids of the "
      "nodes in the input. `is_destination` is added if destinations have ids of their own. The "
      "memory contains all events strictly before each time. For times after the training part of "
      "the training stream, it starts from the memory in the model file. For earlier times, other "
      "streams and models of --weights-only, it is computed anew from the first event. Nodes "
      "without events are embedded, too.";
  command.examples = {
      {"tgn-train embed tgn.model EVENTS -o embeddings.safetensors",
       "embeddings of all nodes at the end of the stream"},
      {"printf '17,1082040961\\n' | tgn-train embed tgn.model EVENTS --nodes - -o e.safetensors",
       "the embedding of node 17 at a given time"}};
  command.often = {"--nodes", "--at", "--json"};
  command.describe = [&o](const OptionFields& f) {
    f.add("model", o.model, "model file written by train").required().metavar("MODEL");
    f.add("events", o.events, "events file written by import or generate")
        .required()
        .metavar("EVENTS");
    f.add("-o,--output", o.output, "file to write the embeddings to").required().metavar("FILE");
    f.add("--nodes", o.nodes, "file with one node a line, as node or node,time; \"\": all nodes")
        .metavar("FILE");
    f.add(
         "--kind", o.kind,
         "kind of the nodes that --nodes names, if sources and destinations have ids of their own. "
         "auto: the kind that has the id")
        .choices({"auto", "source", "destination"})
        .goes_with("--nodes", [&o] { return !o.nodes.empty(); });
    f.add("--at", o.at,
          "time at which nodes without a time of their own are embedded; \"\": the time of the "
          "last event")
        .metavar("TIME");
    describe_place(f, o.place);
  };
  command.uses = {.precision = true, .device = true, .engine = "tgn.eval"};
  command.describe_results = [](const ResultFields& f) { describe_embeddings(f, {}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_embed(o, run); };
  return command;
}

void describe_ranks(const OptionFields& f, std::string& kind, std::size_t& count) {
  f.add("--ranks", kind,
        "nodes that the destination of an event is ranked among. none: no ranks. uniform: other "
        "destinations, drawn at random. historical: half of them are earlier destinations of the "
        "source, from training. all: all destinations. unseen: all that the source has had no "
        "earlier event with. FILE: nodes listed in a file")
      .metavar("none|uniform|historical|all|unseen|FILE");
  f.add("--eval-negatives", count, "number of nodes that each destination is ranked among")
      .range(1, 1000000);
  f.go_with({"--eval-negatives"}, "--ranks uniform or historical",
            [&kind] { return kind == "uniform" || kind == "historical"; });
}

namespace {

/// Describes --negatives and the options of ranks.
void describe_negatives(const OptionFields& f, EvalOptions& o) {
  f.add("--negatives", o.negatives,
        "the event that did not happen beside each event, with the same source, for average "
        "precision and AUC. uniform: any destination. historical: one that the source met in "
        "training, and not at the event's time. inductive: one that it met after training and "
        "before the event, but not in training. FILE: the first node of each row of a file as "
        "for --ranks. Events without such a destination get a uniform one")
      .metavar("uniform|historical|inductive|FILE");
  f.go_with({"--negatives"}, "links, not --task node-label or event-label",
            [&o] { return o.task == "auto" || o.task == "link"; });
  describe_ranks(f, o.ranks, o.num_ranked);
  f.add("--shortlist", o.shortlist,
        "number of candidates that the network scores for each event, with a model that answers "
        "with a mix. If there are more, the mix without the network selects them, and the others "
        "rank below. Larger values are slower and can be more accurate")
      .range(1, 1000000);
  f.go_with({"--shortlist"}, "ranks, not --ranks none or --task node-label or event-label",
            [&o] { return o.ranks != "none" && (o.task == "auto" || o.task == "link"); });
  f.note_given({"--shortlist"}, o.for_mix);
  f.add("--rank-scores", o.rank_scores,
        "tensor file to write the nodes to, which --ranks FILE reads, and the logits of each "
        "event's destination and of these nodes")
      .metavar("FILE")
      .goes_with("ranks, not --ranks none or --task node-label or event-label",
                 [&o] { return o.ranks != "none" && (o.task == "auto" || o.task == "link"); });
}

}  // namespace

Command eval_command(EvalOptions& o) {
  Command command;
  command.name = "eval";
  command.summary = "test a model and compare it with predictions that need no learning";
  command.description = kEvalDescription;
  command.examples = {
      {"tgn-train eval tgn.model EVENTS",
       "average precision as in the TGN authors' code, and ranks among 100"},
      {"tgn-train eval tgn.model EVENTS --ranks historical --eval-negatives 20",
       "half of the 20 are earlier destinations, as in the Temporal Graph Benchmark"},
      {"tgn-train eval tgn.model EVENTS --negatives historical --ranks none",
       "harder negatives: destinations that the source met before"},
      {"tgn-train eval tgn.model EVENTS --ranks negatives.npz",
       "ranks among nodes that a file lists"}};
  command.often = {"--ranks", "--eval-negatives", "--predictions", "--task", "--json"};
  command.describe = [&o](const OptionFields& f) {
    f.add("model", o.model, "model file written by train").required().metavar("MODEL");
    f.add("events", o.events, "events file written by import or generate")
        .required()
        .metavar("EVENTS");
    f.add("--task", o.task,
          "what to test. link: whether events are distinguished from events that did not happen. "
          "node-label, event-label: the labels of events. auto: labels if the model predicts "
          "them, else link")
        .choices({"auto", "link", "node-label", "event-label"});
    describe_negatives(f, o);
    f.add("--predictions", o.predictions,
          "CSV file to write all scores of validation and test to: part, source, destination, "
          "time, label, score; - is stdout")
        .metavar("FILE");
    f.add("--logits", o.logits, "write logits instead of probabilities to --predictions")
        .goes_with("--predictions", [&o] { return !o.predictions.empty(); });
    f.add(
        "--baselines,!--no-baselines", o.baselines,
        "also test predictions that need no learning; of labels, they need labels in the training "
        "part");
    f.add("--batch-size", o.batch,
          "number of events scored at once in validation and test. With --memory exact and read, "
          "the memory learns of a batch only after all its events are scored")
        .range(1, 1 << 20);
    describe_ties(f.group(kPlace), o.ties);
    describe_place(f, o.place);
  };
  command.uses = {.seed = true, .precision = true, .device = true, .engine = "tgn.eval"};
  command.describe_results = [](const ResultFields& f) { describe_evaluation(f, {}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_eval(o, run); };
  return command;
}

}  // namespace frugal::tgn
