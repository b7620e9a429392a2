#include "tools/tgn-train/serve/export.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/document_keys.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/memory/static_step.h"
#include "tools/tgn-train/model/model_file.h"

namespace frugal::tgn {
namespace {

/// Axes of batches.
enum Axis : std::size_t { axis_nodes, axis_edges, axis_events, axis_memory };

constexpr std::uint64_t kMostNumber = std::numeric_limits<std::int32_t>::max();

/// Why graphcore/examples has no modules for the model; "" where it has.
std::string_view foreign_part(const TgnModelFile& stored) {
  const TgnOptions& o = stored.model->options();
  const TgnInputs& inputs = stored.model->inputs();
  if (!o.is_pyg() || o.embedding != EmbeddingKind::transformer) return "its attention";
  if (o.updater != UpdaterKind::gru || o.message != MessageKind::identity) return "its updater";
  if (inputs.node_features) return "its features of nodes";
  if (inputs.types != 0) return "its edge types";
  if (inputs.pair_features != 0) return "its features of pairs";
  if (stored.session.mode == MemoryMode::window) return "memory that knows events in turn";
  if (stored.session.memory_dtype != Dtype::f32) return "memory in bf16";
  return "";
}

void check_modules(const TgnModelFile& stored, const std::string& path) {
  if (const std::string_view part = foreign_part(stored); !part.empty()) {
    fail(ExitStatus::unavailable, path, ": graphcore/examples has no module for ", part,
         ", expected a model of train --architecture pyg --memory exact or read");
  }
}

/// Whether times and nodes are numbers of 32 bits.
void check_numbers(const EventStream& stream) {
  const EventTimes& times = stream.times();
  if (!times.is_whole()) {
    fail(ExitStatus::unavailable, stream.path(), ": times are not whole, expected 32-bit integers");
  }
  // Ascending, so that the difference is the unsigned one.
  const std::uint64_t span = static_cast<std::uint64_t>(times.whole().back()) -
                             static_cast<std::uint64_t>(times.whole().front());
  if (span > kMostNumber || stream.num_nodes() >= kMostNumber) {
    fail(ExitStatus::unavailable, stream.path(), ": ", stream.num_nodes(), " nodes in a time of ",
         span, ", expected numbers below ", kMostNumber);
  }
}

/// True for the weights w of time encodings cos(w t + b).
bool is_time_weight(std::string_view name) { return name.ends_with("time_enc.lin.weight"); }

/// The model's tensors by the names of the modules, which know times as the stream counts them.
std::vector<Tensor> renamed_weights(const TgnModel& model, double time_unit) {
  constexpr std::array<std::array<std::string_view, 2>, 5> kNames = {
      {{"time_encoder.w.", "memory.time_enc.lin."},
       {"memory_updater.memory_updater.", "memory.gru."},
       {"gnn.", "gnn."},
       {"affinity_score.fc1.", "link_predictor.lin_hid."},
       {"affinity_score.fc2.", "link_predictor.lin_final."}}};
  Document document;
  model.save(document);
  for (Tensor& tensor : document.tensors) {
    const auto name = std::find_if(kNames.begin(), kNames.end(), [&](const auto& names) {
      return tensor.name.starts_with(names[0]);
    });
    if (name == kNames.end()) fail(ExitStatus::internal, "no module has ", tensor.name);
    tensor.name = std::string((*name)[1]) + tensor.name.substr((*name)[0].size());
    if (!is_time_weight(tensor.name)) continue;
    for (float& w : tensor.as<float>()) w = static_cast<float>(w / time_unit);
  }
  return std::move(document.tensors);
}

class NetworkExport {
 public:
  explicit NetworkExport(const ExportOptions& options);

  ExportResult run(const std::function<void(double)>& progress);

 private:
  void begin();
  void plan_batches(const std::function<void(double)>& progress);
  void describe_batches();
  void add_array(BatchArray array, std::function<const void*(const StaticStep&)> rows);
  void add_features(const std::string& name, std::size_t axis,
                    std::vector<EventId> StaticStep::*events);
  void add_times(const std::string& name, std::size_t axis,
                 std::vector<EventId> StaticStep::*events);
  template <class T>
  void add_node_rows(const std::string& name, std::size_t columns,
                     std::function<void(NodeId, T*)> fill, Document& document,
                     RowFillers& fillers) const;
  void add_memory(Document& document, RowFillers& fillers) const;
  void add_metadata(Document& document) const;
  std::int32_t time_of(EventId event) const {
    return static_cast<std::int32_t>(view_.times.between(kNoEvent, event));
  }
  void fill_numbers(NodeId node, std::int32_t* to) const;

