// Ranks that do not begin the same exchanges, for states.sh:
//   rank_exchanges KIND    pair: a sum and a gather; cycle: each swaps with the next rank; length:
//   another number of
//                          bytes; late: the last rank comes after three seconds, which is no fault
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/parallel/join.h"

namespace {

void exchange(frugal::Communicator& ranks, const std::string& kind) {
  const int rank = ranks.rank(), next = (rank + 1) % ranks.size();
  std::vector<std::byte> bytes(static_cast<std::size_t>(kind == "length" && rank == 1 ? 16 : 8));
  std::array<float, 4> values{1, 1, 1, 1};
  if (kind == "pair" && rank == 1) frugal::any_of_ranks(ranks, 0);
  if (kind == "pair") ranks.all_reduce_sum(values);
  if (kind == "cycle") ranks.send(bytes, rank, next);
  if (kind == "length") ranks.send(bytes, 0, 1);  // the second rank has room for more
  if (kind == "late" && next == 0) sleep(3);
  if (kind == "late") ranks.all_reduce_sum(values);
  std::printf("the sum is %g\n", static_cast<double>(values[0]));
}

}  // namespace

int main(int argc, char** argv) {
  frugal::set_log(frugal::LogLevel::quiet, "rank_exchanges");
  const auto ranks = frugal::join_ranks();
  exchange(*ranks, argc > 1 ? argv[1] : "");
  return 0;
}
