#include "tools/gnn-sample/options_train.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/conditions.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/metrics/report.h"
#include "libcore/metrics/run_log.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/gnn-sample/options_sampling.h"
#include "tools/gnn-sample/train_report.h"

namespace frugal::gnn {
namespace {

using nlohmann::ordered_json;
constexpr char kNetwork[] = "Network";
constexpr char kTraining[] = "Training";
constexpr char kTask[] = "Task";
constexpr int kDigits = 5;

void add_network_options(CLI::App& app, TrainCommandOptions& o) {
  GnnOptions& n = o.train.network;
  app.add_option("--architecture", o.model,
                 "sage: GraphSAGE; gcn; gat; gin; sage-ri: GraphSAGE with residual connections and "
                 "all layers read at the end")
      ->check(CLI::IsMember(Names{"sage", "gcn", "gat", "gin", "sage-ri"}))
      ->group(kNetwork);
  app.add_option("--hidden", n.hidden, "units of a layer; gat: of each head")
      ->check(CLI::Range(1, 65536))
      ->group(kNetwork);
  app.add_option("--aggregate", o.aggregate, "sage: mean or max of the neighbours")
      ->check(CLI::IsMember(Names{"mean", "max"}))
      ->group(kNetwork);
  app.add_option("--heads", n.heads, "gat: heads of each layer but the last, side by side")
      ->check(CLI::Range(1, 256))
      ->group(kNetwork);
  app.add_option("--output-heads", n.output_heads, "gat: heads of the last layer, averaged")
      ->check(CLI::Range(1, 256))
      ->group(kNetwork);
  app.add_option("--head-layers", n.head_layers, "dense layers behind the last convolution")
      ->check(CLI::Range(0, 16))
      ->group(kNetwork);
  app.add_option("--activation", o.activation,
                 "auto: elu with gat, leaky-relu with sage-ri, else relu")
      ->check(CLI::IsMember(Names{"auto", "relu", "leaky-relu", "elu"}))
      ->group(kNetwork);
  app.add_option("--dropout", n.dropout,
                 "share of units left out, behind each layer but the last; gin with --head-layers: "
                 "behind those layers alone")
      ->check(CLI::Range(0.0, 0.99))
      ->group(kNetwork);
  app.add_option("--input-dropout", n.input_dropout, "share of features left out")
      ->check(CLI::Range(0.0, 0.99))
      ->group(kNetwork);
  app.add_option("--attention-dropout", n.attention_dropout, "gat: share of edges left out")
      ->check(CLI::Range(0.0, 0.99))
      ->group(kNetwork);
  app.add_flag("--batch-norm", n.batch_norm,
               "normalise behind each layer but the last; gin: within its convolutions; sage-ri: "
               "behind its convolutions")
      ->group(kNetwork);
  app.add_flag("--bias,!--no-bias", n.bias, "convolutions have a bias")
      ->default_str("true")
      ->group(kNetwork);
  app.add_flag("--train-epsilon", n.train_epsilon, "gin: train the weight of a node's own row")
      ->group(kNetwork);
}

void add_task_options(CLI::App& app, TrainOptions& o) {
  app.add_option("--task", o.task,
                 "nodes: their classes; links: embeddings whose dot product tells edges from "
                 "pairs of nodes at random")
      ->check(CLI::IsMember(Names{"nodes", "links"}))
      ->group(kTask);
  app.add_option("--embedding", o.links.embedding, "links: numbers that a node becomes")
      ->check(CLI::Range(1, 65536))
      ->group(kTask);
  app.add_option("--held-out", o.links.held_out,
                 "links: share of the edges that is validated and tested with, and not in the "
                 "graph that models see")
      ->check(CLI::Range(0.0, 0.9))
      ->group(kTask);
  app.add_option("--negatives", o.links.negatives,
                 "links: pairs to train with for each edge, its target replaced by any node")
      ->check(CLI::Range(1, 1000))
      ->group(kTask);
  app.add_option("--eval-negatives", o.links.eval_negatives,
                 "links: pairs with other nodes that each edge held out is ranked among")
      ->check(CLI::Range(1, 100000))
      ->group(kTask);
}

void add_training_options(CLI::App& app, TrainOptions& o) {
  app.add_option("--batch-size", o.batch_size, "training nodes, or links, of a mini-batch")
      ->check(CLI::Range(1U, 1U << 24))
      ->group(kTraining);
  app.add_option("--epochs", o.epochs, "passes over the training nodes")
      ->check(CLI::Range(1, 1000000))
      ->group(kTraining);
  app.add_option("--optimizer", o.optimizer, "adam, adagrad or sgd")
      ->check(CLI::IsMember(Names{"adam", "adagrad", "sgd"}))
      ->group(kTraining);
  app.add_option("--learning-rate", o.learning_rate, "highest rate")
      ->check(CLI::Range(0.0, 1000.0))
      ->group(kTraining);
  app.add_option("--schedule", o.schedule, "how the rate falls: constant, linear or cosine")
      ->check(CLI::IsMember(Names{"constant", "linear", "cosine"}))
      ->group(kTraining);
  app.add_option("--weight-decay", o.network.weight_decay, "times the weights, added to gradients")
      ->check(CLI::Range(0.0, 10.0))
      ->group(kTraining);
  app.add_flag("--decay-first-only", o.network.decay_first_only,
               "decay the first layer's weights only, as GCN's authors do")
      ->group(kTraining);
  app.add_option("--patience", o.patience,
                 "end after so many epochs without a better validation; 0 = never")
      ->check(CLI::Range(0, 1000000))
      ->group(kTraining);
  app.add_option(
         "--select", o.select,
         "what the validation of the epoch that is kept is best in; auc is for two classes and "
         "links; links: accuracy is the mean reciprocal rank")
      ->check(CLI::IsMember(Names{"accuracy", "auc", "loss"}))
      ->group(kTraining);
  app.add_option("--eval-every", o.eval_every, "epochs from one validation to the next")
      ->check(CLI::Range(1, 1000000))
      ->group(kTraining);
  app.add_option("--eval-fanouts", o.eval_fanouts,
                 "neighbours to draw for validation and test; \"\" = exactly, from all of them")
      ->group(kTraining);
  app.add_option("--steps", o.steps, "end after so many mini-batches; 0 = all")->group(kTraining);
  app.add_option("--split", o.split, "which split, where the graph has several")->group(kTraining);
}

/// What an option needs to do something.
void add_train_conditions(CLI::App& app, TrainCommandOptions& o) {
  go_with(app, {"--aggregate"}, "--architecture sage", [&] { return o.model == "sage"; });
  go_with(app, {"--heads", "--output-heads", "--attention-dropout"}, "--architecture gat",
          [&] { return o.model == "gat"; });
  go_with(app, {"--train-epsilon"}, "--architecture gin", [&] { return o.model == "gin"; });
  go_with(app, {"--head-layers"}, "models but sage-ri", [&] { return o.model != "sage-ri"; });
  go_with(app, {"--decay-first-only"}, "--weight-decay",
          [&] { return o.train.network.weight_decay > 0; });
  go_with(app, {"--embedding", "--held-out", "--negatives", "--eval-negatives"}, "--task links",
          [&] { return o.train.task == "links"; });
  go_with(app, {"--split"}, "--task nodes", [&] { return o.train.task == "nodes"; });
}

TrainOptions complete_options(const TrainCommandOptions& o, const Run& run) {
  TrainOptions options = o.train;
  options.network.kind = gnn_kind_from_name(o.model);
  options.network.precision = run.precision();
  options.network.aggregate = sage_aggregate_from_name(o.aggregate);
  if (o.activation != "auto") {
    options.network.activation = activation_from_name(o.activation);
  } else if (options.network.kind == GnnKind::gat) {
    options.network.activation = ActivationKind::elu;
  } else if (options.network.kind == GnnKind::sage_ri) {
    options.network.activation = ActivationKind::leaky_relu;
  }
  options.residence = residence_from_name(o.residence);
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  return options;
}

double waiting_share(const TrainResult& r) {
  return r.waiting_seconds / std::max(1e-9, r.fit_seconds);
}

void add_result(const TrainResult& r, ordered_json& json) {
  json["nodes"] = r.facts.nodes;
  json["edges"] = r.facts.edges;
  json["parameters"] = r.facts.parameters;
  json["epochs"] = r.epochs;
  json["best_epoch"] = r.best_epoch;
  json["steps"] = r.steps;
  json["resumed_from_step"] = r.resumed_from;
  json["loss"] = r.loss;
  if (r.test) add_metrics(r.test->values, "test", json);
  if (r.validation) add_metrics(r.validation->values, "validation", json);
  json["epoch_seconds"] = r.median_epoch_seconds();
  json["epoch_cpu_seconds"] = r.epoch_cpu_seconds();
  json["waiting_share"] = waiting_share(r);
  json["sampled_edges"] = r.sampled_edges;
  json["sampled_nodes"] = r.sampled_nodes;
  json["read_seconds"] = r.read_seconds;
  json["fit_seconds"] = r.fit_seconds;
  json["eval_seconds"] = r.eval_seconds;
}

TrainObserver make_observer(const TrainOptions& options, Run& run,
                            std::unique_ptr<Progress>& progress) {
  TrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&options, &run, &progress](const TrainFacts& f) {
    const bool links = options.task == "links";
    run.say(std::to_string(f.nodes) + " nodes, " + std::to_string(f.edges) + " edges, " +
            std::to_string(f.features) + " features, " + std::to_string(f.outputs) +
            (links ? " numbers a node; links" : " classes; nodes") + " for training " +
            std::to_string(f.train_seeds) + ", validation " + std::to_string(f.valid_seeds) +
            ", test " + std::to_string(f.test_seeds));
    run.say(std::string(gnn_kind_name(options.network.kind)) + " with " +
            std::to_string(f.parameters) + " parameters");
    progress = run.progress("training", options.epochs, "epochs");
  };
  observer.progress = [&progress](double done, const std::string& note) {
    progress->update(done, note);
  };
  observer.validated = [&options, &run](int epoch, double loss, const TaskMetrics& m) {
    // Small graphs have hundreds of epochs.
    const int lines = 20;
    if (epoch % std::max(1, options.epochs / lines) != 0) return;
    std::string line = "epoch " + std::to_string(epoch) + ": loss " + format_number(loss, kDigits);
    for (const auto& [name, value] : m.values) {
      line += ", validation " + name + " " + format_number(value, kDigits);
    }
    run.say(line);
  };
  return observer;
}

ExitStatus run_train(const TrainCommandOptions& o, Run& run) {
  const double began = wall_seconds();
  const TrainOptions options = complete_options(o, run);
  handle_signals();
  run.reads(options.graph);
  run.writes(options.model);
  run.keeps(options.checkpoint);
  std::unique_ptr<Progress> progress;
  const TrainResult result = train(options, make_observer(options, run, progress));
  if (progress) progress->finish();
  add_result(result, run.result());
  run.result()["train_seconds"] = wall_seconds() - began;
  if (result.stopped) {
    fail_stopped("stopped at step " + std::to_string(result.steps), options.checkpoint);
  }
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  std::string line = std::to_string(result.epochs) + " epochs of " +
                     format_seconds(result.median_epoch_seconds()) + ", " +
                     format_number(100 * waiting_share(result), 3) + " % of it waiting";
  if (result.test) {
    line += metrics_text("test", result.test->values) + " (epoch " +
            std::to_string(result.best_epoch) + ")";
  }
  run.say(line);
  return ExitStatus::ok;
}

}  // namespace