  const ExportOptions& options_;
  TgnModelFile stored_;
  LinkData data_;
  EventView view_;
  EventPart part_;
  ExportResult result_;
  std::optional<StreamSession> session_;
  StepPlanner::Past past_;  ///< before the part
  std::vector<StaticStep> steps_;
  StaticBatches batches_;
  std::vector<std::function<const void*(const StaticStep&)>> rows_;  ///< of each array
  std::vector<float> features_;
  std::vector<std::int32_t> times_;
};

NetworkExport::NetworkExport(const ExportOptions& options)
    : options_(options),
      stored_(read_model(options.model, Precision::f32, {})),
      data_(options.events, stored_.split, stored_.types),
      view_(data_.events()),
      part_(options.part == "train"  ? EventPart::train
            : options.part == "test" ? EventPart::test
                                     : EventPart::valid) {
  check_embeds_nodes(stored_, options.model);
  check_modules(stored_, options.model);
  check_inputs(stored_, data_.stream(), options.model);
  check_numbers(data_.stream());
  result_.batch = options.batch != 0 ? options.batch : stored_.batch;
}

/// The memory becomes what it is before the part.
void NetworkExport::begin() {
  const TemporalCsr& neighbors =
      part_ == EventPart::train ? data_.training_neighbors() : data_.all_neighbors();
  session_.emplace(*stored_.model, view_, neighbors, data_.features(), stored_.session);
  if (part_ == EventPart::train) {
    session_->restart(Weights::fixed);
  } else {
    result_.memory_of_model = begin_behind_training(stored_, data_, *session_);
  }
  session_->planner().use(neighbors);
  session_->planner().draw_by(kEvaluationDraws);
  if (part_ == EventPart::test) {
    StepPlan plan;
    std::vector<EventId> events;
    EventId at = data_.split().begin(EventPart::valid);
    const auto next = [&] { data_.next(EventPart::valid, false, result_.batch, at, events); };
    for (next(); !events.empty(); next()) session_->learn(events, plan);
  }
  past_ = session_->planner().past();
}

/// By the events alone: the memory stays as it was before.
void NetworkExport::plan_batches(const std::function<void(double)>& progress) {
  const EvaluationNegatives negatives(view_, data_.parts(), stored_.split.seed);
  const EventId begin = data_.split().begin(part_), end = data_.split().end(part_);
  StepPlan plan;
  std::vector<EventId> events;
  std::vector<NodeId> others;
  EventId at = begin;
  const auto more = [&] {
    if (options_.max_batches != 0 && steps_.size() == options_.max_batches) return false;
    data_.next(part_, false, result_.batch, at, events);
    return !events.empty();
  };
  while (more()) {
    others.clear();
    for (const EventId event : events) others.push_back(negatives.draw(event));
    session_->planner().plan(events, others, StepKind::queries_and_updates, plan);
    steps_.push_back(StaticStep::of(plan, events, view_));
    const StaticStep& step = steps_.back();
    batches_.counts.push_back({step.nodes.size(), step.edge_events.size(), step.events.size(), 0});
    result_.events += events.size();
    progress(static_cast<double>(at - begin) / static_cast<double>(end - begin));
  }
}

void NetworkExport::add_array(BatchArray array,
                              std::function<const void*(const StaticStep&)> rows) {
  batches_.arrays.push_back(std::move(array));
  rows_.push_back(std::move(rows));
}

/// Left out where events have none.
void NetworkExport::add_features(const std::string& name, std::size_t axis,
                                 std::vector<EventId> StaticStep::*events) {
  const FeatureRows& edges = session_->runner().features().edges;
  if (edges.empty()) return;
  add_array({.name = name, .axis = axis, .columns = edges.dim},
            [this, &edges, events](const StaticStep& step) -> const void* {
              features_.resize((step.*events).size() * edges.dim);
              float* to = features_.data();
              for (const EventId event : step.*events)
                edges.read(event, std::exchange(to, to + edges.dim));
              return features_.data();
            });
}

void NetworkExport::add_times(const std::string& name, std::size_t axis,
                              std::vector<EventId> StaticStep::*events) {
  add_array({.name = name, .axis = axis, .dtype = Dtype::i32},
            [this, events](const StaticStep& step) -> const void* {
              times_.clear();
              for (const EventId event : step.*events) times_.push_back(time_of(event));
              return times_.data();
            });
}

void NetworkExport::describe_batches() {
  batches_.axes = {{"local nodes", true},
                   {"edges"},
                   {"events", false, result_.batch},
                   {"nodes", true, view_.num_nodes + 1}};
  const auto add_ids = [this](const char* name, std::size_t axis, std::size_t into,
                              std::size_t parts, std::vector<std::uint32_t> StaticStep::*of) {
    add_array({name, ArrayRole::ids, axis, into, Dtype::i32, parts},
              [of](const StaticStep& step) -> const void* { return (step.*of).data(); });
  };
  const auto add_mask = [this](const char* name, std::size_t axis) {
    add_array({.name = name, .role = ArrayRole::mask, .axis = axis, .dtype = Dtype::boolean},
              [](const StaticStep&) -> const void* { return nullptr; });
  };
  add_ids("node_ids", axis_nodes, axis_memory, 0, &StaticStep::nodes);
  add_ids("node_idx", axis_events, axis_nodes, 3, &StaticStep::triples);
  add_times("node_t", axis_events, &StaticStep::events);
  add_features("node_msg", axis_events, &StaticStep::events);
  add_array({.name = "most_recent", .axis = axis_events, .dtype = Dtype::boolean, .parts = 2},
            [](const StaticStep& step) -> const void* { return step.most_recent.data(); });
  add_ids("edge_idx", axis_edges, axis_nodes, 2, &StaticStep::edges);
  add_times("edge_t", axis_edges, &StaticStep::edge_events);
  add_features("edge_msg", axis_edges, &StaticStep::edge_events);
  add_mask("nodes_mask", axis_nodes);
  add_mask("edges_mask", axis_edges);
  add_mask("batch_mask", axis_events);
  batches_.rows = [this](std::size_t batch, std::size_t array) {
    return rows_[array](steps_[batch]);
  };
  batches_.shapes =
      BatchShapes::choose(batches_.axes, batches_.counts, axis_edges, options_.shapes);
}

/// [time of the last event, time between it and the one before, the other node of it].
void NetworkExport::fill_numbers(NodeId node, std::int32_t* to) const {
  const EventId last = past_.last[node];
  const NodeId source = view_.sources[last];
  const NodeId other = source == node ? view_.destinations[last] : source;
  to[0] = time_of(last);
  to[1] = static_cast<std::int32_t>(view_.times.between(past_.previous[node], last));
  to[2] = static_cast<std::int32_t>(other + 1);
}

/// [nodes + 1, columns]: row 0 is the dummy, row v + 1 node v's; of nodes without events all is 0.
template <class T>
void NetworkExport::add_node_rows(const std::string& name, std::size_t columns,
                                  std::function<void(NodeId, T*)> fill, Document& document,
                                  RowFillers& fillers) const {
  document.tensors.push_back({name, dtype_of<T>(), {view_.num_nodes + 1, columns}, {}});
  fillers[name] = [this, columns, fill = std::move(fill)](const TensorInfo&, std::uint64_t begin,
                                                          std::uint64_t end,
                                                          std::span<std::byte> to) {
    std::fill(to.begin(), to.end(), std::byte{0});
    auto* numbers = reinterpret_cast<T*>(to.data());
    for (std::uint64_t row = std::max<std::uint64_t>(begin, 1); row < end; ++row) {
      const auto node = static_cast<NodeId>(row - 1);
      if (past_.last[node] != kNoEvent) fill(node, numbers + (row - begin) * columns);
    }
  };
}

void NetworkExport::add_memory(Document& document, RowFillers& fillers) const {
  const auto real = [&](const char* name, std::size_t columns,
                        std::function<void(NodeId, float*)> fill) {
    add_node_rows<float>(name, columns, std::move(fill), document, fillers);
  };
  const NodeMemory& memory = *session_->memory();
  const FeatureRows& edges = session_->runner().features().edges;
  real("memory._memory", stored_.model->options().memory_dim,
       [&memory](NodeId node, float* to) { memory.read(node, MemoryPart::state, to); });
  real("memory._direction", 2, [](NodeId, float* to) { to[0] = 1; });
  add_node_rows<std::int32_t>(
      "memory._memory_ints", 3, [this](NodeId node, std::int32_t* to) { fill_numbers(node, to); },
      document, fillers);
  if (edges.empty()) return;
  real("memory._memory_msg", edges.dim,
       [this, &edges](NodeId node, float* to) { edges.read(past_.last[node], to); });
}

void NetworkExport::add_metadata(Document& document) const {
  document.metadata = {{kKindKey, "static-batches"},
                       {kToolKey, "tgn-train"},
                       {"format", "pt"},
                       {kHistoryKey, "[" + options_.history_entry + "]"},
                       {"static.modules", "graphcore/examples gnn/tgn/pytorch/tgn_modules.py"},
                       {"static.part", options_.part},
                       {"static.batch_size", std::to_string(result_.batch)},
                       {"static.batches", std::to_string(result_.batches)},
                       {"static.shapes", std::to_string(result_.shapes.size())},
                       {"static.heads", std::to_string(stored_.model->options().heads)}};
}

ExportResult NetworkExport::run(const std::function<void(double)>& progress) {
  const double began = wall_seconds();
  begin();
  plan_batches(progress);
  describe_batches();
  result_.batches = steps_.size();
  result_.shapes = batches_.shapes.shapes;
  result_.real_share = batches_.real_share(axis_edges);
  Document document;
  RowFillers fillers;
  add_metadata(document);
  document.tensors = renamed_weights(*stored_.model, stored_.session.time.unit);
  add_memory(document, fillers);
  batches_.add_to(document, fillers);
  write_rows(options_.output, document, fillers);
  result_.seconds = wall_seconds() - began;
  return result_;
}

}  // namespace

ExportResult export_network(const ExportOptions& options,
                            const std::function<void(double)>& progress) {
  check_output(options.output);
  return NetworkExport(options).run(progress);
}

}  // namespace frugal::tgn
