#include "tools/tgn-train/labels/training.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tools/tgn-train/making/import.h"
#include "tools/tgn-train/model/model_file.h"
#include "tools/tgn-train/run/training.h"
#include "tools/tgn-train/serve/embed.h"
#include "tools/tgn-train/serve/evaluate.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kEvents = 600, kSources = 12;

/// What labels are of.
enum class Labelled { before, none, all, early };

/// An events file of 12 sources and 6 destinations at times 3, 6, 9 ..., with a feature; the label
/// tells whether the source had an event and that had 1 as feature, as odd sources have it. With
/// `nodes`, node v has the features v / 4 and -1.
class LabelledStream {
 public:
  explicit LabelledStream(Labelled kind = Labelled::before, bool nodes = false) {
    Rng rng(5);
    double last[kSources] = {};
    std::string text;
    for (std::size_t e = 0; e < kEvents; ++e) {
      const std::size_t source = rng.below(kSources);
      const bool label = kind == Labelled::before  ? last[source] > 0
                         : kind == Labelled::early ? e % 7 == 0 && e < kEvents / 2
                                                   : kind == Labelled::all;
      last[source] = source % 2 == 0 ? -1 : 1;
      text += std::to_string(source) + ',' + std::to_string(kSources + rng.below(6)) + ',' +
              std::to_string(3 * e + 3) + ',' + (label ? '1' : '0') + ',' +
              std::to_string(last[source]) + '\n';
    }
    const TextFile csv(text, ".csv");
    ImportOptions options;
    options.events = csv.path();
    options.output = file_.path();
    std::string rows;
    for (std::size_t v = 0; v < kSources + 6; ++v) rows += std::to_string(0.25 * v) + ",-1\n";
    const TextFile node_rows(rows, ".csv");
    if (nodes) options.node_features = node_rows.path();
    import_events(options, [](const std::string&, std::uint64_t) {});
  }
  const std::string& path() const { return file_.path(); }

 private:
  TextFile file_{"", ".safetensors"};
};

/// A model of links after one epoch.
void train_model(const LabelledStream& stream, const std::string& path, MemoryMode mode) {
  TrainOptions options;
  options.events = stream.path();
  options.model = path;
  options.network.memory_dim = options.network.time_dim = 16;
  options.mode = mode;
  options.batch = 20;
  options.epochs = 1;
  options.learning_rate = 3e-3;
  // Labels are trained by the memory that the weights make of all events.
  options.weights_only = true;
  train(options, {});
}

Array<float> sources_of(const LabelledStream& stream, TgnModelFile& stored, MemoryMode mode,
                        std::size_t batch) {
  EventSplitOptions split = stored.split;
  split.new_nodes = 0;
  const LinkData data(stream.path(), split);
  SessionOptions options = stored.session;
  options.mode = mode;
  StreamSession session(*stored.model, data.events(), data.all_neighbors(), data.features(),
                        options);
  const LabelInputs inputs = label_inputs(session, data, EventLabels(data), {}, batch, {});
  Array<float> rows(data.stream().num_events() * inputs.dim());
  for (EventId e = 0; e < data.stream().num_events(); ++e) {
    inputs.read(e, rows.data() + e * inputs.dim());
  }
  return rows;
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = worse(largest, std::abs(double{a[i]} - double{b[i]}));
  }
  return largest;
}

LabelTrainOptions label_options(const LabelledStream& stream, const std::string& from) {
  LabelTrainOptions options;
  options.events = stream.path();
  options.from = from;
  options.batch = 20;
  options.learning_rate = 3e-3;
  return options;
}

}  // namespace

