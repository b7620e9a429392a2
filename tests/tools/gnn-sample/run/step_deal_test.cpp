#include "tools/gnn-sample/run/step_deal.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/libcore/parallel/test_ranks.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("each mini-batch of an epoch is one rank's, in a round of its step") {
  constexpr std::uint64_t kBatches = 21, kEpochs = 3;
  for (const int n : {1, 2, 3, 4}) {
    for (const std::uint64_t accumulate : {1, 4, 8, 30}) {
      std::vector<int> takers(kBatches * kEpochs);
      std::vector<std::uint64_t> rounds(static_cast<std::size_t>(n));
      ThreadRanks ranks(n);
      std::mutex mutex;
      ranks.run([&](Communicator& me) {
        const StepDeal deal(me, kBatches, accumulate);
        std::uint64_t steps = deal.steps_per_epoch() * kEpochs, batches = 0;
        for (std::uint64_t step = 0; step < steps; ++step) {
          std::uint64_t mine = 0, with_one = 0;
          for (std::uint64_t b = 0; b < deal.num_batches(step); ++b) {
            const std::uint64_t batch = deal.first_batch(step) + b;
            if (!deal.is_mine(batch)) continue;
            ++mine;
            const std::lock_guard lock(mutex);
            ++takers[batch];
          }
          for (std::uint64_t r = 0; r < deal.rounds_per_step(); ++r) {
            with_one += deal.has(step * deal.rounds_per_step() + r) ? 1 : 0;
          }
          CHECK(with_one == mine);
          batches += deal.num_batches(step);
        }
        CHECK(batches == kBatches * kEpochs);
        rounds[static_cast<std::size_t>(me.rank())] = deal.rounds_per_step();
      });
      CHECK(takers == std::vector<int>(takers.size(), 1));
      CHECK(rounds == std::vector<std::uint64_t>(rounds.size(), rounds.front()));
    }
  }
}
