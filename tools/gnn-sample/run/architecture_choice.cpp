#include "tools/gnn-sample/run/architecture_choice.h"

#include <algorithm>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/system/signals.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/run/graph_inputs.h"
#include "tools/gnn-sample/run/train.h"
#include "tools/gnn-sample/settings/sampling_options.h"
#include "tools/gnn-sample/settings/train_fields.h"

namespace frugal::gnn {
namespace {

/// With the batch size of the candidates, 150,000 training nodes.
constexpr std::uint64_t kMostTrialSteps = 300;
constexpr int kTrialShare = 3;  ///< a trial has 1 / 3 of the epochs

bool may_use_cpu(const TrainOptions& options) {
  return options.device == "cpu" || options.device == "auto";
}

/// Settings that all candidates share.
TrainOptions common_settings(TrainOptions o, const char* architecture) {
  o.network.kind = architecture;
  o.network.norm = NormKind::batch;
  o.network.hidden = 256;
  o.sampling.fanouts = "10,10";
  o.batch_size = 512;
  o.schedule = "cosine";
  o.open_settings = false;
  return o;
}

/// As configs/sign.yaml. Sparse features have one hop, which was best in validation on Coauthor CS
/// and Physics.
TrainOptions sign_settings(const TrainOptions& options, bool sparse) {
  TrainOptions o = common_settings(options, "sign");
  o.network.propagation = HopOperator::symmetric;
  o.network.hops = sparse ? 1 : 3;
  o.network.hidden = 128;
  o.network.input_dropout = sparse ? 0.3F : 0;
  o.learning_rate = 0.002;
  o.epochs = sparse ? 6 : 30;
  return o;
}

/// Two hops of means of sparse features, best in validation on the Debian graph.
TrainOptions sign_of_means_settings(const TrainOptions& options) {
  TrainOptions o = sign_settings(options, true);
  o.network.propagation = HopOperator::row;
  o.network.hops = 2;
  o.epochs = 20;
  return o;
}

/// As configs/tuned-gcn.yaml. With sparse features layer norms were better in validation, on
/// Coauthor CS and Physics.
TrainOptions gcn_settings(const TrainOptions& options, bool sparse) {
  TrainOptions o = common_settings(options, "gcn");
  if (sparse) o.network.norm = NormKind::layer;
  o.network.residual = true;
  o.network.head_layers = 1;
  o.open_head_layers = false;
  o.network.input_dropout = 0.2F;
  o.network.weight_decay = 5e-5F;
  o.warm_up = 0.1;
  o.epochs = 45;
  o.eval_every = 3;
  return o;
}

/// As configs/tuned-sage-ri.yaml.
TrainOptions sage_ri_settings(const TrainOptions& options) {
  TrainOptions o = common_settings(options, "sage-ri");
  o.warm_up = 0.1;
  o.epochs = 30;
  o.eval_every = 3;
  return o;
}

std::vector<TrainOptions> candidates_for(const TrainOptions& options, bool sparse,
                                         const InputParts& input) {
  const bool on_cpu = may_use_cpu(options);
  std::vector<TrainOptions> all;
  if (on_cpu && options.features.parts.empty() && !input.embedding) {
    all.push_back(decided(sign_settings(options, sparse)));
    if (sparse) all.push_back(decided(sign_of_means_settings(options)));
  }
  if (on_cpu) all.push_back(decided(gcn_settings(options, sparse)));
  all.push_back(decided(sage_ri_settings(options)));
  return all;
}

/// For graphs of several types: means by relation, the same with a norm, and attention by relation.
/// The settings are the best in validation on most of five graphs
/// (tests/bench/results/gnn-sample-typed.md), where a norm never helped attention.
std::vector<TrainOptions> typed_candidates(TrainOptions o) {
  o.network.kind = "rgcn";
  o.network.hidden = 64;
  o.sampling.fanouts = "10,10";
  o.open_settings = false;
  TrainOptions attention = o;
  attention.network.kind = "rgat";
  o = decided(o);
  TrainOptions with_norm = o;
  with_norm.network.norm = NormKind::layer;
  return {o, with_norm, decided(attention)};
}

/// The candidates for the graph, the first of them alone if it cannot tell them apart; none: the
/// defaults.
std::vector<TrainOptions> candidates_of_graph(const TrainOptions& options) {
  if (options.time_budget > 0 && !options.open_types) return {};
  const StoredGraph graph(options.graph, options.residence, FeaturePlace::as_residence);
  if (options.open_types) {
    std::vector<TrainOptions> all = typed_candidates(options);
    const std::size_t seeds = find_seed_type(graph, options.seed_type);
    const bool tells = options.time_budget == 0 && !graph.content().nodes[seeds].splits.empty() &&
                       !graph.nodes_in(Part::valid, options.split, seeds).empty();
    if (!tells) all.resize(1);
    return all;
  }
  graph.require_homogeneous();
  if (graph.num_splits() <= options.split) return {};
  if (graph.nodes_in(Part::valid, options.split).empty()) return {};
  const InputParts input = input_parts(options, graph);
  const bool sparse = input.features && graph.features() && graph.features()->sparse();
  return candidates_for(options, sparse, input);
}

TrainOptions trial_of(TrainOptions o) {
  o.model.clear();
  o.checkpoint.clear();
  o.resume = false;
  // In a third of its epochs a network of few steps without a norm has hardly begun to learn.
  if (!o.open_types) o.epochs = (o.epochs + kTrialShare - 1) / kTrialShare;
  o.eval_every = std::min(o.eval_every, o.epochs);
  o.steps = kMostTrialSteps;
  return o;
}

/// The result of a trial; without a validation if the run was stopped.
struct Trial {
  TrainResult result;
  std::string left_out;  ///< why there was none: there is too little memory for it; or empty
};

Trial try_candidate(const TrainOptions& candidate) {
  try {
    return {train(trial_of(candidate), {}), ""};
  } catch (const Error& error) {
    const bool lacks_memory = error.status() == ExitStatus::unavailable && may_use_cpu(candidate);
    if (!lacks_memory) throw;
    return {{}, error.what()};
  }
}

}  // namespace

std::string settings_name(const TrainOptions& o) {
  const bool with_norm = conv_kind(o.network.kind).typed && o.network.norm == NormKind::layer;
  const bool of_means = o.network.kind == "sign" && o.network.propagation == HopOperator::row;
  return o.network.kind + (with_norm ? " --norm layer" : "") +
         (of_means ? " --propagation row --hops " + std::to_string(o.network.hops) : "");
}

TrainOptions choose_architecture(const TrainOptions& options,
                                 const std::function<void(const ArchitectureTrial&)>& tried) {
  TrainOptions plain = options;
  plain.open_settings = false;
  const std::vector<TrainOptions> candidates = candidates_of_graph(options);
  if (candidates.empty()) return decided(plain);
  if (candidates.size() == 1) return candidates.front();
  TrainOptions best = candidates.front();
  double best_score = 0;
  bool is_first = true;
  for (const TrainOptions& candidate : candidates) {
    if (stop_requested()) break;
    const Trial trial = try_candidate(candidate);
    if (!trial.left_out.empty()) {
      tried({settings_name(candidate), trial.left_out});
      continue;
    }
    if (!trial.result.validation) break;
    const double score = trial.result.validation->score;
    tried({settings_name(candidate), "", score, trial.result.fit_cpu_seconds});
    if (!is_first && score <= best_score) continue;
    is_first = false;
    best = candidate;
    best_score = score;
  }
  return best;
}

}  // namespace frugal::gnn