TEST_CASE(
    "Sources are embedded as embed does at each event's time, and as by one event at a time") {
  const LabelledStream stream;
  const TextFile model("", ".model"), embeddings("", ".safetensors");
  train_model(stream, model.path(), MemoryMode::window);
  TgnModelFile stored = load_model(read_document(model.path()), model.path());
  const Array<float> rows = sources_of(stream, stored, MemoryMode::window, 64);
  CHECK(largest_difference({rows.data(), 16}, {rows.data() + 300 * 16, 16}) > 0.01);

  const EventStream events(stream.path());
  std::string asked;
  for (std::size_t e = 0; e < kEvents; ++e) {
    asked += std::to_string(events.sources()[e]) + ',' + std::to_string(3 * e + 3) + '\n';
  }
  const TextFile nodes(asked);
  EmbedOptions options;
  options.model = model.path();
  options.events = stream.path();
  options.nodes = nodes.path();
  options.output = embeddings.path();
  embed_nodes(options, [](double) {});
  const Document document = read_document(embeddings.path());
  const auto want = document.at("embeddings").as<float>();
  CHECK(largest_difference({rows.data(), rows.size()}, want) < 1e-5);
  // A memory that knows none of its batch knows all before it where batches are of one event.
  const Array<float> exact = sources_of(stream, stored, MemoryMode::exact, 1);
  CHECK(largest_difference({exact.data(), exact.size()}, want) < 1e-4);
  const Array<float> stale = sources_of(stream, stored, MemoryMode::exact, 64);
  CHECK(largest_difference({stale.data(), stale.size()}, want) > 1e-3);
}

TEST_CASE("Labels are learnt from embeddings, and tested alike later") {
  const LabelledStream stream;
  const TextFile links("", ".model"), labels("", ".model");
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact}) {
    train_model(stream, links.path(), mode);
    LabelTrainOptions options = label_options(stream, links.path());
    options.epochs = 20;
    options.patience = 0;
    options.learning_rate = 1e-2;
    options.model = labels.path();
    std::vector<double> validated;
    LabelTrainObserver observer;
    observer.validated = [&](int, double, const LabelMetrics& m) { validated.push_back(m.auc); };
    const LabelTrainResult trained = train_labels(options, observer);
    CHECK(trained.epochs == 20);
    CHECK(trained.steps == 20 * 21);
    CHECK(trained.parameters == LabelDecoder(16, 0).num_parameters());
    CHECK(trained.valid.auc == *std::max_element(validated.begin(), validated.end()));
    CHECK(trained.valid.auc == validated[static_cast<std::size_t>(trained.best_epoch - 1)]);
    CHECK(trained.test.auc > 0.7);
    CHECK(trained.events[0] + trained.events[1] + trained.events[2] == kEvents);

    EvalOptions eval;
    eval.model = labels.path();
    eval.events = stream.path();
    const EvalResult tested = evaluate(eval);
    REQUIRE(tested.labels);
    CHECK(tested.labels->valid.auc == trained.valid.auc);
    CHECK(tested.labels->test.auc == trained.test.auc);
    CHECK(tested.labels->test.ap == trained.test.ap);
    CHECK(tested.labels->test_labelled == trained.labelled[2]);
    // The network is still the one of links.
    eval.task = "link";
    eval.ranks = "none";
    const double with_labels = evaluate(eval).tests.test->average_precision();
    eval.model = links.path();
    CHECK(evaluate(eval).tests.test->average_precision() == with_labels);
    eval.task = "node-label";
    CHECK(error_of([&] { evaluate(eval); }).starts_with("2 " + links.path() + ": knows no labels"));
  }
}

TEST_CASE("Tallies of an event are read as they were added, and zeros are not stored") {
  LabelInputs inputs(3, 2, 6);
  const std::vector<float> dense = {1, 2}, tallies = {0, 3, 0, -4};
  std::copy(dense.begin(), dense.end(), inputs.dense(1).begin());
  inputs.add_tallies(std::vector<float>(4));
  inputs.add_tallies(tallies);
  inputs.add_tallies({});
  std::vector<float> row(6, 9);
  inputs.read(1, row.data());
  CHECK(row == std::vector<float>{1, 2, 0, 3, 0, -4});
  for (const EventId event : {0, 2}) {
    inputs.read(event, row.data());
    CHECK(row == std::vector<float>(6));
  }
  CHECK(inputs.num_stored() == 2);
}