Command train_command(TrainCommandOptions& o) {
  Command command;
  command.name = "train";
  command.summary = "train a graph neural network on sampled mini-batches";
  command.description =
      "Trains on the training nodes of a graph that has features, labels and a split, in "
      "mini-batches of sampled neighbourhoods: a layer a hop of --fanouts, so that -1,-1 trains "
      "two "
      "layers on whole neighbourhoods. Mini-batches are sampled ahead on the threads that train, "
      "while those have nothing better to do. After each epoch the validation nodes are "
      "classified, exactly or with --eval-fanouts; the epoch that does best is tested and "
      "written. With --task links no labels are needed: a model learns to tell edges from "
      "pairs of nodes at random, and is validated with edges that were held out.\n\n"
      "The model is the same to the last bit for any number of threads on the same kind of "
      "processor. With --checkpoint, a killed run goes on with --resume to the bits of an "
      "uninterrupted one. USR1 asks for a checkpoint now; TERM and INT for a checkpoint and the "
      "end of the run with exit status 75.\n\n"
      "With --json: nodes, edges, parameters, epochs, best_epoch, steps, resumed_from_step, loss, "
      "test_accuracy, test_macro_f1, test_log_loss (two classes: test_auc; several labels a node: "
      "test_micro_f1; links: test_mrr, test_hits_at_10 with as many negatives, test_auc, "
      "test_average_precision, "
      "test_log_loss), the same of validation, epoch_seconds (median, without validation; without "
      "a "
      "whole epoch by its steps), "
      "epoch_cpu_seconds, waiting_share, sampled_edges, sampled_nodes, read_seconds, fit_seconds, "
      "eval_seconds, "
      "train_seconds.";
  command.examples = {
      {"gnn-sample train GRAPH --architecture sage -o sage.model",
       "GraphSAGE with fanouts 15, 10, 5"},
      {"gnn-sample train GRAPH --architecture gcn --fanouts -1,-1 --hidden 64 --learning-rate 0.01 "
       "--weight-decay 5e-4 --epochs 200 -o gcn.model",
       "on whole neighbourhoods, for small graphs"},
      {"gnn-sample train GRAPH --config configs/salient-sage.yaml -o sage.model",
       "the settings of SALIENT"},
      {"gnn-sample train GRAPH --task links --fanouts 10,5 --held-out 0.1 -o links.model",
       "embeddings for edges that are missing"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("graph", o.train.graph, "graph of import or generate")
        ->required()
        ->type_name("GRAPH");
    app.add_option("-o,--output", o.train.model, "file for the model")
        ->required()
        ->type_name("FILE");
    add_task_options(app, o.train);
    add_network_options(app, o);
    add_sampling_options(app, o.train.sampling);
    add_training_options(app, o.train);
    add_residence_option(app, o.residence);
    add_train_conditions(app, o);
  };
  command.uses = {.seed = true, .precision = true, .device = true};
  command.trainer = &o.trainer;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::gnn
