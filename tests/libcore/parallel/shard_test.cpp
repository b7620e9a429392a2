#include "libcore/parallel/shard.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "libcore/base/error.h"

using namespace frugal;

namespace {

/// The environment of one launcher, without those of all others.
struct Environment {
  Environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const char* name : kNames) unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  ~Environment() {
    for (const char* name : kNames) unsetenv(name);
  }
  static constexpr const char* kNames[] = {"SLURM_ARRAY_TASK_ID",
                                           "SLURM_ARRAY_TASK_COUNT",
                                           "SLURM_ARRAY_TASK_MIN",
                                           "SLURM_PROCID",
                                           "SLURM_NTASKS",
                                           "SLURM_STEP_NUM_TASKS",
                                           "OMPI_COMM_WORLD_RANK",
                                           "OMPI_COMM_WORLD_SIZE",
                                           "PMI_RANK",
                                           "PMI_SIZE",
                                           "MV2_COMM_WORLD_RANK",
                                           "MV2_COMM_WORLD_SIZE"};
};

std::string text_of(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

}  // namespace

TEST_CASE("a shard is given as i/n, counted from 0") {
  CHECK(text_of(resolve_shard("")) == "0/1");
  CHECK(text_of(resolve_shard("2/4")) == "2/4");
  for (const char* text : {"4/4", "-1/4", "1", "1/2/3", "a/b", "0/0", "1/", "/1", " 0/1"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(resolve_shard(text), doctest::Contains("expected auto or i/n"), Error);
  }
}

TEST_CASE("auto is the whole where nothing launched the program") {
  const Environment none({});
  CHECK(text_of(resolve_shard("auto")) == "0/1");
}

TEST_CASE("auto takes the rank that a launcher gave") {
  {
    const Environment srun({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "8"}});
    CHECK(text_of(resolve_shard("auto")) == "3/8");
    CHECK(launched_copies().variable == "SLURM_PROCID");
  }
  {
    // mpirun inside a SLURM job: its ranks count, not those of the one srun copy around it.
    const Environment mpirun({{"OMPI_COMM_WORLD_RANK", "1"},
                              {"OMPI_COMM_WORLD_SIZE", "2"},
                              {"SLURM_PROCID", "0"},
                              {"SLURM_STEP_NUM_TASKS", "1"}});
    CHECK(text_of(resolve_shard("auto")) == "1/2");
  }
  const Environment hydra({{"PMI_RANK", "5"}, {"PMI_SIZE", "6"}});
  CHECK(text_of(resolve_shard("auto")) == "5/6");
}

TEST_CASE("a batch script of several tasks runs once and has the whole") {
  const Environment sbatch({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}});
  CHECK(text_of(resolve_shard("auto")) == "0/1");
}

TEST_CASE("auto takes the SLURM array before the rank") {
  const Environment array({{"SLURM_ARRAY_TASK_ID", "12"},
                           {"SLURM_ARRAY_TASK_COUNT", "5"},
                           {"SLURM_ARRAY_TASK_MIN", "10"},
                           {"SLURM_PROCID", "0"},
                           {"SLURM_STEP_NUM_TASKS", "1"}});
  CHECK(text_of(resolve_shard("auto")) == "2/5");
}

TEST_CASE("half of what SLURM says of an array is nothing") {
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"}) {
    const Environment half({{name, "3"}});
    CHECK(text_of(resolve_shard("auto")) == "0/1");
  }
  const Environment early({{"SLURM_ARRAY_TASK_ID", "9"},
                           {"SLURM_ARRAY_TASK_COUNT", "5"},
                           {"SLURM_ARRAY_TASK_MIN", "10"}});
  CHECK_THROWS_WITH_AS(resolve_shard("auto"),
                       "--shard auto: SLURM_ARRAY_TASK_ID is 9, expected 10 to 14 without gaps",
                       Error);
}

TEST_CASE("an array with gaps cannot be shards") {
  const Environment array({{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "5"}});
  CHECK_THROWS_WITH_AS(resolve_shard("auto"),
                       "--shard auto: SLURM_ARRAY_TASK_ID is 9, expected 0 to 4 without gaps",
                       Error);
}

TEST_CASE("the task behind the last of an array is none of it") {
  const Environment array({{"SLURM_ARRAY_TASK_ID", "5"}, {"SLURM_ARRAY_TASK_COUNT", "5"}});
  CHECK_THROWS_WITH_AS(resolve_shard("auto"),
                       "--shard auto: SLURM_ARRAY_TASK_ID is 5, expected 0 to 4 without gaps",
                       Error);
}

TEST_CASE("variables that make no sense are passed over") {
  const Environment odd({{"PMI_RANK", "7"}, {"PMI_SIZE", "2"}, {"SLURM_PROCID", "x"}});
  CHECK(launched_copies().size == 1);
}

TEST_CASE("names of shards sort as their numbers do") {
  CHECK(shard_path("out-{shard}.tzs", {2, 16}) == "out-02-of-16.tzs");
  CHECK(shard_path("{shard}/{shard}", {0, 1}) == "0-of-1/0-of-1");
  CHECK(shard_path("plain", {0, 4}) == "plain");
}