TEST_CASE("A model whose decoder reads no ages of labels is tested") {
  const LabelledStream stream;
  const TextFile links("", ".model"), labels("", ".model");
  train_model(stream, links.path(), MemoryMode::window);
  TgnModelFile other = load_model(read_document(links.path()), links.path());
  other.label_task = {true, false, true, false, LabelType::binary, {}, {}};
  const std::size_t dim = other.label_task.inputs(*other.model);
  CHECK(dim == 2 * 16 + 4 * 4 + 2 * 2 + 1);
  other.labels = std::make_unique<LabelDecoder>(dim, 0.1F);
  other.labels->randomize(1);
  Document document;
  save_model(other, document);
  CHECK(!document.metadata.contains("tgn.label_task_ages"));
  write_document(labels.path(), document);
  CHECK(!load_model(read_document(labels.path()), labels.path()).label_task.reads_ages);
  EvalOptions eval;
  eval.model = labels.path();
  eval.events = stream.path();
  const double auc = evaluate(eval).labels->test.auc;
  CHECK(auc >= 0);
  CHECK(auc <= 1);

  other.label_task.reads_ages = true;
  Document wide;
  save_model(other, wide);
  CHECK(wide.metadata.at("tgn.label_task_ages") == "true");
  const std::string width = error_of([&] { load_model(std::move(wide), "FILE"); });
  CHECK(width.starts_with("65 FILE: tensor 'node_label.fc_1.weight' is F32"));
  CHECK(width.find("label_task_*") != std::string::npos);
  other.label_task.reads_history = false;
  Document contrary;
  save_model(other, contrary);
  CHECK(error_of([&] { load_model(std::move(contrary), "FILE"); }) ==
        "65 FILE: metadata tgn.label_task_ages is true without tgn.label_task_history, expected "
        "both");
}

TEST_CASE("A network of a file without a unit of time has labels without ages") {
  const LabelledStream stream;
  const TextFile links("", ".model"), labels("", ".model");
  train_model(stream, links.path(), MemoryMode::window);
  LabelTrainOptions options = label_options(stream, links.path());
  options.of_event = true;
  options.epochs = 1;
  CHECK(train_labels(options, {}).reads.ages);
  Document document = read_document(links.path());
  CHECK(document.metadata.erase("tgn.time_unit") + document.metadata.erase("tgn.time_steps") == 2);
  write_document(links.path(), document);
  options.model = labels.path();
  CHECK(!train_labels(options, {}).reads.ages);
  EvalOptions eval;
  eval.model = labels.path();
  eval.events = stream.path();
  CHECK(!evaluate(eval).labels->reads.ages);
}

