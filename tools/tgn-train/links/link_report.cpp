#include "tools/tgn-train/links/link_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

const std::vector<std::string> kPairMetrics = {"average_precision", "auc",
                                               "average_precision_batch200", "auc_batch200"};
const std::vector<std::string> kMetrics = {
    "average_precision", "auc",       "average_precision_batch200",
    "auc_batch200",      "mrr",       "hits_at_1",
    "hits_at_3",         "hits_at_10"};

/// A line of the table. width: number of characters of the name's column.
std::string row(const std::string& name, std::size_t width, const std::vector<std::string>& cells) {
  constexpr std::size_t kCell = 10;
  std::string line = name;
  line.resize(width, ' ');
  for (const std::string& cell : cells) {
    line += "  " + std::string(cell.size() < kCell ? kCell - cell.size() : 0, ' ') + cell;
  }
  return line;
}

std::string cell(double value) {
  return std::isnan(value) ? "-" : format_number(value, kMetricDigits - 1);
}

std::vector<std::string> numbers(const LinkMetrics& test,
                                 const std::optional<LinkMetrics>& inductive) {
  return {cell(test.average_precision()), cell(test.auc()), cell(test.ap_batch()), cell(test.mrr()),
          cell(inductive ? inductive->ap_batch() : NAN)};
}

}  // namespace

std::string memory_text(bool of_model) { return of_model ? "model" : "anew"; }

void describe_tests(const ResultFields& f, const LinkTests& tests, Ranks ranks) {
  const auto& names = ranks == Ranks::may_be ? kMetrics : kPairMetrics;
  const auto add = [&](const std::string& when, const std::string& part,
                       const std::optional<LinkMetrics>& metrics) {
    f.when(when, metrics.has_value(), [&](const ResultFields& tested) {
      tested.add_metrics(part, metrics ? metrics->values() : NamedValues{}, names);
    });
  };
  add("test events", "test", tests.test);
  add("test events with a node that is not in the training events", "inductive",
      tests.inductive_test);
  // A mix was chosen and fitted by these events: its metrics of them flatter.
  const std::string fitted = "; the mix of a model was fitted to them";
  add("validation events" + fitted, "validation", tests.valid);
  add("validation events with a node that is not in the training events" + fitted,
      "inductive_validation", tests.inductive_valid);
  auto network = nlohmann::ordered_json::object();
  if (tests.network_test) {
    ResultFields(network).add_metrics("", tests.network_test->values(), names);
  }
  f.when("a model that answers with a mix", tests.network_test.has_value(),
         [&](const ResultFields& mixed) {
           mixed.add(
               "network", network,
               std::string("metrics of the network alone on the test events") +
                   (ranks == Ranks::may_be ? "; ranks only if it scored all destinations to rank"
                                           : ""));
         });
  if (ranks == Ranks::none) return;
  f.when("links ranked among negatives", tests.test && !std::isnan(tests.test->mrr()),
         [&](const ResultFields& ranked) {
           ranked.add("mrr", tests.test ? tests.test->mrr() : 0, "equals test_mrr");
         });
}

namespace {

nlohmann::ordered_json merit_object(const MixMerit& merit) {
  return {{"mrr", merit.mrr}, {"average_precision", merit.average_precision}};
}

std::string merit_text(const MixMerit& merit) {
  return "MRR " + cell(merit.mrr) + ", AP " + cell(merit.average_precision);
}

}  // namespace

void describe_mix(const ResultFields& f, const MixChoice& choice) {
  nlohmann::ordered_json mix = {{"start", choice.start},
                                {"fit_events", choice.fit_events},
                                {"choice_events", choice.choice_events},
                                {"heuristic", merit_object(choice.heuristic)},
                                {"network", merit_object(choice.network)},
                                {"mix", merit_object(choice.mixed)}};
  nlohmann::ordered_json& keys = mix["contributions"] = nlohmann::ordered_json::object();
  for (const auto& [name, loss] : choice.contributions) keys[name] = loss;
  f.when("keys that may not fit into memory", !choice.fits_memory, [](const ResultFields& refused) {
    refused.add("mix_fits_memory", false,
                "whether memory sufficed to choose a mix; the network alone answers");
  });
  f.when("--mix auto and enough validation events", choice.fit_events != 0,
         [&](const ResultFields& chosen) {
           chosen.add("predictor", choice.predictor,
                      "what the model answers with: mix, network or heuristic");
           chosen.add(
               "mix", mix,
               "choice of the predictor. start: the best order without learning. fit_events, "
               "choice_events: validation events that fitted the mix and that decided. "
               "heuristic, network, mix: estimated MRR among all destinations and "
               "average_precision of the deciding events. contributions: how much the mean "
               "of both falls without a key");
         });
}

