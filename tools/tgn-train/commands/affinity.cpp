#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/train/training_fields.h"
#include "tools/tgn-train/commands/tool.h"

namespace frugal::tgn {
namespace {

constexpr char kAverageHelp[] =
    "last (the node's last vector), moving_average_N (the mean of the last N, each divided by its "
    "sum), mean (of all, likewise), "
    "ema_R (exponential moving average: the last vector counts R), activity_D (square roots of the "
    "weights, times D at each further vector), global_R (exponential moving average over all "
    "nodes' vectors) and previous (the mean of all nodes in the period before)";

/// null where nothing was measured.
nlohmann::ordered_json measured(std::uint64_t vectors, double ndcg) {
  return vectors > 0 ? nlohmann::ordered_json(ndcg) : nlohmann::ordered_json(nullptr);
}

void describe_affinity_tests(const ResultFields& f, const AffinityTest& tests) {
  const auto add = [&f](const std::string& part, const AffinityMetrics& m) {
    f.add(part + "_known", m.known, "vectors of the " + part + " whose node had an earlier one");
    f.add(part + "_ndcg", measured(m.known, m.ndcg),
          "mean NDCG@10 of the " + part + " vectors of known nodes; null without any");
    f.add(part + "_ndcg_all", m.ndcg_all, "mean NDCG@10 of all " + part + " vectors");
    f.add(part + "_ndcg_by_time", m.ndcg_by_time,
          "mean over the periods of the " + part +
              " of the mean NDCG@10 of their vectors, as in the Temporal Graph Benchmark");
  };
  add("validation", tests.valid);
  add("test", tests.test);
}

void describe_predictor(const ResultFields& f, const AffinityModel& model) {
  f.add("predictor", model.mixes ? "mix" : "average", "what the model answers with");
  f.add(
      "average", model.average.name(),
      "the average with the best validation_ndcg; if that is null, the best on all of validation");
}

void describe_affinity_result(const ResultFields& f, const AffinityResult& r) {
  f.add("nodes", r.nodes, "number of nodes of the stream");
  f.add("classes", r.classes, "number of classes: destinations of the stream");
  f.add("periods", r.periods, "periods with vectors");
  f.add("vectors", r.vectors, "label vectors");
  constexpr const char* kParts[] = {"training", "validation", "test"};
  for (std::size_t p = 0; p < std::size(kParts); ++p) {
    f.add(std::string(kParts[p]) + "_vectors", r.parts[p],
          std::string("label vectors of the ") + kParts[p]);
  }
  f.add("valid_from", r.model.valid_from, "time at which validation begins");
  f.add("test_from", r.model.test_from, "time at which the test begins");
  describe_predictor(f, r.model);
  auto averages = nlohmann::ordered_json::object();
  for (std::size_t a = 0; a < r.averages.size(); ++a) {
    const auto& [valid, test] = r.averages[a];
    averages[all_averages()[a].name()] = {{"validation_ndcg", measured(valid.known, valid.ndcg)},
                                          {"test_ndcg", measured(test.known, test.ndcg)},
                                          {"test_ndcg_by_time", test.ndcg_by_time}};
  }
  f.add("averages", averages,
        std::string("NDCG@10 of the forecasts without learning: ") + kAverageHelp);
  f.when("a trained mix", r.mix.epochs > 0, [&](const ResultFields& mixed) {
    mixed.add("epochs", r.mix.epochs, "epochs trained");
    mixed.add("best_epoch", r.mix.best_epoch,
              "epoch whose gates the mix has; 0: no epoch was better than the untrained gates");
    mixed.add("mix_validation_ndcg", r.mix.best_ndcg,
              "mean NDCG@10 of the mix on validation vectors of known nodes");
    auto shares = nlohmann::ordered_json::object();
    for (std::size_t p = 0; p < kMixParts; ++p) {
      shares[r.model.mix.parts[p].name()] = r.shares[p];
    }
    mixed.add("shares", shares, "mean share of each average in the mix, on validation");
  });
  describe_affinity_tests(f, r.tests);
  f.add("read_seconds", r.read_seconds, "time of reading events and making vectors");
  f.add("fit_seconds", r.fit_seconds, "time of training the mix");
  f.add("eval_seconds", r.eval_seconds, "time of testing averages and model");
}

std::string ndcg_text(double ndcg) { return format_number(ndcg, 4); }
std::string known_text(const AffinityMetrics& m) {
  return m.known > 0 ? ndcg_text(m.ndcg) : "not measured";
}

std::string affinity_choice_text(const AffinityResult& r) {
  const auto place = std::find(all_averages().begin(), all_averages().end(), r.model.average);
  const double best =
      r.averages[static_cast<std::size_t>(place - all_averages().begin())].valid.choice();
  const std::string average = r.model.average.name() + " (" + ndcg_text(best) + ")";
  if (r.mix.epochs == 0) return "the model answers with the average " + average;
  const std::string mix = std::string("the mix ") +
                          (r.mix.best_epoch == 0 ? "with untrained gates (" : "(") +
                          ndcg_text(r.mix.best_ndcg) + " on validation)";
  if (!r.model.mixes) return mix + " is not better than " + average + ", which answers";
  std::string most;
  for (std::size_t p = 0; p < kMixParts; ++p) {
    most +=
        (p == 0 ? " " : ", ") + r.model.mix.parts[p].name() + " " + format_number(r.shares[p], 2);
  }
  return mix + " is better than " + average + " and answers; mean shares:" + most;
}

std::string affinity_test_text(const AffinityTest& tests) {
  return "validation NDCG@10 " + known_text(tests.valid) + ", test " + known_text(tests.test) +
         " (" + format_count(tests.test.known, "vector") + " of known nodes; all " +
         std::to_string(tests.test.all) + ": " + ndcg_text(tests.test.ndcg_all) +
         ", mean by time " + ndcg_text(tests.test.ndcg_by_time) + ")";
}

ExitStatus run_train_affinity(const AffinityOptions& given, Run& run) {
  AffinityOptions options = given;
  static_cast<TrainerSettings&>(options) = trainer_settings({}, run);
  run.reads(options.events);
  run.writes(options.model);
  AffinityObserver observer;
  observer.begun = [&](const AffinityResult& r) {
    run.say(format_count(r.vectors, "label vector") + " in " + format_count(r.periods, "period") +
            ", " + std::to_string(r.classes) + (r.classes == 1 ? " class" : " classes") +
            "; training " + std::to_string(r.parts[0]) + ", validation " +
            std::to_string(r.parts[1]) + ", test " + std::to_string(r.parts[2]));
  };
  observer.chose_average = [&](const AffinityResult& r) {
    for (std::size_t a = 0; a < r.averages.size(); ++a) {
      const Average& average = all_averages()[a];
      const auto family = static_cast<std::size_t>(average.family);
      if (r.model.mix.parts[family] != average) continue;
      run.say(average.name() + ": validation NDCG@10 " + known_text(r.averages[a].valid) +
              ", test " + known_text(r.averages[a].test));
    }
  };
  observer.trained = [&](int epoch, double loss, double ndcg) {
    run.log().step(epoch, {{"loss", loss}, {"validation_ndcg", ndcg}});
    run.say("epoch " + std::to_string(epoch) + ": loss " + format_number(loss, 5) +
            ", validation NDCG@10 " + ndcg_text(ndcg));
  };
  const AffinityResult result = train_affinity(options, observer);
  describe_affinity_result(ResultFields(run.result()), result);
  run.say(affinity_choice_text(result));
  run.say(affinity_test_text(result.tests));
  return ExitStatus::ok;
}

ExitStatus run_eval_affinity(const AffinityEvalOptions& given, Run& run) {
  AffinityEvalOptions options = given;
  options.history_entry = run.history_entry();
  run.reads(options.model);
  run.reads(options.events);
  run.writes(options.forecasts);
  const AffinityEvalResult result = evaluate_affinity(options);
  const ResultFields f(run.result());
  describe_predictor(f, result.model);
  describe_affinity_tests(f, result.tests);
  f.add("seconds", result.seconds, "");
  run.say(affinity_test_text(result.tests));
  return ExitStatus::ok;
}

ExitStatus run_predict_affinity(const AffinityPredictOptions& options, Run& run) {
  run.reads(options.model);
  run.reads(options.events);
  run.writes(options.output);
  const AffinityPredictResult result = predict_affinity(options);
  const ResultFields f(run.result());
  f.add("nodes", result.nodes, "");
  f.add("lines", result.lines, "");
  f.add("seconds", result.seconds, "");
  run.say(format_count(result.lines, "line") + " for " + format_count(result.nodes, "node"));
  return ExitStatus::ok;
}

void describe_train_affinity(const OptionFields& f, AffinityOptions& o) {
  f.add("events", o.events, "events file written by import or generate")
      .required()
      .metavar("EVENTS");
  f.add("-o,--output", o.model, "model file to write").required().metavar("FILE");
  f.add_duration("--every", o.vectors.every,
                 "length of a period in the unit of the stream's times, such as 7d for times in "
                 "seconds, from the first event on. 0: each distinct time is a period, as in files "
                 "of node labels");
  f.add("--weight", o.vectors.weight,
        "feature of the events that is their weight, by its name or its number from 1 on. auto: a "
        "feature with a name such as weight. none: each event counts 1");
  f.add("--valid-from", o.valid_from, "auto",
        "time at which validation begins. auto: the period of the vector at 0.70 of all");
  f.add("--test-from", o.test_from, "auto",
        "time at which the test begins. auto: the period of the vector at 0.85 of all");
  f.add_either("--mix", o.mixes, {true, false}, {"auto", "none"},
               "auto: train a mix of averages, and answer with it if validation finds it better "
               "than the best average. none: answer with the best average");
  const OptionFields training = f.going_with("--mix auto", [&o] { return o.mixes; });
  add_learning_rate(training, o.mix.learning_rate);
  add_epochs(training, o.mix.epochs, "maximum number of passes over the training vectors");
  add_patience(training, o.mix.patience);
  add_batch_size(training, o.mix.batch, "number of vectors in an optimiser step",
                 std::size_t{1} << 16);
}

constexpr char kAffinityTraining[] =
    "Forecasts how a node's attention will be divided among classes in the next period. Examples "
    "are a user's songs by genre and an author's commits by folder. Sources of events are the "
    "nodes, and destinations are the classes. For each period, and each node with events in it, "
    "the weights of the events are summed by class: a label vector. Means and moving averages are "
    "of vectors that are divided by their sums first: periods with many and few events count "
    "alike. The "
    "scores are computed from "
    "strictly earlier periods. This is the node affinity task of the Temporal Graph Benchmark. Its "
    "measure is NDCG@10 of the scores, with the weights as gains. Equal scores share their gains, "
    "as in scikit-learn.\n\n"
    "A stream of events needs --every. A file of node labels (time, node, class, weight) is "
    "imported as events with one feature, and without --every each of its times is a period.\n\n"
    "First, simple averages of earlier vectors are tested: the last vector, means, exponential "
    "moving averages, and averages over all nodes. Validation chooses the best one. Then a mix is "
    "trained that begins with it. The mix weighs the best average of each family by gates. The "
    "gates read five facts: the number of the node's vectors, the time since the last one, its "
    "weight, and two shares of classes. These are the classes of the last vector, and the classes "
    "of all its vectors so far, divided by the number of classes. So gates have 42 parameters, "
    "whatever the number of classes. The "
    "loss is the cross-entropy of a "
    "vector and its scores, weighted as in NDCG@10. The mix answers only if it is better on "
    "validation. Gates are fitted to the last 100,000 training vectors.\n\n"
    "Nodes without an earlier vector get the average over all nodes. Results are given for known "
    "nodes and for all. The model contains neither nodes nor classes. So eval-affinity and "
    "predict-affinity read the events again, and use it with longer streams, too.";

constexpr char kAffinityTest[] =
    "Tests a model of train-affinity on a stream: the vectors from the times on at which "
    "validation and test began in its training. --forecasts writes the tensors `scores` and "
    "`weights` of the "
    "test's vectors, [vectors, classes], for other programs. `nodes` and `times` say which they "
    "are; numbers of nodes are the stream's. `known` is 1 if the node has an earlier vector.";

constexpr char kAffinityForecast[] =
    "Forecasts the period after the last event of a stream with a model of train-affinity. The "
    "period of the last event is learned as if it were whole, so end the stream with a whole one. "
    "Writes a line node,class,score for each node and each of its --top-k highest classes, best "
    "first. Classes with the score 0 have no line, so a node can have fewer lines. Scores of a "
    "node have the sum 1 over all classes. Nodes without events are left out.";

}  // namespace

Command train_affinity_command(AffinityOptions& o) {
  Command command;
  command.name = "train-affinity";
  command.summary = "learn how nodes divide their events among classes";
  command.description = kAffinityTraining;
  command.examples = {
      {"tgn-train train-affinity EVENTS --every 7d -o affinity.model",
       "weekly vectors of a stream with times in seconds"},
      {"tgn-train import labels.csv --ids any --bipartite yes --sort -o labels.safetensors && "
       "tgn-train train-affinity labels.safetensors -o affinity.model",
       "a file of node labels with columns time, source, destination and weight"}};
  command.often = {"--every", "--weight", "--mix", "--valid-from", "--test-from"};
  command.describe = [&o](const OptionFields& f) { describe_train_affinity(f, o); };
  command.describe_results = [](const ResultFields& f) {
    describe_affinity_result(f, AffinityResult{});
  };
  command.uses = {.seed = true};
  command.run = [&o](Run& run) { return run_train_affinity(o, run); };
  return command;
}

Command eval_affinity_command(AffinityEvalOptions& o) {
  Command command;
  command.name = "eval-affinity";
  command.summary = "test a model of train-affinity";
  command.description = kAffinityTest;
  command.examples = {{"tgn-train eval-affinity affinity.model EVENTS", "NDCG@10 of the test"}};
  command.often = {"--forecasts"};
  command.describe = [&o](const OptionFields& f) {
    f.add("model", o.model, "model of train-affinity").required().metavar("MODEL");
    f.add("events", o.events, "events file written by import or generate")
        .required()
        .metavar("EVENTS");
    f.add("--forecasts", o.forecasts, "tensor file to write the test's scores and weights to")
        .metavar("FILE");
  };
  command.describe_results = [](const ResultFields& f) {
    describe_predictor(f, AffinityModel{});
    describe_affinity_tests(f, AffinityTest{});
    f.add("seconds", 0, "time of reading and testing");
  };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_eval_affinity(o, run); };
  return command;
}

Command predict_affinity_command(AffinityPredictOptions& o) {
  Command command;
  command.name = "predict-affinity";
  command.summary = "forecast how nodes divide their next events";
  command.description = kAffinityForecast;
  command.examples = {{"tgn-train predict-affinity affinity.model EVENTS --top-k 3 -o next.csv",
                       "the three most likely classes of each node"}};
  command.often = {"--top-k", "--output"};
  command.describe = [&o](const OptionFields& f) {
    f.add("model", o.model, "model of train-affinity").required().metavar("MODEL");
    f.add("events", o.events, "events file written by import or generate")
        .required()
        .metavar("EVENTS");
    f.add("-o,--output", o.output, "text file to write; - is stdout").metavar("FILE");
    f.add("--top-k", o.top, "classes to write for each node")
        .range(std::size_t{1}, std::size_t{1} << 32);
  };
  command.describe_results = [](const ResultFields& f) {
    f.add("nodes", 0, "nodes with forecasts");
    f.add("lines", 0, "lines written");
    f.add("seconds", 0, "time of reading and forecasting");
  };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_predict_affinity(o, run); };
  return command;
}

}  // namespace frugal::tgn
