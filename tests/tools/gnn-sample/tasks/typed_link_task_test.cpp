#include "tools/gnn-sample/tasks/typed_link_task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tests/tools/gnn-sample/inputs/typed_graph.h"
#include "tools/gnn-sample/settings/train_options.h"
#include "tools/gnn-sample/tasks/link_ranking.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kWrites = 0, kReverse = 1, kCites = 2, kCited = 3;

/// 20 authors, 30 papers; paper p has the authors p, p + 3 and p + 7, and cites p + 1 and p + 4.
TypedGraphFile library() {
  TypedGraphFile file(false);
  file.add_nodes("author", 20);
  file.add_nodes("paper", 30);
  Pairs writes, cites;
  for (NodeId p = 0; p < 30; ++p) {
    for (const NodeId a : {0U, 3U, 7U}) writes.emplace_back((p + a) % 20, p);
    for (const NodeId q : {1U, 4U}) cites.emplace_back(p, (p + q) % 30);
  }
  file.add_edges("author", "writes", "paper", writes);
  file.add_edges("paper", "rev_writes", "author", turned(writes));
  file.add_edges("paper", "cites", "paper", cites);
  file.add_edges("paper", "rev_cites", "paper", turned(cites));
  return file;
}

std::string predicted(bool one_type) {
  return one_type ? "paper:cites:paper" : "author:writes:paper";
}

TrainOptions link_options(const std::string& relation) {
  TrainOptions options;
  options.task = "links";
  options.network.kind = "rgcn";
  options.network.num_layers = 2;
  options.network.hidden = 8;
  options.network.dropout = 0;
  options.links.relation = relation;
  options.links.held_out = 0.4;
  options.links.embedding = 6;
  options.links.negatives = 2;
  options.links.eval_negatives = 5;
  options.batch_size = 12;
  options.sampling.fanouts = "-1,-1";
  return options;
}

SeedBatchOptions batches_of_twelve() {
  SeedBatchOptions batches;
  batches.batch_size = 12;
  batches.seed = 3;
  return batches;
}

std::set<std::pair<NodeId, NodeId>> pairs_of(const StoredGraph& graph, std::size_t edges) {
  std::set<std::pair<NodeId, NodeId>> pairs;
  const CsrView csr = graph.content().edges[edges].csr;
  for (NodeId v = 0; v < csr.num_nodes(); ++v) {
    for (const NodeId u : csr.row(v)) pairs.emplace(u, v);
  }
  return pairs;
}

/// A network and what it needs to run on the graph of a task.
struct Setting {
  Setting(StoredGraph& graph, const TypedTask& task, const TrainOptions& options)
      : schema(TypedSchema::of(graph, {0, 1, 2, 3}, task.seed_type(), task.second_type())),
        places(TypePlaces::find(schema, graph, "")),
        model(options.network, schema, TypedInputs::columns(schema, 5), task.num_outputs()) {
    model.randomize(4);
    inputs = TypedInputs(model, graph, places, {5, 9});
    setup.sampling = options.sampling;
    setup.seed = 1;
    task.set_up(setup);
  }

  TypedSchema schema;
  TypePlaces places;
  TypedModel model;
  TypedInputs inputs;
  TypedBatchMaker::Setup setup;
};

