#pragma once
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/support/worst.h"
#include "tests/tools/tgn-train/memory/plain_stream.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tools/tgn-train/memory/step_planner.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {

/// A model with planner, runner and memory.
class ModelOnStream {
 public:
  ModelOnStream(const Variant& variant, const RandomStream& stream, MemoryMode mode,
                RefreshKind refresh = RefreshKind::none, const TimeScale& time = {})
      : model(make_model(variant.options, variant.inputs)),
        times(stream.view().times),
        waiting(times, Ties::strict),
        stream_(stream),
        mode_(mode) {
    const TgnOptions& o = variant.options;
    const bool keeps = mode == MemoryMode::window ? refresh != RefreshKind::none : !o.is_pyg();
    if (o.has_memory()) {
      const std::size_t message_dim =
          keeps ? kept_message_dim(model, mode == MemoryMode::exact) : 0;
      memory = std::make_unique<NodeMemory>(
          NodeMemoryShape{stream.num_nodes(), o.memory_dim, message_dim});
    }
    PlannerOptions planning;
    planning.mode = mode;
    planning.refresh = refresh;
    planning.rules = o.rules;
    planning.has_memory = o.has_memory();
    planning.has_neighbors = o.has_neighbors();
    planning.layers = o.layers;
    planning.neighbors = o.neighbors;
    planning.mean_messages = o.aggregator == AggregatorKind::mean;
    planning.time = time;
    planning.dyrep = o.dyrep;
    planning.types = variant.inputs.types;
    planner = std::make_unique<StepPlanner>(stream.view(), stream.neighbors, planning);
    runner = std::make_unique<StepRunner>(model, memory.get(), stream.features());
  }

  /// Plans and embeds the events [begin, end).
  MatrixView<const float> embed(std::size_t begin, std::size_t end,
                                StepKind kind = StepKind::queries_and_updates) {
    std::vector<EventId> events(end - begin);
    std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
    const auto first = stream_.negatives.begin();
    const std::vector<NodeId> others(first + static_cast<std::ptrdiff_t>(begin),
                                     first + static_cast<std::ptrdiff_t>(end));
    planner->plan(events, others, kind, plan);
    return runner->embed(plan, {});
  }
  /// The same by strict ties, in steps of any size: events wait until a later time is known.
  MatrixView<const float> embed_strictly(std::size_t begin, std::size_t end) {
    std::vector<EventId> events(end - begin);
    std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
    const auto first = stream_.negatives.begin();
    const std::vector<NodeId> others(first + static_cast<std::ptrdiff_t>(begin),
                                     first + static_cast<std::ptrdiff_t>(end));
    waiting.add(events);
    const EventId next = end == stream_.size() ? kNoEvent : static_cast<EventId>(end);
    StepEvents step{events, others, waiting.take(events.back(), next)};
    step.ties = Ties::strict;
    planner->plan(step, plan);
    return runner->embed(plan, {});
  }
  /// The same of a batch of a window, whose events become known with its last batch.
  MatrixView<const float> embed_in_window(std::size_t begin, std::size_t end, std::size_t window) {
    const std::size_t window_begin = begin / window * window;
    std::vector<EventId> events(end - window_begin);
    std::iota(events.begin(), events.end(), static_cast<EventId>(window_begin));
    const bool is_last = end % window == 0 || end == stream_.size();
    const auto first = stream_.negatives.begin();
    const std::vector<NodeId> others(first + static_cast<std::ptrdiff_t>(begin),
                                     first + static_cast<std::ptrdiff_t>(end));
    StepEvents step;
    step.queries = std::span<const EventId>(events).last(end - begin);
    step.others = others;
    if (is_last) step.updates = events;
    step.window_begin = static_cast<EventId>(window_begin);
    planner->plan(step, plan);
    return runner->embed(plan, {});
  }
  std::vector<float> state(NodeId node) const {
    return part(node, MemoryPart::state, memory->shape().state_dim);
  }
  std::vector<float> message(NodeId node) const {
    return part(node, MemoryPart::message, memory->shape().message_dim);
  }
  /// How far memory is from the plain one's, relative to the largest row.
  double memory_distance(const plain::Memory& want) const {
    double largest = 0;
    for (NodeId n = 0; memory != nullptr && n < stream_.num_nodes(); ++n) {
      if (!want.knows(n)) continue;
      largest = worse(largest, distance(state(n), plain::values(want.state(n))));
      if (memory->shape().message_dim == 0) continue;
      plain::Numbers message = want.pending(n).other;
      if (mode_ == MemoryMode::exact) {
        message = want.pending_raw(n);
        message.erase(message.begin(),
                      message.begin() + static_cast<std::ptrdiff_t>(memory->shape().state_dim));
      }
      largest = worse(largest, distance(this->message(n), plain::values(message)));
    }
    return largest;
  }

  TgnModel model;
  std::unique_ptr<NodeMemory> memory;
  std::unique_ptr<StepPlanner> planner;
  std::unique_ptr<StepRunner> runner;
  StepPlan plan;
  EventTimes times;
  WaitingEvents waiting;

 private:
  std::vector<float> part(NodeId node, MemoryPart part, std::size_t dim) const {
    std::vector<float> out(dim);
    memory->read(node, part, out.data());
    return out;
  }
  /// Where all numbers are 0, as of nodes that had not been in events, the distance itself.
  static double distance(const std::vector<float>& got, const std::vector<double>& want) {
    double square = 0;
    for (const double x : want) square += x * x;
    std::vector<double> numbers(got.begin(), got.end());
    if (square != 0) return relative_distance(numbers, want);
    for (const double x : numbers) square += x * x;
    return std::sqrt(square);
  }

  const RandomStream& stream_;
  MemoryMode mode_;
};

/// Small networks for streams.
inline Variant stream_variant(EmbeddingKind embedding, TgnInputs inputs = {2},
                              UpdaterKind updater = UpdaterKind::gru) {
  Variant v{std::string(embedding_name(embedding)), small_options(embedding), inputs};
  v.options.updater = updater;
  return v;
}

}  // namespace frugal::tgn
