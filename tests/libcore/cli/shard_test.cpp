#include "libcore/cli/shard.h"

#include <doctest/doctest.h>

#include "test_tool.h"

using namespace frugal;
using test::ScopedVariable;

TEST_CASE("a shard is given as i/n, counted from 0") {
  CHECK(resolve_shard("").count == 1);
  CHECK(resolve_shard("2/4").index == 2);
  CHECK(resolve_shard("2/4").count == 4);
  for (const char* text : {"4/4", "-1/4", "1", "1/2/3", "a/b", "0/0", "1/", "/1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(resolve_shard(text), Error);
  }
}

TEST_CASE("auto takes the SLURM array before the rank, and is the whole without a launcher") {
  for (const char* name :
       {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_PROCID",
        "SLURM_NTASKS", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE"}) {
    unsetenv(name);
  }
  CHECK(resolve_shard("auto").count == 1);
  const ScopedVariable rank("SLURM_PROCID", "3"), size("SLURM_NTASKS", "8");
  CHECK(resolve_shard("auto").index == 3);
  CHECK(resolve_shard("auto").count == 8);
  CHECK(launched_copies().variable == "SLURM_PROCID");
  {
    const ScopedVariable id("SLURM_ARRAY_TASK_ID", "12"), count("SLURM_ARRAY_TASK_COUNT", "5"),
        first("SLURM_ARRAY_TASK_MIN", "10");
    CHECK(resolve_shard("auto").index == 2);
    CHECK(resolve_shard("auto").count == 5);
  }
  const ScopedVariable id("SLURM_ARRAY_TASK_ID", "9"), count("SLURM_ARRAY_TASK_COUNT", "5");
  CHECK_THROWS_AS(resolve_shard("auto"), Error);
}

TEST_CASE("names of shards sort as their numbers do") {
  CHECK(shard_path("out-{shard}.tzs", {2, 16}) == "out-02-of-16.tzs");
  CHECK(shard_path("{shard}/{shard}", {0, 1}) == "0-of-1/0-of-1");
  CHECK(shard_path("plain", {0, 4}) == "plain");
}
