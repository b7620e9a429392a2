#include "tools/gnn-sample/tasks/typed_link_task.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {
namespace {

void copy_rows(MatrixView<const float> from, MatrixView<float> to) {
  for (std::size_t r = 0; r < from.rows; ++r) std::copy_n(from.row(r), from.cols, to.row(r));
}

}  // namespace

TypedLinkTask::TypedLinkTask(StoredGraph& graph, const TrainOptions& options)
    : options_(options),
      goal_(LinkRelation(graph, find_relation(graph, options.links.relation)), options) {
  check_parts();
  reverse_ = reverse_relations(goal_.relation(), [&](const std::string& relation) {
    return std::ranges::find(options.sampling.type_fanouts, relation + "=0") ==
           options.sampling.type_fanouts.end();
  });
  goal_.write();
  hold_out(graph);
}

/// A share of few edges may be none.
void TypedLinkTask::check_parts() const {
  if (goal_.was_read() || options_.links.held_out == 0) return;
  const std::size_t valid = num_seeds(Part::valid), test = num_seeds(Part::test);
  if (valid != 0 && test != 0) return;
  const std::size_t all = num_seeds(Part::train) + valid + test;
  fail(ExitStatus::usage, "--held-out ", options_.links.held_out, " of the ",
       format_count(all, "edge"), " of ", goal_.relation().place(), " leaves none for ",
       valid == 0 ? "validation" : "the test",
       ", expected a larger share, --held-out-edges, or 0, which holds out none");
}

/// Reverse relations may have edges that the relation has not, which they keep.
void TypedLinkTask::hold_out(StoredGraph& graph) const {
  const LinkRelation& relation = goal_.relation();
  const EdgeLookup lookup(relation.edge_set());
  const auto is_link = [&](NodeId source, NodeId target) {
    return goal_.was_read() || lookup.has(source, target) ||
           (relation.one_type() && lookup.has(target, source));
  };
  for (const std::size_t reverse : reverse_) {
    graph.keep_edges(
        [&](NodeId source, NodeId target) {
          return goal_.is_kept(target, source) || !is_link(target, source);
        },
        reverse);
  }
  graph.keep_edges([&](NodeId source, NodeId target) { return goal_.is_kept(source, target); },
                   relation.edges());
}

std::size_t TypedLinkTask::num_outputs() const { return options_.links.embedding; }

std::optional<std::size_t> TypedLinkTask::second_type() const {
  if (goal_.relation().one_type()) return std::nullopt;
  return goal_.relation().target_type();
}

std::string TypedLinkTask::relation() const {
  return edge_type_name(goal_.relation().graph().content().edges[goal_.relation().edges()]);
}

std::map<std::string, std::string> TypedLinkTask::identity() const {
  return {{"edge type to predict", relation()},
          {"file of held-out edges", goal_.was_read() ? goal_.fingerprint() : "none"}};
}

void TypedLinkTask::set_up(TypedBatchMaker::Setup& setup) const {
  setup.max_seeds = goal_.max_seeds();
  setup.labels = false;
  const bool one_type = goal_.relation().one_type();
  setup.hidden.assign(goal_.relation().graph().content().edges.size(), HiddenLinks::none);
  setup.hidden[goal_.relation().edges()] =
      one_type ? HiddenLinks::either_way : HiddenLinks::as_given;
  for (const std::size_t reverse : reverse_) {
    setup.hidden[reverse] = one_type ? HiddenLinks::either_way : HiddenLinks::turned_round;
  }
}

void TypedLinkTask::begin(const SeedBatchOptions& batches) {
  batches_.emplace(goal_.training_list(), batches, goal_.relation().csr(), goal_.negatives());
}

TypedTask::BatchLoss TypedLinkTask::loss(const TypedBatch& batch, const TypedModel& model,
                                         TypedRoom& room) {
  const TypedSchema& schema = model.schema();
  const LinkBatch& links = batch.links;
  const MatrixView<const float> first = model.outputs(room, schema.seeds);
  const std::size_t others = schema.second ? model.outputs(room, *schema.second).rows : 0;
  rows_.resize(first.rows + others, first.cols);
  copy_rows(first, rows_.view().rows_between(0, first.rows));
  if (schema.second) {
    copy_rows(model.outputs(room, *schema.second),
              rows_.view().rows_between(first.rows, first.rows + others));
  }
  sources_.clear();
  targets_.clear();
  for (const std::uint32_t s : links.sources) sources_.push_back(batch.sample.seed_place(s));
  for (const std::uint32_t t : links.targets) {
    targets_.push_back(schema.second
                           ? static_cast<std::uint32_t>(first.rows) + batch.sample.second_place(t)
                           : batch.sample.seed_place(t));
  }
  const std::size_t positives = links.positives.size();
  const MatrixView<float> rows = rows_.view();
  const double mean = link_loss({rows.row(0), rows.rows, rows.cols, rows.stride},
                                {sources_, targets_, positives}, gradients_);
  const auto give_back = [&](std::size_t type, std::size_t begin, std::size_t count) {
    RowStore& to = model.output_gradient(room, type);
    to.resize(count, first.cols);
    const MatrixView<float> from = gradients_.view().rows_between(begin, begin + count);
    copy_rows({from.row(0), from.rows, from.cols, from.stride}, to.view());
  };
  give_back(schema.seeds, 0, first.rows);
  if (schema.second) give_back(*schema.second, first.rows, others);
  return {mean * static_cast<double>(positives), positives};
}

TaskMetrics TypedLinkTask::evaluate(Part part, const TypedModel& model,
                                    TypedInference& inference) const {
  const LinkRanking ranking = goal_.ranking(part);
  NodeEmbeddings sources(goal_.relation().sources().size, num_outputs());
  std::optional<NodeEmbeddings> others;
  if (!goal_.relation().one_type()) others.emplace(goal_.relation().targets().size, num_outputs());
  NodeEmbeddings& targets = others ? *others : sources;
  ranking.want(sources, targets);
  compute(model, inference, sources, others ? &*others : nullptr);
  const auto score = [&](NodeId source, NodeId target) {
    return sources.dot(source, targets, target);
  };
  TaskMetrics result = ranking.result(score, options_.select);
  heuristics_.add_to(result, part, ranking);
  return result;
}

void TypedLinkTask::compute(const TypedModel& model, TypedInference& inference,
                            NodeEmbeddings& sources, NodeEmbeddings* targets) const {
  const std::vector<NodeId> of_sources = sources.make_room();
  const std::vector<NodeId> of_targets = targets ? targets->make_room() : std::vector<NodeId>();
  std::vector<OutputRequest> requests = {
      {model.schema().seeds, of_sources,
       [&](std::size_t first, MatrixView<const float> rows) { sources.set(first, rows); }}};
  if (targets != nullptr) {
    requests.push_back({*model.schema().second, of_targets,
                        [targets](std::size_t first, MatrixView<const float> rows) {
                          targets->set(first, rows);
                        }});
  }
  inference.run(model, requests);
}

}  // namespace frugal::gnn
