#include "tools/gnn-sample/serve/score_pairs.h"

#include <memory>
#include <utility>
#include <vector>

#include "libcore/arrays/row_file.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/gnn-sample/batches/link_file.h"
#include "tools/gnn-sample/serve/prediction_table.h"
#include "tools/gnn-sample/tasks/common_neighbors.h"
#include "tools/gnn-sample/tasks/link_ranking.h"

namespace frugal::gnn {
namespace {

constexpr int kScoreDigits = 6;

std::vector<Link> read_pairs(const std::string& path, const NodeSet& sources,
                             const NodeSet& targets) {
  std::vector<Link> pairs;
  LinkFile file(path, sources, targets);
  for (LinkLine line; file.next(line);) {
    if (line.has_third && !file.has_header()) {
      file.refuse("no third column without a header of source and target");
    }
    pairs.push_back(line.link);
  }
  if (pairs.empty()) fail(ExitStatus::bad_input, path, ": there are no pairs");
  return pairs;
}

/// Embeddings of the nodes that are wanted, of the type that outputs are for.
void embed(ModelOnGraph& work, NodeEmbeddings& embeddings,
           const std::function<void(double)>& progress) {
  const std::vector<NodeId> nodes = embeddings.make_room();
  work.run(
      nodes,
      [&](std::size_t place, std::span<const float> row) {
        embeddings.set(place, {row.data(), 1, row.size(), row.size()});
      },
      progress);
}

std::vector<float> scores_of(ModelOnGraph& work, const std::vector<Link>& pairs,
                             std::size_t source_type, std::size_t target_type,
                             const std::function<void(double)>& progress) {
  const auto& nodes = work.graph().content().nodes;
  NodeEmbeddings sources(nodes[source_type].size, work.num_outputs());
  std::optional<NodeEmbeddings> others;
  if (source_type != target_type) others.emplace(nodes[target_type].size, work.num_outputs());
  NodeEmbeddings& targets = others ? *others : sources;
  for (const Link& pair : pairs) {
    sources.want(pair.source);
    targets.want(pair.target);
  }
  work.choose_sources();
  embed(work, sources, progress);
  if (others) {
    work.choose_targets();
    embed(work, targets, progress);
  }
  const LinkScore& score = work.goal().link_score;
  std::optional<AdamicAdar> common;
  if (score.common_neighbors != 0) common.emplace(work.graph().csr());
  std::vector<float> scores;
  for (const Link& pair : pairs) {
    scores.push_back(score.of(sources.dot(pair.source, targets, pair.target),
                              common ? (*common)(pair.source, pair.target) : 0));
  }
  return scores;
}

Document document_of(const std::vector<Link>& pairs, const std::vector<float>& scores) {
  Document document;
  Tensor sources = Tensor::make("sources", Dtype::i64, {pairs.size()});
  Tensor targets = Tensor::make("targets", Dtype::i64, {pairs.size()});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    sources.as<std::int64_t>()[i] = pairs[i].source;
    targets.as<std::int64_t>()[i] = pairs[i].target;
  }
  document.tensors.push_back(Tensor::copy_of<float>("scores", {scores.size()}, scores));
  document.tensors.push_back(std::move(sources));
  document.tensors.push_back(std::move(targets));
  document.metadata["frugal.kind"] = "predictions";
  return document;
}

}  // namespace

PredictResult score_pairs(const PredictOptions& options,
                          const std::function<void(double)>& progress) {
  check_output(options.output);
  const double began = wall_seconds();
  const std::unique_ptr<ModelOnGraph> work = open_model(options);
  const double read_seconds = wall_seconds() - began;
  if (!work->is_of_links()) {
    fail(ExitStatus::usage, "--pairs: ", options.model,
         " classifies nodes, expected a model of train --task links");
  }
  work->choose_targets();
  const std::size_t target_type = work->node_type();
  work->choose_sources();
  const std::size_t source_type = work->node_type();
  const auto& nodes = work->graph().content().nodes;
  const std::vector<Link> pairs = read_pairs(options.pairs, nodes[source_type], nodes[target_type]);
  const std::vector<float> scores = scores_of(*work, pairs, source_type, target_type, progress);
  if (is_table(options.output)) {
    LinkFileWriter writer(options.output, nodes[source_type], nodes[target_type], "score");
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      writer.add(pairs[i], format_number(double{scores[i]}, kScoreDigits));
    }
    writer.commit();
  } else {
    Document document = document_of(pairs, scores);
    document.metadata["frugal.history"] = "[" + options.history_entry + "]";
    write_arrays(options.output, document);
  }
  return {0, pairs.size(), work->new_nodes(), read_seconds, wall_seconds() - began - read_seconds};
}

}  // namespace frugal::gnn
