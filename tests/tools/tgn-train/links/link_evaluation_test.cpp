#include "tools/tgn-train/links/link_evaluation.h"

#include <doctest/doctest.h>

#include "tests/tools/tgn-train/generated_stream.h"
#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// Number of destinations to rank among, of 50.
constexpr std::uint64_t kRanked = 20;
constexpr double kScale = 4;

/// The mean reciprocal rank of validation with a mix of keys in which the network has no share.
double mrr_of(const GeneratedStream& stream, const KeyMix& keys, std::size_t shortlist) {
  const LinkData& data = *stream.data;
  TgnModel model = make_model(small_options(), {2, false, 0});
  StreamSession session(model, data.events(), data.training_neighbors(), data.features(), {});
  learn_anew(data, session, 50);
  const EvaluationNegatives negatives(data.events(), data.parts(), 1);
  const SourceEvents sources(data.events());
  const DrawnNegatives ranks(sources, data.split().end(EventPart::train),
                             distinct_destinations(data.events()),
                             {NegativeKind::uniform, kRanked, 3});
  const LinkMix mix{keys, keys, 1};
  return LinkEvaluation(data, negatives, session,
                        {.batch = 50, .mix = &mix, .shortlist = shortlist})
      .run(EventPart::valid, false, &ranks)
      .mrr();
}

KeyMix start_of(std::size_t number) {
  std::array<std::array<float, 2>, kMixInputs> ranges;
  ranges.fill({0, 8});
  return {mix_starts()[number], ranges};
}

}  // namespace

TEST_CASE(
    "Candidates that are all level share the middle rank, whatever the shortlist leaves out") {
  const GeneratedStream stream(kScale);
  KeyMix level = start_of(0);
  level.scale = 0;
  for (const std::size_t shortlist : {1U, 5U, 19U, 20U, 21U, 1000U}) {
    CAPTURE(shortlist);
    CHECK(mrr_of(stream, level, shortlist) == doctest::Approx(1 / (1 + kRanked / 2.0)));
  }
}

TEST_CASE("Ranks by keys alone do not depend on the length of the shortlist") {
  const GeneratedStream stream(kScale);
  // The first start has few candidates that are level, the tenth many.
  for (const std::size_t start : {0U, 9U}) {
    const double all = mrr_of(stream, start_of(start), 1000);
    CHECK(all > 0.1);
    for (const std::size_t shortlist : {1U, 7U, 20U}) {
      CHECK(mrr_of(stream, start_of(start), shortlist) == doctest::Approx(all));
    }
  }
}
