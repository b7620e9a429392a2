#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/tgn-train/commands/tool.h"

namespace frugal::tgn {
namespace {

constexpr char kEvents[] = "Events";
constexpr char kFeatures[] = "Features";

void add_event_options(const OptionFields& fields, ImportOptions& o) {
  const OptionFields f = fields.group(kEvents);
  add_layout_options(f, o.layout);
  f.add("--ids", o.ids,
        "what the ids of nodes are. number: 0, 1, 2 and so on. any: names or numbers of any kind; "
        "nodes are numbered in order of appearance, and the file stores the names; 7, 007 and 7.0 "
        "are one node if all ids are whole numbers. auto: any if the first event has an id that is "
        "no number; always number with the format tgn, --nodes and --node-features")
      .choices({"auto", "number", "any"});
  f.add("--nodes", o.nodes, "number of nodes; a larger id is an error. auto: up to the largest id")
      .positive()
      .automatic(o.nodes, 0);
  f.add("--bipartite", o.bipartite,
        "whether sources and destinations are two kinds of nodes (such as users and items), so "
        "that the same id is two nodes. auto: yes in jodie files, if a header has users and items "
        "or "
        "KONECT's % bip, and if all sources are below all destinations")
      .choices({"auto", "yes", "no"});
  f.add("--label-type", o.layout.labels, kLabelTypeNames,
        "what labels are. binary: 0 and 1, for every event. class: names or numbers of classes. "
        "number: numbers to predict, such as ratings. With class and number an empty field is no "
        "label. Words for a missing value, such as NA, None, null and nan, are none either");
  f.add("--sort", o.sort,
        "sort events by time and keep the order of the input among equal times. Without it, "
        "unsorted events are an error");
}

void add_feature_options(const OptionFields& fields, ImportOptions& o) {
  const OptionFields f = fields.group(kFeatures);
  f.add("--edge-features", o.edge_features,
        "file with features of the events, one row each; they replace the features of the input. "
        "The file is *.npy, *.npz, *.safetensors or numbers in text")
      .metavar("FILE");
  f.add("--node-features", o.node_features,
        "file with features of the nodes, one row each; of two kinds of nodes, sources come first")
      .metavar("FILE");
  f.add("--feature-type", o.feature_type, "number type in which features are stored")
      .choices({"f32", "f16", "bf16"});
}

std::string import_summary(const ImportReport& r) {
  std::string text = format_count(r.events, "event");
  if (r.sorted) text += " (sorted)";
  text += " at " + format_count(r.distinct_times, "time");
  text += r.dates ? " (dates, as seconds since 1970)" : r.whole_times ? "" : " (fractional)";
  text += ", " + format_count(r.nodes, "node") + (r.names ? " with names" : "");
  if (r.sources != 0) {
    text += " (" + format_count(r.sources, "source") + ", " +
            format_count(r.nodes - r.sources, "destination") +
            (r.shifted ? " with ids of their own" : "") + ")";
  }
  if (r.active_nodes != r.nodes) {
    text += ", " + std::to_string(r.nodes - r.active_nodes) + " without events";
  }
  if (r.labelled != 0) {
    text += "; " + std::to_string(r.labelled) + " with " +
            (r.label_type == LabelType::binary ? "label 1"
             : r.label_type == LabelType::classes
                 ? "one of " + std::to_string(r.classes) + (r.classes == 1 ? " class" : " classes")
                 : "a number as label");
  }
  if (r.types != 0) text += "; " + format_count(r.types, "edge type");
  if (r.edge_features != 0) text += "; " + format_count(r.edge_features, "feature") + " an event";
  if (r.missing_features != 0)
    text += "; " + std::to_string(r.missing_features) + " missing, taken as 0";
  if (r.node_features != 0) text += "; " + format_count(r.node_features, "feature") + " a node";
  return text + " (" + r.format + ")";
}

void warn_of_no_classes(const ImportReport& r) {
  if (r.no_classes == 0) return;
  log_warning(format_count(r.no_classes, "label"),
              " of --label-type class are words for a missing value, such as NA, None and null: "
              "these events have no label; if such a word is a class, write it differently");
}

/// Every node takes memory, those without events, too.
void warn_of_gaps(const ImportReport& r) {
  constexpr std::uint64_t kMany = 10000;
  if (r.nodes - r.active_nodes < kMany || r.active_nodes * 2 >= r.nodes) return;
  log_warning(
      r.nodes - r.active_nodes, " of ", r.nodes,
      " nodes have no events: ids have gaps, and every node takes memory in train; --ids any "
      "numbers nodes as they come and keeps their ids as names");
}

void describe_times(const ResultFields& f, const ImportReport& r) {
  f.add("time_type", r.whole_times ? "i64" : "f64",
        "how times are stored: i64, or f64 if one has a fraction");
  f.add("dates", r.dates, "whether times were dates");
  f.add("distinct_times", r.distinct_times, "number of different times");
  const auto time = [&r](std::int64_t whole, double any) {
    return r.whole_times ? nlohmann::ordered_json(whole) : nlohmann::ordered_json(any);
  };
  f.add("first_time", time(r.first_whole, r.first_time), "time of the first event");
  f.add("last_time", time(r.last_whole, r.last_time), "time of the last event");
}

void describe_result(const ResultFields& f, const ImportReport& r) {
  f.add("format", r.format, "format of the input");
  f.add("events", r.events, "events of the stream");
  f.add("nodes", r.nodes, "nodes of the stream, also without events");
  f.add("active_nodes", r.active_nodes, "nodes that have events");
  f.add("bipartite", r.sources != 0, "whether sources and destinations are of two kinds");
  f.add("sources", r.sources, "number of sources; 0 if nodes are of one kind");
  f.add("destinations", r.sources == 0 ? 0 : r.nodes - r.sources,
        "number of destinations; 0 if nodes are of one kind");
  f.add("shifted", r.shifted,
        "whether destinations had ids of their own and are numbered after the last source");
  f.add("first_id", r.first_id, "id of node 0 in the input");
  f.add("names", r.names, "whether ids are names, which the file keeps");
  f.add("sorted", r.sorted, "whether events were out of order and have been sorted");
  describe_times(f, r);
  f.add("labelled", r.labelled, "events with label 1 or, of classes and numbers, with a label");
  f.when("--label-type class", r.label_type == LabelType::classes, [&](const ResultFields& labels) {
    labels.add("classes", r.classes, "number of classes");
  });
  f.when("events with edge types", r.types != 0, [&](const ResultFields& typed) {
    typed.add("edge_types", r.types, "number of edge types");
  });
  f.add("edge_features", r.edge_features, "features of an event");
  f.add("missing_features", r.missing_features, "features without a value, taken as 0");
  f.add("node_features", r.node_features, "features of a node");
}

constexpr char kImportDescription[] =
    "Reads events from text: a source, a destination and a time each, and labels and features if "
    "there are any. Checks every line and number, and writes an events file. Text may be "
    "compressed (gz, zst); all threads read it.\n\n"
    "Name the output *.safetensors. Such a file is not compressed: other commands map it into "
    "memory, and it may be larger than RAM.\n\n"
    "Columns are found by the names of a header, in any order: source, src, from, u, user_id; "
    "destination, dst, target, to, item_id; time, timestamp, ts, date; label, state_label; and t, "
    "i, j. The header may be a comment. A column without a name, index, idx or id numbers the rows "
    "and is ignored; other columns of numbers are features. If the names are not clear, the "
    "contents decide: dates and rising numbers are times. The command prints its choice. Without a "
    "header, columns go by their order: source, destination, time, label, features. --columns sets "
    "them explicitly. Features keep their names, by which predict finds them.\n\n"
    "Times are numbers, in seconds or any other unit, or dates: 2024-02-29, 2024-02-29T13:05:59.5Z "
    "with any zone, 20240229, 2024022913, 20240229130559. Digits are dates if all times of the "
    "first rows can be. Whole numbers are stored exactly (64 bits). If one has a fraction, all are "
    "stored as doubles. Dates become seconds since 1970. Labels are 0 and 1 or -1 and 1, "
    "and describe the state of the source after the event, or the event itself. They are left out "
    "if none is 1, and so are further columns with names of labels. With --label-type, they are up "
    "to 1,000 classes, or numbers. A feature without a value (empty, NA, nan, null and so on) "
    "becomes 0.\n\n"
    "Events may have edge types, such as replied, starred or bought. They are names or numbers in "
    "a column called edge_type or relation_type, or the one of --columns NAME:edge_type. Every "
    "event must then have one. The file keeps the names, at most 65,535; train reads up to "
    "256.\n\n"
    "Nodes keep their ids: node 7 is node 7 even if no event has it. Ids of the format tgn begin "
    "with 1, so that its node 1 is node 0. If sources and destinations are two kinds of nodes that "
    "share ids, destinations are numbered after the last source. The output then says \"with ids "
    "of their own\", and --json has shifted. jodie files, and others whose header has users and "
    "items, are read so unless all users are below all items already. For other files, --bipartite "
    "yes asks for it.\n\n"
    "With the format tgn, ml_NAME.npy and ml_NAME_node.npy are read from the folder of "
    "ml_NAME.csv. Row 0 is padding, and idx names the row of each event. Arrays that contain only "
    "zeros are left out.\n\n"
    "Edge lists of the Temporal Graph Benchmark with names of nodes need the "
    "options --bipartite no and --ids any. Nodes are then numbered as its programs number them, so "
    "that eval --ranks can read its negatives.";

ExitStatus run_import(ImportOptions& o, Run& run) {
  o.history_entry = run.history_entry();
  for (const std::string& path : {o.events, o.edge_features, o.node_features}) {
    run.reads(path);
  }
  run.writes(o.output);
  TaskProgress progress(run);
  const ImportReport report = import_events(o, [&](const std::string& name, std::uint64_t bytes) {
    progress.update({name, 0, "bytes"}, static_cast<double>(bytes));
  });
  progress.finish();
  describe_result(ResultFields(run.result()), report);
  warn_of_gaps(report);
  warn_of_no_classes(report);
  run.say(import_summary(report));
  return ExitStatus::ok;
}

}  // namespace

void add_layout_options(const OptionFields& fields, EventLayoutOptions& o) {
  const OptionFields f = fields.group(kEvents);
  f.add("--format", o.format, event_formats().help("the first line"))
      .choices(event_formats().choices());
  f.add("--separator", o.separator,
        "character between columns, or tab; ' ' is any number of blanks and tabs. auto: comma, "
        "semicolon, |, tab or blanks, by the first lines")
      .metavar("CHAR");
  f.add("--header", o.header,
        "whether the first line contains the names of the columns. auto: by its words and the "
        "lines below it")
      .choices({"auto", "yes", "no"});
  f.add("--columns", o.columns,
        "type of each column: NAME:TYPE,... with the names of a header or numbers from 1. Types "
        "are source, destination, time, label, edge_type, feature and ignore; *:TYPE is for all "
        "other columns. Only the labels, edge types and features named here are then read")
      .metavar("LIST");
}

Command import_command(ImportOptions& o) {
  Command command;
  command.name = "import";
  command.summary = "make an events file from text";
  command.description = kImportDescription;
  command.examples = {
      {"tgn-train import wikipedia.csv -o wikipedia.safetensors", "a file of the JODIE data sets"},
      {"tgn-train import ml_enron.csv -o enron.safetensors", "a file of the TGN or DGB programs"},
      {"tgn-train import CollegeMsg.txt.gz -o messages.safetensors",
       "a stream of SNAP, with blanks between columns"},
      {"tgn-train import soc-sign-bitcoinotc.csv --columns "
       "from:source,to:destination,time:time,feature:feature -o otc.safetensors",
       "columns in another order"},
      {"awk -F, 'NR > 1 { print $1 \",\" $2 \",\" $4 \",\" ($3 < 0) }' soc-sign-bitcoinotc.csv | "
       "tgn-train import - -o trust.safetensors",
       "bad ratings as labels, for train --task node-label"},
      {"zcat log.csv.gz | tgn-train import - --ids any --bipartite yes --sort -o log.safetensors",
       "names of users and pages from a pipe"}};
  command.often = {"--format", "--columns",       "--ids",           "--bipartite",
                   "--sort",   "--edge-features", "--node-features", "--json"};
  command.describe = [&o](const OptionFields& f) {
    f.add("events", o.events, "text file of events; - is stdin").required().metavar("EVENTS");
    f.add("-o,--output", o.output, "events file to write").required().metavar("FILE");
    add_event_options(f, o);
    add_feature_options(f, o);
  };
  command.describe_results = [](const ResultFields& f) { describe_result(f, ImportReport{}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_import(o, run); };
  return command;
}

}  // namespace frugal::tgn