TEST_CASE("Labels without a network are predicted from past labels and features alone") {
  bool nodes = false;
  SUBCASE("of events") {}
  SUBCASE("of events and nodes") { nodes = true; }
  const LabelledStream stream(Labelled::before, nodes);
  const TextFile file("", ".model");
  LabelTrainOptions options = label_options(stream, "");
  options.of_event = options.event_features = true;
  options.model = file.path();
  const LabelTrainResult trained = train_labels(options, {});
  CHECK(trained.reads.history);
  CHECK(trained.reads.ages);
  CHECK(trained.reads.embeddings == 0);
  CHECK(trained.reads.node_features == (nodes ? 4 : 0));
  CHECK(trained.reads.event_features == 1);
  TgnModelFile stored = load_model(read_document(file.path()), file.path());
  CHECK(stored.model->num_parameters() == 0);
  EvalOptions eval;
  eval.model = file.path();
  eval.events = stream.path();
  const EvalResult tested = evaluate(eval);
  CHECK(tested.labels->test.auc == trained.test.auc);
  CHECK(tested.parameters == trained.parameters);

  const LinkData data(stream.path(), stored.split);
  StreamSession session(*stored.model, data.events(), data.all_neighbors(), data.features(),
                        stored.session);
  const LabelTask& task = stored.label_task;
  const LabelInputs inputs = label_inputs(session, data, EventLabels(data), task, 7, {});
  LabelHistory history = task.history(stored.session.time);
  history.grow(data.stream().num_nodes());
  std::vector<float> row(inputs.dim()), want(inputs.dim());
  for (EventId e = 0; e < data.stream().num_events(); ++e) {
    const NodeId source = data.stream().sources()[e], destination = data.stream().destinations()[e];
    history.go_to(data.stream().times().between(0, e));
    float* to = want.data();
    for (const NodeId node : {source, destination}) {
      if (!nodes) continue;
      *to++ = 0.25F * static_cast<float>(node);
      *to++ = -1;
    }
    data.stream().edge_features().read(e, to);
    history.read(source, destination, want.data() + want.size() - task.tallies());
    history.add(source, destination, data.stream().labels()[e]);
    inputs.read(e, row.data());
    REQUIRE(row == want);
  }
}

TEST_CASE("A damaged file of labels without a network is refused") {
  const LabelledStream stream;
  const TextFile file("", ".model");
  LabelTrainOptions options = label_options(stream, "");
  options.model = file.path();
  options.epochs = 1;
  train_labels(options, {});
  const auto error_with = [&](const std::string& key, const std::string& value) {
    Document document = read_document(file.path());
    if (value.empty()) document.metadata.erase(key);
    if (!value.empty()) document.metadata[key] = value;
    return error_of([&] { load_model(std::move(document), "FILE"); });
  };
  CHECK(error_with("tgn.node_dim", "0") == "no error");
  CHECK(error_with("tgn.label_batch", "") ==
        "65 FILE: a model without a network predicts labels, and has no tgn.label_batch");
  CHECK(error_with("tgn.node_dim", "") == "65 FILE: metadata 'tgn.node_dim' is missing");
  CHECK(error_with("tgn.node_dim", "8193").starts_with("65 FILE: metadata 'tgn.node_dim' is"));
  CHECK(error_with("tgn.node_dim", "3").starts_with("65 FILE: tensor 'node_label.fc_1.weight'"));
  CHECK(error_with("tgn.label_task_ages", "").starts_with("65 FILE: tensor 'node_label.fc_1"));
  CHECK(error_with("tgn.architecture", "tgn-attn").ends_with("is missing"));
  CHECK(error_with("tgn.types", "[\"a\",\"b\"]").find("at most tgn.edge_features") !=
        std::string::npos);
  Document nothing = read_document(file.path());
  nothing.metadata["tgn.label_task_history"] = "false";
  nothing.metadata.erase("tgn.label_task_ages");
  CHECK(error_of([&] { load_model(std::move(nothing), "FILE"); }) ==
        "65 FILE: labels without a network are predicted from nothing, expected "
        "tgn.label_task_history");
}

TEST_CASE("A stream without labels of both kinds in every part is refused") {
  const LabelledStream stream;
  const TextFile model("", ".model");
  train_model(stream, model.path(), MemoryMode::window);
  const auto error_with = [&](Labelled kind) {
    const LabelledStream other(kind);
    std::string error = error_of([&] { train_labels(label_options(other, model.path()), {}); });
    REQUIRE(error.starts_with("65 " + other.path()));
    return error.substr(3 + other.path().size());
  };
  CHECK(error_with(Labelled::none).starts_with(": events have no labels, or all have 0;"));
  CHECK(error_with(Labelled::all) ==
        ": 420 of the 420 events of training have label 1, expected some with and some without");
  CHECK(error_with(Labelled::early) ==
        ": 0 of the 90 events of validation have label 1, expected some with and some without");
}