std::string mix_text(const MixChoice& choice) {
  if (choice.fit_events == 0) return "";
  const std::string network = "the network (" + merit_text(choice.network) + ")",
                    start = choice.start + " (" + merit_text(choice.heuristic) + ")";
  if (choice.predictor == "network") {
    return "on " + format_count(choice.choice_events, "validation event") + ", " + network +
           " is better than a mix, and than the prediction without learning by " + start;
  }
  if (choice.predictor == "heuristic") {
    return "on " + format_count(choice.choice_events, "validation event") + ", " + network +
           " is below the prediction without learning by " + start +
           ", and so is a mix: the model answers with that prediction";
  }
  auto keys = choice.contributions;
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string most;
  constexpr std::size_t kShownKeys = 4;
  for (std::size_t i = 0; i < kShownKeys; ++i) {
    most += (i == 0 ? " " : ", ") + keys[i].first + " " + format_number(keys[i].second, 2);
  }
  return "the model answers with a mix of keys and network (" + merit_text(choice.mixed) + " on " +
         format_count(choice.choice_events, "validation event") + "), better than " + network +
         " and than " + start + "; most is lost without" + most;
}

void describe_baselines(const ResultFields& f, const std::vector<BaselineResult>& baselines) {
  auto all = nlohmann::ordered_json::object();
  for (const BaselineResult& baseline : baselines) {
    nlohmann::ordered_json& one = all[baseline.name];
    one["detail"] = baseline.detail;
    ResultFields(one).add_metrics("", baseline.test.values(), kMetrics);
    ResultFields(one).add_metrics("inductive", baseline.new_test.values(), kMetrics);
  }
  f.when("baselines", !baselines.empty(), [&](const ResultFields& tested) {
    tested.add("baselines", all,
               "predictions without learning: for each name an object with detail (how it "
               "predicts) and the metrics of the test events; names with inductive_ are metrics of "
               "test events with new nodes");
  });
}

std::vector<std::string> test_table(const LinkTests& tests,
                                    const std::vector<BaselineResult>& baselines) {
  std::size_t width = 18;
  for (const BaselineResult& baseline : baselines) width = std::max(width, baseline.name.size());
  std::vector<std::string> lines = {
      row("test", width, {"AP", "AUC", "AP of 200", "MRR", "AP of 200, new nodes"})};
  if (tests.test) {
    lines.push_back(row("this model", width, numbers(*tests.test, tests.inductive_test)));
  }
  if (tests.network_test) {
    lines.push_back(row("network alone", width, numbers(*tests.network_test, {})));
  }
  for (const BaselineResult& baseline : baselines) {
    lines.push_back(row(baseline.name, width, numbers(baseline.test, baseline.new_test)));
  }
  return lines;
}

std::string baseline_text(const LinkTests& tests, const std::vector<BaselineResult>& baselines) {
  const auto ap = [](const BaselineResult& b) { return b.test.average_precision(); };
  const auto best = std::max_element(
      baselines.begin(), baselines.end(),
      [&](const BaselineResult& a, const BaselineResult& b) { return ap(a) < ap(b); });
  if (!tests.test || best == baselines.end()) return "";
  const double model = tests.test->average_precision();
  if (!(ap(*best) > model)) return "";
  return "the baseline " + best->name + " (" + best->detail +
         "), without learning, is better: AP " + cell(ap(*best)) +
         " of the whole test, the model " + cell(model) + "; eval shows more of both";
}

std::string tests_text(const LinkTests& tests) {
  std::string text;
  if (tests.test) text += metrics_text("test", tests.test->values());
  if (tests.inductive_test) text += metrics_text("inductive", tests.inductive_test->values());
  return text;
}

}  // namespace frugal::tgn
