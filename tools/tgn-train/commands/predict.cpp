#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/commands/tool.h"
#include "tools/tgn-train/links/link_report.h"

namespace frugal::tgn {
namespace {

constexpr char kStream[] = "Events";
constexpr char kPast[] = "Past";

void add_predict_options(const OptionFields& f, PredictOptions& o) {
  const OptionFields stream = f.group(kStream), past = f.group(kPast);
  f.add("model", o.model, "model file written by train").required().metavar("MODEL");
  f.add("events", o.events, "text file of events to score; - is stdin").metavar("FILE");
  f.add("-o,--output", o.output, "file to write the scored events to; - is stdout").metavar("FILE");
  f.add("--task", o.task,
        "what to predict. link: whether the event happens. node-label, event-label: its label, by "
        "a model of that task. auto: label by such a model, without --rank and --top-k; else link")
      .choices({"auto", "link", "node-label", "event-label"});
  f.add("--answers", o.answers,
        "format of the output. csv: source,destination,time,score. json: one JSON object a line")
      .choices({"csv", "json"});
  f.add(
       "--batch-size", o.batch,
       "number of lines to score at once, if as many are waiting. With models of --memory window "
       "it changes only the speed. With other models the memory learns of a batch after it is "
       "scored. auto: the batch size of the training, of labels if these are predicted; 200 if the "
       "model file does not contain it")
      .range(1, 1 << 20)
      .automatic(o.batch, 0);
  describe_ties(stream, o.ties);
  f.add("--query", o.query,
        "treat lines as questions about possible events: the memory does not learn of them, and "
        "features may be missing");
  f.add("--rank", o.rank,
        "with --query, also write the rank of the destination among all known destinations. With "
        "this and --top-k, models of --neighbor-sampling uniform draw neighbours for each of them");
  f.add("--top-k", o.top,
        "with --query, write the N best destinations of each line's source and their ranks; 0: "
        "score the line's own destination")
      .range(std::size_t{0}, std::size_t{1} << 32);
  f.go_with({"--rank", "--top-k"}, "--query", [&o] { return o.query; });
  add_layout_options(f, o.layout);
  f.add("--logits", o.logits,
        "write logits, log(p / (1 - p)), instead of probabilities p. They keep scores apart whose "
        "probabilities are all near 1. Labels that are numbers have none");
  f.add("--on-error", o.on_error,
        "what to do with an invalid line, such as a line out of order. stop: end the run, and save "
        "the state before it. skip: ignore and count the line; the first ten are reported")
      .choices({"stop", "skip"});
  stream
      .add("--ids", o.ids,
           "what the ids of nodes are. number: whole numbers. any: names of any kind. auto: as in "
           "--history or --state; without them any if the first event has an id that is no number")
      .choices({"auto", "number", "any"});
  stream
      .add("--bipartite", o.bipartite,
           "whether sources and destinations are two kinds of nodes, so that the same id is two "
           "nodes. auto: as in --history or --state; without them as in import")
      .choices({"auto", "yes", "no"});
  past.add("--history", o.history,
           "earlier events, in a file of import or generate, from which the memory learns first. "
           "Equal names or numbers are the same nodes. If they begin with the events that the "
           "model was trained on, the memory in the model file is used")
      .metavar("EVENTS");
  past.add("--state", o.state, "file of --save-state to continue from").metavar("FILE");
  past.add("--save-state", o.save_state,
           "file to save the state to at the end, for --state; it may be the file of --state")
      .metavar("FILE");
}

/// Who asks about many nodes that nobody knows may ask in other names than the model's.
std::string unknown_text(const PredictResult& r) {
  std::string text;
  const auto add = [&](const char* role, std::uint64_t lines) {
    if (lines * 2 <= r.events) return;
    text += std::string(", ") + role + " unknown in " + std::to_string(lines) + " of " +
            format_count(r.events, "line");
  };
  add("source", r.unknown_sources);
  add("destination", r.unknown_destinations);
  return text;
}

void describe_result(const ResultFields& f, const PredictOptions& o, const PredictResult& r) {
  f.add("events", r.events, "lines answered");
  f.add("history_events", r.history_events, "events of --history that the memory learnt of");
  f.add("skipped", r.skipped, "lines that were skipped (--on-error skip)");
  f.add("unknown_sources", r.unknown_sources, "lines whose source was unknown");
  f.add("unknown_destinations", r.unknown_destinations, "lines whose destination was unknown");
  f.add("nodes", r.nodes, "nodes known in the end");
  f.add("new_nodes", r.new_nodes, "nodes that the lines added");
  f.add("kept_events", r.kept_events, "events kept in memory because later answers need them");
  f.when("--history", !o.history.empty(), [&](const ResultFields& history) {
    history.add("memory", memory_text(r.memory_of_model),
                "where the memory came from: model (its file) or anew (the events)");
  });
  f.add("read_seconds", r.read_seconds, "time of reading the model and --history");
  f.add("seconds", r.seconds, "time of answering");
  f.add("events_per_second", r.seconds > 0 ? static_cast<double>(r.events) / r.seconds : 0,
        "events divided by seconds");
}

ExitStatus run_predict(const PredictOptions& given, Run& run) {
  PredictOptions options = given;
  options.precision = network_precision(run);
  options.history_entry = run.history_entry();
  // Without a state to be written there is nothing to end in order.
  if (!options.save_state.empty()) handle_signals();
  run.reads(options.model);
  run.reads(options.events);
  run.reads(options.history);
  if (!options.state.empty() && options.state != options.save_state) run.reads(options.state);
  run.writes(options.output);
  run.keeps(options.save_state);
  const PredictResult result = predict_events(options);
  describe_result(ResultFields(run.result()), options, result);
  const std::string events = format_count(result.events, "event");
  if (result.stopped) {
    fail(stop_status(true), "stopped after ", events, "; go on with --state ", options.save_state);
  }
  run.say(events + " scored, " + std::to_string(result.new_nodes) + " new of " +
          format_count(result.nodes, "node") + unknown_text(result) +
          (result.skipped == 0 ? "" : ", " + format_count(result.skipped, "line") + " skipped") +
          ", in " + format_seconds(result.seconds));
  return ExitStatus::ok;
}

}  // namespace

Command predict_command(PredictOptions& o) {
  Command command;
  command.name = "predict";
  command.summary = "score a stream of events, and update the memory with them";
  command.description =
      "Reads events line by line: source,destination,time and features, as import reads them. "
      "Writes each event with the probability that it happens, computed before the memory learns "
      "of it. Then the event updates the memory. Lines must be ordered by time. In a pipe, the "
      "score is written before the next line is read.\n\n"
      "Without a header, the columns after the time are the features of the model; a label before "
      "them is ignored. Edge types, if the model has some, follow the time; an unknown one is an "
      "error. If the input has a header, the output has one, too.\n\n"
      "Scores are the same as in eval: neighbours are strictly before the time of the event. With "
      "a model of --memory window, scores do not depend on --batch-size. The memory of other "
      "models learns of whole batches, counted from the end of --history; eval begins a batch with "
      "validation and with the test.\n\n"
      "Memory use depends on the number of nodes, not on the length of the stream. For each node, "
      "its memory and its last neighbours with the features of their events are stored. Models of "
      "--pair-features store 600 bytes more and the events of ten partners. Models of "
      "--neighbor-sampling uniform store all events, and so does --history up to the end of the "
      "training part. New nodes may appear at any time, unless the model reads features of "
      "nodes.\n\n"
      "With --query, lines are questions about events that may happen. They must be ordered by "
      "time and not lie before the last event of --history or --state, and the memory does not "
      "learn of them. --rank adds the rank of the line's destination among all known destinations, "
      "1 for the best; equal scores count half. --top-k K writes the K best destinations of the "
      "source instead.\n\n"
      "With --task event-label and node-label, lines have the probability of label 1, the class "
      "and its probability, or the number (value). A model of --label-history also reads the "
      "labels of lines, as import does, for the answers to later lines. A line may lack its class "
      "or number. A column of labels 0 and 1 must have all.\n\n"
      "--save-state saves the state at the end, and at USR1 during the run. TERM and INT save it "
      "and end the run with exit status 75: run it again with --state and the events that have no "
      "score yet. A killed run leaves the last saved state. A run that continues from a state "
      "writes the same scores as a run that never ended.\n\n"
      "A line that is no event, or out of order, ends the run with exit status 65. The scores of "
      "the lines before it are written to a pipe. With --save-state they are written to a file, "
      "too, and the state is saved. With --on-error skip the run continues.\n\n"
      "Models of --architecture dyrep are refused; eval --predictions writes their scores.\n\n"
      "Scores have 7 digits, and scores near 1 have 7 digits after the nines. --logits keeps "
      "scores apart for which a double is not exact enough, from 1 - 1e-16 on.";
  command.examples = {
      {"tail -f log.csv | tgn-train predict tgn.model --history EVENTS",
       "score events as they happen"},
      {"tgn-train predict tgn.model monday.csv --history EVENTS --save-state s -o monday.txt",
       "score one day, and save the state"},
      {"echo 7,0,1700000000 | tgn-train predict tgn.model --state s --query --top-k 10",
       "rank the destinations that node 7 may meet; the line's destination has no effect"},
      {"tgn-train predict tgn.model tuesday.csv --state s --save-state s -o tuesday.txt",
       "continue with the next day"}};
  command.often = {"--history", "--state", "--save-state", "--output",
                   "--answers", "--query", "--rank",       "--top-k"};
  command.describe = [&o](const OptionFields& f) { add_predict_options(f, o); };
  command.uses = {.precision = true, .device = true};
  command.describe_results = [](const ResultFields& f) {
    describe_result(f, PredictOptions{}, PredictResult{});
  };
  command.run = [&o](Run& run) { return run_predict(o, run); };
  return command;
}

}  // namespace frugal::tgn
