// Answers of a text against eval's scores of the same events.
#include "tools/tgn-train/serve/predict.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/streams/line_reader.h"
#include "libcore/system/signals.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/making/import.h"
#include "tools/tgn-train/model/model_file.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kPredictedEvents = 400, kFeatures = 2;

std::string line_of(std::size_t e, Rng& rng) {
  const auto user = [&] { return rng.below(2) == 0 ? 3 : rng.below(20); };
  std::string line = std::to_string(user()) + "," + std::to_string(rng.below(9)) + "," +
                     std::to_string(100 + e / 2);
  for (std::size_t f = 0; f < kFeatures; ++f) line += "," + std::to_string(rng.below(7));
  return line + "\n";
}

void import_text(const std::string& text, const std::string& output) {
  const TextFile input(text, ".csv");
  ImportOptions options;
  options.events = input.path();
  options.output = output;
  options.bipartite = "yes";
  options.history_entry = "{}";
  import_events(options, [](const std::string&, std::uint64_t) {});
}

/// A stream, split by its own quantiles, a model, and the parts as files.
class Data {
 public:
  explicit Data(MemoryMode mode) {
    Rng rng(4, 4);
    const std::string header = "src,dst,time,a,b\n";
    std::vector<std::string> lines;
    for (std::size_t e = 0; e < kPredictedEvents; ++e) lines.push_back(line_of(e, rng));
    import_text(header + std::accumulate(lines.begin(), lines.end(), std::string()), events.path());
    stored.model = std::make_unique<TgnModel>(make_model(small_options(), {kFeatures}));
    stored.session.mode = mode;
    stored.split.new_nodes = 0;
    stored.batch = stored.window = 16;
    Document document;
    save_model(stored, document);
    write_document(model.path(), document);
    data = std::make_unique<LinkData>(events.path(), stored.split);
    std::string past = header;
    for (std::size_t e = 0; e < kPredictedEvents; ++e) {
      const auto event = static_cast<EventId>(e);
      if (event < data->split().end(EventPart::train)) past += lines[e];
      if (event >= data->split().begin(EventPart::valid) &&
          event < data->split().end(EventPart::valid)) {
        valid += lines[e];
      }
    }
    import_text(past, history.path());
  }

  /// Logits of the validation part's events and of their negatives, as eval has them.
  std::vector<std::array<float, 2>> eval_logits(const EvaluationNegatives& negatives) {
    StreamSession session(*stored.model, data->events(), data->training_neighbors(),
                          data->features(), stored.session);
    session.restart(Weights::fixed);
    learn_training(*data, session, 0, stored.batch);
    std::vector<std::array<float, 2>> logits;
    const LinkObserver observer = [&](EventId, float link, NodeId, float negative) {
      logits.push_back({link, negative});
    };
    LinkEvaluation(*data, negatives, session, {.batch = stored.batch, .observer = observer})
        .run(EventPart::valid, false, nullptr);
    return logits;
  }

  TgnModelFile stored;
  std::unique_ptr<LinkData> data;
  std::string valid;
  TextFile events{"", ".safetensors"}, history{"", ".safetensors"}, model{"", ".model"};
};

/// A probability as answers have it: that of the same pair is the same.
double as_answered(float logit) {
  const double probability = 1 / (1 + std::exp(-static_cast<double>(logit)));
  return parse_number<double>(format_number(probability, 7)).value_or(-1);
}

std::vector<double> answers(const Data& data, std::size_t batch) {
  const TextFile input(data.valid, ".csv"), output("", ".txt");
  PredictOptions options;
  options.model = data.model.path();
  options.history = data.history.path();
  options.events = input.path();
  options.output = output.path();
  options.batch = batch;
  const PredictResult result = predict_events(options);
  std::vector<double> scores;
  LineReader reader(output.path());
  for (std::string_view line; reader.next(line);) {
    scores.push_back(parse_number<double>(split(line, ',').back()).value_or(-1));
  }
  CHECK(result.events == scores.size());
  return scores;
}

}  // namespace

TEST_CASE("a memory that is no mode's is refused") {
  const Data data(MemoryMode::window);
  Document document = read_document(data.model.path());
  document.metadata["tgn.memory"] = "moment";
  CHECK(error_of([&] { load_model(std::move(document), "m"); }) ==
        "65 m: metadata 'tgn.memory' is 'moment', expected one of window, exact, read");
}

TEST_CASE("a stop within the history has no checkpoint to go on from") {
  const Data data(MemoryMode::window);
  const TextFile input(data.valid, ".csv"), output("", ".txt");
  const pid_t child = fork();  // a signal changes the state of the whole process
  if (child == 0) {
    set_num_threads(1);  // those of the parent are not here
    handle_signals();
    raise(SIGTERM);
    PredictOptions options;
    options.model = data.model.path();
    options.history = data.history.path();
    options.events = input.path();
    options.output = output.path();
    const std::string error = error_of([&] { predict_events(options); });
    _exit(error == "143 stopped within " + options.history ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a model of messages with embeddings that claims another memory is refused") {
  const Data data(MemoryMode::window);
  Document document = read_document(data.model.path());
  document.metadata["tgn.dyrep"] = "true";
  CHECK(error_of([&] { load_model(std::move(document), "m"); }) ==
        "65 m: dyrep with memory window, expected exact");
}

TEST_CASE("the validation part behind the training part has eval's scores and precision") {
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact}) {
    Data data(mode);
    const EvaluationNegatives negatives(data.data->events(), data.data->parts(), 0);
    const auto want = data.eval_logits(negatives);
    StreamSession session(*data.stored.model, data.data->events(), data.data->training_neighbors(),
                          data.data->features(), data.stored.session);
    session.restart(Weights::fixed);
    learn_training(*data.data, session, 0, data.stored.batch);
    const LinkMetrics eval =
        LinkEvaluation(*data.data, negatives, session, {.batch = data.stored.batch})
            .run(EventPart::valid, false, nullptr);
    for (const std::size_t batch : {0U, 1U, 7U}) {
      if (mode != MemoryMode::window && batch != 0) continue;
      const std::vector<double> got = answers(data, batch);
      REQUIRE(got.size() == want.size());
      REQUIRE(got.size() > 40);
      LinkMetrics metrics;
      double largest = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        largest = worse(largest, std::abs(got[i] - as_answered(want[i][0])));
        metrics.add(static_cast<float>(got[i]), static_cast<float>(as_answered(want[i][1])));
      }
      CHECK(largest < 1e-6);
      CHECK(metrics.average_precision() == doctest::Approx(eval.average_precision()).epsilon(1e-3));
    }
  }
}
