#include "tools/tgn-train/affinity/training.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/metrics/ndcg.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/train/training_run.h"

namespace frugal::tgn {
namespace {

constexpr double kTrainUntil = 0.70, kValidUntil = 0.85;

/// Time of the period of the vector at a quantile.
double quantile_time(const LabelVectors& vectors, double quantile) {
  const auto vector = static_cast<std::size_t>(quantile * static_cast<double>(vectors.size()));
  return vectors.time(vectors.period(vector));
}

/// Tests all averages, in one pass.
std::vector<AffinityTest> test_averages(const LabelVectors& vectors, const AffinitySplit& split) {
  const auto averages = all_averages();
  std::vector<AffinityTally> tallies(2 * averages.size());
  std::vector<std::vector<float>> shared(averages.size());
  std::vector<float> scores(vectors.num_classes());
  visit_vectors(
      vectors, split.valid,
      [&](std::uint32_t, const AverageHistory& history) {
        for (AffinityTally& tally : tallies) tally.begin_period();
        for (std::size_t a = 0; a < averages.size(); ++a) {
          if (averages[a].family >= AverageFamily::global) shared[a] = history.shared(averages[a]);
        }
      },
      [&](std::size_t v, const AverageHistory& history, std::span<const float> weights) {
        const bool tests = vectors.period(v) >= split.test;
        const NodeId node = vectors.node(v);
        for (std::size_t a = 0; a < averages.size(); ++a) {
          std::fill(scores.begin(), scores.end(), 0.0F);
          if (shared[a].empty()) history.add(averages[a], node, 1, scores);
          tallies[2 * a + (tests ? 1 : 0)].add(
              history.knows(node), ndcg_at(AffinityTally::kRanks,
                                           shared[a].empty() ? std::span<const float>(scores)
                                                             : std::span<const float>(shared[a]),
                                           weights));
        }
      });
  std::vector<AffinityTest> tests;
  for (std::size_t a = 0; a < averages.size(); ++a) {
    tests.push_back({tallies[2 * a].metrics(), tallies[2 * a + 1].metrics()});
  }
  return tests;
}

/// Sets the best average, and the best one of each family, by validation; of equal ones the first.
void choose_averages(const std::vector<AffinityTest>& tests, AffinityModel& model) {
  const auto averages = all_averages();
  std::array<double, kMixParts> best = {};
  best.fill(-1);
  double most = -1;
  for (std::size_t a = 0; a < averages.size(); ++a) {
    const auto family = static_cast<std::size_t>(averages[a].family);
    const double ndcg = tests[a].valid.choice();
    if (ndcg > best[family]) {
      best[family] = ndcg;
      model.mix.parts[family] = averages[a];
    }
    if (ndcg > most) {
      most = ndcg;
      model.average = averages[a];
    }
  }
}

/// First of the periods [begin, end) with the last `most` vectors.
std::uint32_t first_queried(const LabelVectors& vectors, std::uint32_t begin, std::uint32_t end,
                            std::size_t most) {
  while (begin + 1 < end && vectors.begin(end) - vectors.begin(begin) > most) ++begin;
  return begin;
}

/// Bytes of the queries of periods [begin, end), at most.
std::uint64_t query_bytes(const LabelVectors& vectors, std::uint32_t begin, std::uint32_t end) {
  std::vector<std::vector<std::uint32_t>> classes(vectors.num_nodes());
  std::uint64_t total =
      std::uint64_t{end - begin} * kSharedParts * vectors.num_classes() * sizeof(float);
  for (std::size_t v = 0; v < vectors.begin(end); ++v) {
    std::vector<std::uint32_t>& had = classes[vectors.node(v)];
    if (v >= vectors.begin(begin)) {
      total += sizeof(AffinityQuery) + had.size() * (sizeof(had[0]) + kOwnParts * sizeof(float));
    }
    const auto more = vectors.classes(v);
    std::vector<std::uint32_t> all;
    std::set_union(had.begin(), had.end(), more.begin(), more.end(), std::back_inserter(all));
    had = std::move(all);
  }
  return total;
}

/// Collects the forecasts of known nodes in periods [begin, end): the last `most`.
AffinityQueries collect_queries(const LabelVectors& vectors, const AverageMix& mix,
                                std::uint32_t begin, std::uint32_t end, std::size_t most) {
  begin = first_queried(vectors, begin, end, most);
  AffinityQueries collected;
  collected.shared.resize(vectors.num_periods());
  visit_vectors(
      vectors, begin,
      [&](std::uint32_t period, const AverageHistory& history) {
        if (period < end) collected.shared[period] = shared_parts(mix, history);
      },
      [&](std::size_t v, const AverageHistory& history, std::span<const float>) {
        const NodeId node = vectors.node(v);
        const std::uint32_t period = vectors.period(v);
        if (period >= end || !history.knows(node)) return;
        AffinityQuery query{v, period, history.facts(node, vectors.when(period)), {}};
        history.read(std::span(mix.parts).first(kOwnParts), node, query.own);
        collected.queries.push_back(std::move(query));
      });
  return collected;
}

/// Fails (unavailable) before a training that memory does not suffice for.
void check_query_memory(const LabelVectors& vectors, const AffinitySplit& split, std::size_t most) {
  const std::uint32_t first = first_queried(vectors, 0, split.valid, most);
  check_memory(
      "training a mix on " + format_count(split.test - first, "period") + " of " +
          std::to_string(vectors.num_classes()) + " classes" +
          " (--mix none needs less, and so do longer periods)",
      query_bytes(vectors, first, split.valid) + query_bytes(vectors, split.valid, split.test));
}

AverageMix::Shares mean_shares(const AverageMix& mix, const AffinityQueries& of) {
  AverageMix::Shares mean = {};
  for (const AffinityQuery& query : of.queries) {
    const auto shares = mix.shares(query.facts);
    for (std::size_t p = 0; p < kMixParts; ++p) {
      mean[p] += shares[p] / static_cast<float>(of.queries.size());
    }
  }
  return mean;
}

void write_model(const AffinityOptions& options, const AffinityModel& model) {
  if (options.model.empty()) return;
  Document document;
  model.save(document);
  check_finite(document, options.model);
  write_trained_model(std::move(document), options, options.model);
}

/// Trains the mix, and decides whether it answers.
void train_gates(const AffinityOptions& options, const LabelVectors& vectors,
                 const AffinitySplit& split, const AffinityObserver& observer,
                 AffinityResult& result) {
  AffinityModel& model = result.model;
  const AffinityQueries train =
      collect_queries(vectors, model.mix, 0, split.valid, options.mix.most_queries);
  // All of validation, as the averages that the mix is compared with are tested on all of it.
  const AffinityQueries valid =
      collect_queries(vectors, model.mix, split.valid, split.test, vectors.size());
  if (train.queries.empty() || valid.queries.empty()) return;
  MixTrainingOptions mix = options.mix;
  mix.seed = options.seed;
  result.mix =
      train_mix(model.mix, model.average.family, {vectors, train, valid}, mix, observer.trained);
  result.shares = mean_shares(model.mix, valid);
  double best = 0;
  for (const AffinityTest& test : result.averages) best = std::max(best, test.valid.choice());
  model.mixes = result.mix.best_ndcg > best;
}

/// Most streams of events have a time of its own for each event.
void warn_of_short_periods(const LabelVectors& vectors, double every) {
  if (every > 0 || vectors.size() >= 2 * vectors.num_periods()) return;
  log_warning(format_count(vectors.size(), "label vector"), " in ",
              format_count(vectors.num_periods(), "period"),
              ": without --every, each distinct time is a period; give its length, such as "
              "--every 7d for times in seconds");
}

}  // namespace

AffinitySplit split_vectors(const LabelVectors& vectors, const AffinityModel& model,
                            const std::string& path) {
  const AffinitySplit split{vectors.first_from(model.valid_from),
                            vectors.first_from(model.test_from),
                            static_cast<std::uint32_t>(vectors.num_periods())};
  const bool trains = model.vectors.model.empty();
  if (model.test_from < model.valid_from) {
    fail(trains ? ExitStatus::usage : ExitStatus::bad_input, trains ? path : model.vectors.model,
         ": validation begins at ", format_number(model.valid_from), " and the test at ",
         format_number(model.test_from), ", expected validation before the test",
         trains ? ": --valid-from and --test-from are in the wrong order" : "");
  }
  if (split.valid > 0 && split.valid < split.test && split.test < split.end) return split;
  fail(ExitStatus::bad_input, path, ": of ", format_count(split.end, "period"), " with events, ",
       split.valid, " are before validation and ", split.end - std::min(split.test, split.end),
       " in the test, expected one or more in training, validation and test; ",
       trains ? "--every, --valid-from and --test-from change them"
              : model.vectors.model + " has the times of validation and test in its training: " +
                    format_number(model.valid_from) + " and " + format_number(model.test_from));
}

AffinityTest test_affinity(const LabelVectors& vectors, const AffinityModel& model,
                           const AffinitySplit& split, const ForecastVisitor& visit) {
  AffinityTally valid, test;
  std::vector<float> shared, scores(vectors.num_classes());
  visit_vectors(
      vectors, split.valid,
      [&](std::uint32_t, const AverageHistory& history) {
        valid.begin_period();
        test.begin_period();
        shared = shared_parts(model.mix, history);
      },
      [&](std::size_t v, const AverageHistory& history, std::span<const float> weights) {
        const bool tests = vectors.period(v) >= split.test;
        const NodeId node = vectors.node(v);
        model.score(history, node, vectors.when(vectors.period(v)), shared, scores);
        (tests ? test : valid)
            .add(history.knows(node), ndcg_at(AffinityTally::kRanks, scores, weights));
        if (visit) visit(tests, history.knows(node), v, scores, weights);
      });
  return {valid.metrics(), test.metrics()};
}

AffinityResult train_affinity(const AffinityOptions& options, const AffinityObserver& observer) {
  const double began = wall_seconds();
  check_outputs(options, options.model);
  const EventStream stream(options.events);
  const LabelVectors vectors(stream, options.vectors);
  AffinityResult result;
  AffinityModel& model = result.model;
  model.vectors = options.vectors;
  model.vectors.weight = vectors.weight();
  warn_of_short_periods(vectors, options.vectors.every);
  model.valid_from = options.valid_from.value_or(quantile_time(vectors, kTrainUntil));
  model.test_from = options.test_from.value_or(quantile_time(vectors, kValidUntil));
  const AffinitySplit split = split_vectors(vectors, model, options.events);
  result.nodes = vectors.num_nodes();
  result.classes = vectors.num_classes();
  result.periods = vectors.num_periods();
  result.vectors = vectors.size();
  result.parts[0] = vectors.begin(split.valid);
  result.parts[1] = vectors.begin(split.test) - vectors.begin(split.valid);
  result.parts[2] = vectors.size() - vectors.begin(split.test);
  result.read_seconds = wall_seconds() - began;
  observer.begun(result);
  const double read = wall_seconds();
  if (options.mixes) check_query_memory(vectors, split, options.mix.most_queries);
  result.averages = test_averages(vectors, split);
  if (result.averages[0].valid.known == 0) {
    log_warning("no node of validation has an earlier vector; all ", result.parts[1],
                " vectors of validation choose the average");
  }
  choose_averages(result.averages, model);
  observer.chose_average(result);
  const double chosen = wall_seconds();
  if (options.mixes) train_gates(options, vectors, split, observer, result);
  const double fitted = wall_seconds();
  result.tests = test_affinity(vectors, model, split);
  write_model(options, model);
  result.fit_seconds = fitted - chosen;
  result.eval_seconds = chosen - read + wall_seconds() - fitted;
  return result;
}

}  // namespace frugal::tgn
