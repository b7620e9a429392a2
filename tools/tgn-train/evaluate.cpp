#include "tools/tgn-train/evaluate.h"

#include <memory>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "tools/tgn-train/evaluation/fixed_negatives.h"
#include "tools/tgn-train/model_file.h"

namespace frugal {
namespace {

/// The samplers of both parts, and what they look up.
class RankSource {
 public:
  RankSource(const EvalOptions& options, const LinkData& data);
  LinkRanks ranks() const { return {valid_.get(), test_.get()}; }

 private:
  void draw(const EvalOptions& options, const LinkData& data, NegativeKind kind);
  void read(const std::string& path, const LinkData& data);

  std::unique_ptr<SourceEvents> events_;
  std::unique_ptr<NegativeSampler> valid_, test_;
};

RankSource::RankSource(const EvalOptions& o, const LinkData& data) {
  if (o.ranks == "none") return;
  if (o.ranks == "uniform") {
    draw(o, data, NegativeKind::uniform);
  } else if (o.ranks == "historical") {
    draw(o, data, NegativeKind::historical);
  } else if (o.ranks == "all") {
    draw(o, data, NegativeKind::all);
  } else {
    read(o.ranks, data);
  }
}

void RankSource::draw(const EvalOptions& o, const LinkData& data, NegativeKind kind) {
  const EventView view = data.events();
  NegativeOptions drawn;
  drawn.kind = kind;
  drawn.count = o.num_ranked;
  events_ = std::make_unique<SourceEvents>(view);
  const auto make = [&](std::uint64_t part) {
    drawn.seed = o.seed + part;
    return std::make_unique<DrawnNegatives>(*events_, data.split().end(EventPart::train),
                                            distinct_destinations(view), drawn);
  };
  valid_ = make(0);
  test_ = make(1);
}

/// A file need not have negatives for validation.
void RankSource::read(const std::string& path, const LinkData& data) {
  const auto make = [&](const char* name, EventPart part) {
    return std::make_unique<FixedNegatives>(
        path, FixedNegatives::Part{name, data.split().begin(part), data.split().end(part)},
        data.stream().num_nodes());
  };
  if (FixedNegatives::has(path, "valid")) valid_ = make("valid", EventPart::valid);
  test_ = make("test", EventPart::test);
}

}  // namespace

EvalResult evaluate(const EvalOptions& options) {
  const double began = wall_seconds();
  EvalResult result;
  const Document document = read_document(options.model);
  StoredTgn stored = load_model(document, options.model, options.precision);
  const LinkData data(options.events, stored.split);
  check_inputs(stored, data.stream(), options.model);
  const EvaluationNegatives negatives(data.events(), data.parts(), stored.split.seed);
  const RankSource source(options, data);
  result.parameters = stored.model->num_parameters();
  StreamSession session(*stored.model, data.events(), data.training_neighbors(), data.features(),
                        stored.session);
  const double read = wall_seconds();
  result.read_seconds = read - began;
  result.tests = test_links(data, negatives, session, source.ranks(), stored.batch, options.batch);
  const double tested = wall_seconds();
  result.seconds = tested - read;
  if (options.baselines) {
    BaselineOptions baselines;
    baselines.valid_ranks = source.ranks().valid;
    baselines.test_ranks = source.ranks().test;
    result.baselines = evaluate_baselines(data.events(), data.parts(), negatives, baselines);
    result.baseline_seconds = wall_seconds() - tested;
  }
  return result;
}

}  // namespace frugal
