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
  f.add("model", o.model, "model of train").required().metavar("MODEL");
  f.add("events", o.events, "events in text; - is stdin").metavar("FILE");
  f.add("-o,--output", o.output, "file for the answers; - is stdout").metavar("FILE");
  f.add("--answers", o.answers,
        "form of the answers: csv: source,destination,time,score; json: an object a line")
      .choices({"csv", "json"});
  f.add("--batch-size", o.batch,
        "lines to score together where as many are there; with models of --memory window it "
        "changes only the speed. Of other models it is the lines after which the memory learns; "
        "auto: the batch size of the training; 200 where the model has none")
      .range(1, 1 << 20)
      .automatic(o.batch, 0);
  describe_ties(stream, o.ties);
  f.add("--query", o.query,
        "take lines as questions: the memory does not learn of them, and features may be missing");
  f.add("--rank", o.rank,
        "add to answers of --query the rank of the destination among all known destinations");
  f.add("--top-k", o.top,
        "answer a line of --query with its so many best destinations and their ranks; 0: its own "
        "destination")
      .range(std::size_t{0}, std::size_t{1} << 32);
  f.go_with({"--rank", "--top-k"}, "--query", [&o] { return o.query; });
  add_layout_options(f, o.layout);
  f.add("--logits", o.logits,
        "scores are logits, log(p / (1 - p)) of the probabilities p: the ranks of all of them "
        "can be told, those near 1 among them");
  f.add("--on-error", o.on_error,
        "what a line does that cannot be taken, such as a late one: stop: end the run, with its "
        "state saved before; skip: it is passed over, counted and, if among the first ten, told "
        "of")
      .choices({"stop", "skip"});
  stream
      .add("--ids", o.ids,
           "ids of nodes: number; any: names of any kind; auto: as in --history or --state, else "
           "any where the first event has an id that is no number")
      .choices({"auto", "number", "any"});
  stream
      .add("--bipartite", o.bipartite,
           "whether sources and destinations are of two kinds: the same id is two nodes then; "
           "auto: as in --history or --state, else as import tells")
      .choices({"auto", "yes", "no"});
  past.add("--history", o.history,
           "events of import or generate that went before: the memory learns of them, and equal "
           "names or numbers are the same nodes. After events that the model was trained on, it "
           "goes on from the model's memory")
      .metavar("EVENTS");
  past.add("--state", o.state, "go on where a run ended that wrote this with --save-state")
      .metavar("FILE");
  past.add("--save-state", o.save_state,
           "file for all that is known at the end; it may be the file of --state")
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
  command.summary = "answer a stream of events with their probabilities, while memory goes on";
  command.description =
      "Reads events line by line: source,destination,time and features, as import reads them. "
      "Writes each with the probability that it happens, computed before the memory knows of it. "
      "Then the memory learns of the event. Lines must be in the order of time. In a pipe, the "
      "answer is written before the next line is read.\n\n"
      "Without a header, the columns after the time are the features that the model takes; a "
      "label before them is passed over. A header is answered with a header.\n\n"
      "Scores are the same as in eval: neighbours are strictly before the event's time. With a "
      "model of --memory window, scores do not depend on --batch-size. Other models' memory "
      "learns of whole batches, counted from the end of --history; eval begins a batch with "
      "validation and with the test.\n\n"
      "Memory use depends on the number of nodes, not on the length of the stream. Each node "
      "keeps its memory and its last neighbours with the features of their events. Models of "
      "--pair-features keep 600 bytes more and the events of ten partners. Models of "
      "--neighbor-sampling uniform keep all events, as does --history up to the end of the "
      "training part. New nodes may come at any time, unless the model takes features of "
      "nodes.\n\n"
      "With --query lines are questions about what may happen. They come in the order of time, "
      "not before the last event of --history or --state, and the memory does not learn of them. "
      "--rank adds the rank of the line's destination among all known destinations, 1 for the "
      "best; equal scores count half. --top-k K answers a line with the K best destinations of "
      "its source.\n\n"
      "--save-state writes what is known at the end, and at USR1 while the work goes on. TERM "
      "and INT write it and end the run with exit status 75: run it again with --state and the "
      "events without answers. A killed run leaves the last state written. A run that goes on "
      "from a state answers as one that never ended.\n\n"
      "A line that is no event, or late, ends the run with exit status 65: a pipe has the answers "
      "before it. With --save-state these are written to files, too, with the state behind them. "
      "--on-error skip goes on instead.\n\n"
      "Scores have 7 digits, and near 1 as many behind the nines. --logits tells them apart "
      "where a double cannot, from 1 - 1e-16 on.\n\n"
      "--json needs answers that go to a file (-o).";
  command.examples = {
      {"tail -f log.csv | tgn-train predict tgn.model --history EVENTS", "as events happen"},
      {"tgn-train predict tgn.model monday.csv --history EVENTS --save-state s -o monday.txt",
       "a day"},
      {"echo 7,0,1700000000 | tgn-train predict tgn.model --state s --query --top-k 10",
       "whom node 7 may meet then; the destination of the line says nothing"},
      {"tgn-train predict tgn.model tuesday.csv --state s --save-state s -o tuesday.txt",
       "and the next"}};
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