/// True if an edge of a sampled block is between these nodes of the graph.
bool samples_edge(const TypedBatch& batch, const Setting& s, std::size_t relation, NodeId source,
                  NodeId target) {
  const RelationType& type = s.schema.relations[relation];
  const auto sources = batch.sample.nodes(type.source), targets = batch.sample.nodes(type.target);
  for (const TypedBlocks& layer : batch.input.layers) {
    const Block& block = layer.relations[relation];
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      for (const std::uint32_t u : block.row(t)) {
        if (targets[t] == target && sources[u] == source) return true;
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("a reverse relation keeps the edges that the relation has not") {
  TypedGraphFile file(true);
  file.add_nodes("author", 20);
  file.add_nodes("paper", 30);
  Pairs writes, read;
  for (NodeId p = 0; p < 30; ++p) {
    for (const NodeId a : {0U, 3U, 7U}) writes.emplace_back((p + a) % 20, p);
    read.emplace_back(p, p % 20);        // as written
    read.emplace_back(p, (p + 1) % 20);  // not written
  }
  file.add_edges("author", "writes", "paper", writes);
  file.add_edges("paper", "rev_writes", "author", read);
  StoredGraph graph = file.open();
  const TrainOptions options = link_options("author:writes:paper");
  const TypedLinkTask task(graph, options);
  const auto kept = pairs_of(graph, 0), reverse = pairs_of(graph, 1);
  CHECK(kept.size() < writes.size());
  std::size_t wrong = 0;
  for (const auto& [paper, author] : read) {
    const bool is_written = (paper % 20) == author;
    const bool stays = !is_written || kept.contains({author, paper});
    wrong += reverse.contains({paper, author}) == stays ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("links are ranked among other nodes of the target's type") {
  TypedGraphFile file = library();
  const StoredGraph graph = file.open();
  for (const std::size_t edges : {kWrites, kCites}) {
    const LinkRelation relation(graph, edges);
    const std::vector<Link> links = {{4, 9}, {5, 29}, {6, 0}};
    const LinkRanking ranking(relation, links, Part::test, {200, 3, false});
    std::set<NodeId> met;
    const LinkMetrics metrics = ranking.rank([&](NodeId source, NodeId target) {
      const auto link = std::find_if(links.begin(), links.end(),
                                     [&](const Link& l) { return l.source == source; });
      if (target != link->target) met.insert(target);
      CHECK(target < 30);
      if (relation.one_type()) CHECK(target != source);
      return target == link->target ? 1.0F : 0.0F;
    });
    CHECK(metrics.mrr() == 1);
    CHECK(metrics.auc() == 1);
    CHECK(met.size() == 30);  // each node is a negative of another link
  }
}

TEST_CASE("links are ranked among given negatives, those of their source or all") {
  TypedGraphFile file = library();
  const StoredGraph graph = file.open();
  const LinkRelation relation(graph, kWrites);
  const std::vector<Link> links = {{5, 29}, {4, 9}};
  // Scores are targets.
  const auto rank = [&](const GivenNegatives& given, double chance) {
    const LinkRanking ranking(relation, links, Part::test, {100, 3, true, &given});
    CHECK(ranking.chance() == doctest::Approx(chance));
    NodeEmbeddings sources(10, 1), targets(30, 1);
    ranking.want(sources, targets);
    CHECK(sources.make_room().size() == (given.shared ? 3 : 2));
    const auto score = [](NodeId, NodeId target) { return static_cast<float>(target); };
    CHECK(ranking.result(score, "mrr").ranked_among == ranking.among());
    return ranking.rank(score);
  };
  // 9 is second of 10 and 3; 29 is first of 4. No link has source 6.
  for (const std::vector<Link>& own :
       {std::vector<Link>{{4, 10}, {4, 3}, {5, 4}, {6, 8}}, {{4, 3}, {4, 10}, {5, 4}, {6, 8}}}) {
    const LinkMetrics metrics = rank({false, own}, (11.0 / 18 + 3.0 / 4) / 2);
    CHECK(metrics.mrr() == doctest::Approx((1.0 / 2 + 1) / 2));
    CHECK(metrics.auc() == doctest::Approx(5.0 / 6));
    CHECK(metrics.links() == 2);
  }
  const LinkMetrics shared = rank({true, {{4, 10}, {4, 3}, {6, 29}}}, 25.0 / 48);
  CHECK(shared.mrr() == doctest::Approx((1.0 / 3 + 1 / 1.5) / 2));
  CHECK(shared.auc() == doctest::Approx((1 + 2.5) / 6));
  CHECK(shared.values().size() == 4);
  std::vector<Link> many = {{4, 0}, {5, 0}};
  for (NodeId v = 10; v < 30; ++v) many.insert(many.end(), {{6, v}, {6, v}, {6, v}});
  const double chance = LinkRanking(relation, links, Part::test, {62, 3}).chance();
  const NamedValues values = rank({true, many}, chance).values();
  REQUIRE(values.size() == 7);
  CHECK(values[1] == std::pair<std::string, double>("hits_at_10", 0.5));
  CHECK(values[2] == std::pair<std::string, double>("hits_at_20", 0.5));
  CHECK(values[3] == std::pair<std::string, double>("hits_at_50", 0.5));
}

TEST_CASE("held-out links are in no relation that a network reads") {
  TypedGraphFile file = library();
  for (const bool one_type : {false, true}) {
    CAPTURE(one_type);
    StoredGraph graph = file.open();
    const TrainOptions options = link_options(predicted(one_type));
    const TypedLinkTask task(graph, options);
    const std::size_t own = one_type ? kCites : kWrites, back = one_type ? kCited : kReverse;
    const auto kept = pairs_of(graph, own), reverse = pairs_of(graph, back);
    const std::size_t all = one_type ? 60 : 90;
    CHECK(kept.size() == task.num_seeds(Part::train));
    CHECK(kept.size() + task.num_seeds(Part::valid) + task.num_seeds(Part::test) == all);
    CHECK(task.num_seeds(Part::test) > all / 10);
    REQUIRE(reverse.size() == kept.size());
    for (const auto& pair : kept) CHECK(reverse.contains({pair.second, pair.first}));
    const std::size_t other = one_type ? kWrites : kCites;
    CHECK(pairs_of(graph, other).size() == (one_type ? 90 : 60));
  }
}

TEST_CASE("a mini-batch sees its own links in none of the relations and directions") {
  TypedGraphFile file = library();
  for (const bool one_type : {false, true}) {
    CAPTURE(one_type);
    StoredGraph graph = file.open();
    const TrainOptions options = link_options(predicted(one_type));
    TypedLinkTask task(graph, options);
    const Setting s(graph, task, options);
    TypedBatchMaker maker(graph, s.schema, s.places, s.inputs, s.setup);
    task.begin(batches_of_twelve());
    TypedBatch batch;
    std::size_t batches = 0, links = 0, others = 0;
    const std::size_t own = one_type ? kCites : kWrites, back = one_type ? kCited : kReverse;
    while (task.next(batch)) {
      task.complete(batch);
      maker.make(batch);
      ++batches;
      std::set<std::pair<NodeId, NodeId>> hidden;
      for (const Link& link : batch.links.positives) {
        ++links;
        hidden.emplace(link.source, link.target);
        CHECK(!samples_edge(batch, s, own, link.source, link.target));
        CHECK(!samples_edge(batch, s, back, link.target, link.source));
        if (!one_type) continue;
        CHECK(!samples_edge(batch, s, back, link.source, link.target));
        CHECK(!samples_edge(batch, s, own, link.target, link.source));
      }
      for (const auto& [source, target] : pairs_of(graph, own)) {
        others += !hidden.contains({source, target}) && samples_edge(batch, s, own, source, target);
      }
      CHECK(batch.links.sources.size() == 3 * batch.links.positives.size());
    }
    CHECK(batches == task.batches_per_epoch());
    CHECK(links == task.num_seeds(Part::train));
    CHECK(others > links);
  }
}

TEST_CASE("the loss of links between two types is that of their embeddings, as is its gradient") {
  TypedGraphFile file = library();
  StoredGraph graph = file.open();
  const TrainOptions options = link_options("author:writes:paper");
  TypedLinkTask task(graph, options);
  Setting s(graph, task, options);
  TypedBatchMaker maker(graph, s.schema, s.places, s.inputs, s.setup);
  task.begin(batches_of_twelve());
  TypedBatch batch;
  REQUIRE(task.next(batch));
  task.complete(batch);
  maker.make(batch);
  s.model.prepare_training({});
  const auto room = s.model.make_room();
  const auto loss_now = [&] {
    s.model.forward(batch.input, {true, 1, 1}, *room);
    return task.loss(batch, s.model, *room);
  };
  const TypedTask::BatchLoss loss = loss_now();
  CHECK(loss.samples == batch.links.positives.size());
  const MatrixView<const float> authors = s.model.outputs(*room, 0),
                                papers = s.model.outputs(*room, 1);
  double expected = 0;
  for (std::size_t i = 0; i < batch.links.num_links(); ++i) {
    const std::uint32_t a = batch.sample.seed_place(batch.links.sources[i]);
    const std::uint32_t p = batch.sample.second_place(batch.links.targets[i]);
    if (i < batch.links.positives.size()) {
      CHECK(batch.sample.nodes(0)[a] == batch.links.positives[i].source);
      CHECK(batch.sample.nodes(1)[p] == batch.links.positives[i].target);
    }
    double x = 0;
    for (std::size_t c = 0; c < authors.cols; ++c) x += double{authors(a, c)} * papers(p, c);
    expected += std::log1p(std::exp(batch.links.label(i) == 1 ? -x : x));
  }
  const auto count = static_cast<double>(batch.links.num_links());
  CHECK(loss.sum / static_cast<double>(loss.samples) ==
        doctest::Approx(expected / count).epsilon(1e-5));
  s.model.backward(batch.input, {true, 1, 1}, *room);
  // Slopes by central differences, of some weights of all matrices.
  const auto gradients = total_gradients(s.model.tensors());
  Document weights;
  save_tensors(s.model.tensors(), weights);
  const auto loss_with = [&](float& value, float changed) {
    const float before = std::exchange(value, changed);
    load_tensors(s.model.tensors(), weights, "");
    value = before;
    const TypedTask::BatchLoss now = loss_now();
    return now.sum / static_cast<double>(now.samples);
  };
  std::size_t checked = 0;
  for (Tensor& tensor : weights.tensors) {
    const auto found =
        std::ranges::find(gradients, tensor.name, [](const auto& g) { return g.first; });
    REQUIRE(found != gradients.end());
    const auto values = tensor.as<float>();
    CAPTURE(tensor.name);
    for (std::size_t i = 0; i < values.size(); i += 7) {
      const float change = 4e-3F, x = values[i];
      const double slope = (loss_with(values[i], x + change) - loss_with(values[i], x - change)) /
                           (2 * double{change});
      CHECK(std::abs(found->second[i] - slope) < 2e-4 + 2e-2 * std::abs(slope));
      ++checked;
    }
  }
  CHECK(checked > 50);
}

TEST_CASE("links are ranked as their embeddings say, which are the same from neighbourhoods") {
  TypedGraphFile file = library();
  StoredGraph graph = file.open();
  const TrainOptions options = link_options("author:writes:paper");
  const TypedLinkTask task(graph, options);
  const Setting s(graph, task, options);
  InferenceOptions sampled;
  sampled.fanouts = "-1,-1";
  sampled.batch_size = 3;
  TypedInference whole(graph, s.places, s.inputs, {}), parts(graph, s.places, s.inputs, sampled);
  const TaskMetrics exact = task.evaluate(Part::test, s.model, whole);
  const TaskMetrics other = task.evaluate(Part::test, s.model, parts);
  REQUIRE(exact.values.size() == other.values.size());
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    CHECK(exact.values[i].second == doctest::Approx(other.values[i].second).epsilon(1e-4));
  }
  CHECK(exact.values.front().first == "mrr");
  CHECK(exact.values.back().first == "popularity_mrr");
  CHECK(exact.baseline.starts_with("mrr 0."));
}

TEST_CASE("relations with too few edges or nodes are refused") {
  const auto error = [](TypedGraphFile file, const TrainOptions& options) {
    StoredGraph graph = file.open();
    std::string text = error_of([&] { TypedLinkTask(graph, options); });
    const std::size_t at = text.find(graph.path());
    if (at != std::string::npos) text.replace(at, graph.path().size(), "GRAPH");
    return text;
  };
  TrainOptions options = link_options("author:writes:paper");
  const auto with_edges = [](std::uint64_t papers, const Pairs& pairs) {
    TypedGraphFile file;
    file.add_nodes("author", 4);
    file.add_nodes("paper", papers);
    file.add_edges("author", "writes", "paper", pairs);
    return file;
  };
  CHECK(error(with_edges(3, {}), options) ==
        "65 GRAPH: author:writes:paper: there are no edges to train on");
  CHECK(error(with_edges(1, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}), options) ==
        "65 GRAPH: there are 1 nodes of type paper, expected at least 2, one that is not of the "
        "link");
  options.links.held_out = 0.01;
  CHECK(error(with_edges(3, {{0, 0}, {1, 2}}), options) ==
        "2 --held-out 0.01 of the 2 edges of GRAPH: author:writes:paper leaves none for "
        "validation, expected a larger share, --held-out-edges, or 0, which holds out none");
  options.links.held_out = 0;
  CHECK(error(with_edges(3, {{0, 0}, {1, 2}}), options) == "no error");
}
