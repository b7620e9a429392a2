#include "tools/gnn-sample/run/train.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/libcore/parallel/test_ranks.h"
#include "tests/support/text_file.h"
#include "tests/tools/gnn-sample/inputs/small_graph.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("ranks that read other held-out edges do not train together") {
  // Neither pair is an edge: the graphs stay the same.
  const TextFile file("", ".safetensors"), first("1,2,test\n"), second("1,2,valid\n");
  write_document(file.path(), small_bare_graph());
  std::string message;
  ThreadRanks(2).run([&](Communicator& rank) {
    TrainOptions options;
    options.graph = file.path();
    options.task = "links";
    options.links.held_out_edges = rank.rank() == 0 ? first.path() : second.path();
    options.batch_size = 2;
    options.ranks = &rank;
    try {
      train(options, {});
    } catch (const Error& error) {
      if (rank.rank() != 0) return;
      message = error.what();
      // In a process of its own it would be ended; here it answers those that wait.
      any_of_ranks(rank, 0);
    }
  });
  CHECK(message.starts_with("rank 1 has 'held-out edges of hash "));
  CHECK(message.ends_with("expected the same of all ranks"));
}
