#include "tools/sparse-train/options_training.h"

#include <CLI/CLI.hpp>

#include "libcore/cli/conditions.h"
#include "libcore/cli/tool.h"

namespace frugal::sparse {

namespace {

/// What an option needs to do something; the data choose with --output auto.
void add_conditions(CLI::App& app, const TrainSettings& s) {
  go_with(app,
          {"--lsh-hash", "--lsh-k", "--lsh-tables", "--lsh-range", "--lsh-bucket",
           "--lsh-bucket-policy", "--lsh-mode", "--lsh-active", "--lsh-threshold",
           "--lsh-min-active", "--lsh-correct-sampling", "--lsh-rebuild", "--lsh-rebuild-growth",
           "--lsh-rebuild-steps", "--lsh-new-hashes", "--lsh-freeze-after", "--lsh-hard"},
          "--output lsh or shared", [&s] { return s.output == "lsh" || s.output == "shared"; });
  go_with(app,
          {"--trees", "--tree-cost", "--tree-prune", "--tree-arity", "--tree-second-arity",
           "--tree-root-clusters", "--leaf-size", "--tree-depth", "--beam", "--tree-tolerance",
           "--tree-sweeps", "--tree-bias"},
          "--output tree, hybrid or auto",
          [&s] { return s.output == "tree" || s.output == "hybrid" || s.output == "auto"; });
  go_with(
      app,
      {"--layers", "--dropout", "--activation", "--find-learning-rate", "--schedule", "--warm-up",
       "--optimizer", "--hidden", "--epochs", "--learning-rate", "--batch-size", "--loss"},
      "networks, not with --output tree", [&s] { return s.output != "tree"; });
  go_with(app, {"--lsh-threshold"}, "--lsh-mode threshold",
          [&s] { return s.lsh.mode == "threshold"; });
  go_with(app, {"--lsh-active"}, "--lsh-mode vanilla or top-k",
          [&s] { return s.lsh.mode != "threshold"; });
  go_with(app, {"--negatives", "--correct-sampling"}, "--output shared, hybrid or auto",
          [&s] { return s.output == "shared" || s.output == "hybrid" || s.output == "auto"; });
}

}  // namespace

void add_network_options(CLI::App& app, TrainOptions& options) {
  constexpr char kGroup[] = "Network and training";
  TrainSettings& s = options.settings;
  app.add_option(
         "--output", s.output,
         "dense = a network that computes all outputs. shared = those of its batch and some "
         "drawn at random. lsh = those that hash tables find. tree = linear label trees. "
         "hybrid = the mean of trees and a network. auto = for text by --search. Otherwise auto is "
         "hybrid or tree for several labels an example, dense or shared for one, by the number of "
         "labels")
      ->check(CLI::IsMember(Names{"auto", "dense", "shared", "lsh", "tree", "hybrid"}))
      ->group(kGroup);
  app.add_option("--loss", s.loss, "softmax, or ova = a yes or no for each label")
      ->check(CLI::IsMember(Names{"auto", "softmax", "ova"}))
      ->group(kGroup);
  app.add_option("--hidden", s.hidden, "hidden units; 0 = by the data")
      ->check(CLI::Range(0, 4096))
      ->group(kGroup);
  app.add_option("--layers", s.layers, "units of further hidden layers, separated by commas (none)")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->group(kGroup);
  app.add_option("--dropout", s.dropout,
                 "share of the hidden units that a step leaves out; -1 = by the data")
      ->check(CLI::Range(-1.0, 0.95))
      ->group(kGroup);
  app.add_option("--activation", s.activation, "of the hidden units")
      ->check(CLI::IsMember(Names{"auto", "linear", "relu"}))
      ->group(kGroup);
  app.add_option("--epochs", s.epochs, "passes over the data; 0 = by its size")
      ->check(CLI::Range(0, 100000))
      ->group(kGroup);
  app.add_option("--batch-size", s.batch_size, "examples a step; 0 = by the data")
      ->check(CLI::Range(0, 65536))
      ->group(kGroup);
  app.add_option("--learning-rate", s.learning_rate, "highest rate; 0 = by the data")
      ->check(CLI::Range(0.0, 1000.0))
      ->group(kGroup);
  app.add_flag("--find-learning-rate", s.find_learning_rate,
               "look for the best rate near that one in short trainings on part of the data")
      ->group(kGroup);
  app.add_option("--schedule", s.schedule, "how the learning rate falls")
      ->check(CLI::IsMember(Names{"constant", "linear", "cosine"}))
      ->group(kGroup);
  app.add_option("--warm-up", s.warm_up, "share of the steps in which the rate rises")
      ->check(CLI::Range(0.0, 1.0))
      ->group(kGroup);
  app.add_option("--optimizer", s.optimizer,
                 "adagrad keeps one sum for each row of a table, adam two values for each "
                 "parameter; auto = "
                 "adam where all outputs of several labels are computed")
      ->check(CLI::IsMember(Names{"auto", "adagrad", "adam", "sgd"}))
      ->group(kGroup);
  app.add_option("--negatives", s.negatives,
                 "shared: labels drawn for each batch; 0 = by their number")
      ->group(kGroup);
  app.add_option("--label-weights", s.label_weights,
                 "shared: bf16 = half of the memory and model file for the rows of labels, rounded "
                 "at random; for so many labels that their rows are most of what is there")
      ->check(CLI::IsMember(Names{"f32", "bf16"}))
      ->group(kGroup);
  app.add_flag("--correct-sampling,!--no-correct-sampling", s.correct_sampling,
               "shared: correct for the probability of a label to be drawn")
      ->default_str("true")
      ->group(kGroup);
  app.add_flag("--normalize,!--no-normalize", options.normalize,
               "scale the features of each example to length 1")
      ->default_str("true")
      ->group(kGroup);
  app.add_flag("--search,!--no-search", options.search,
               "text: choose on held-out examples what is left to the data: n-grams, --min-count, "
               "trees or a network, --tree-cost, --tree-prune")
      ->default_str("true")
      ->group(kGroup);
  app.add_option(
         "--calibration", options.calibration,
         "held-out = a fifth of the examples, held out of a second training or of the search's "
         "trial, says from which score on a label is predicted, and makes scores probabilities; "
         "none; auto = "
         "held-out for several labels an example and up to 2,000 in all")
      ->check(CLI::IsMember(Names{"auto", "held-out", "none"}))
      ->group(kGroup);
  add_lsh_options(app, s.lsh);
  add_tree_options(app, s);
  add_conditions(app, s);
  goes_with(app.get_option("--calibration"),
            "a new model; that of --init keeps the thresholds that it has",
            [&options] { return options.init.empty(); });
}

}  // namespace frugal::sparse
