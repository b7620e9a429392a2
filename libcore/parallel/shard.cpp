#include "libcore/parallel/shard.h"

#include <array>
#include <cstdlib>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

std::optional<int> variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : parse_number<int>(text);
}

struct LauncherVariables {
  const char* rank;
  const char* size;
};

// SLURM_NTASKS is no measure of srun's copies: sbatch --ntasks=4 sets it, and SLURM_PROCID=0, for
// the batch script too (seen with 22.05.8), where a program runs once and must not do a quarter of
// the work. PMIx tells the rank but not the size; Open MPI, which uses it, tells both.
constexpr std::array<LauncherVariables, 4> kLaunchers{
    {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
     {"PMI_RANK", "PMI_SIZE"},
     {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
     {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}};

std::optional<Shard> array_task() {
  const auto id = variable("SLURM_ARRAY_TASK_ID"), count = variable("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const int first = variable("SLURM_ARRAY_TASK_MIN").value_or(0);
  if (*id < first || *id - first >= *count) {
    fail(ExitStatus::usage, "--shard auto: SLURM_ARRAY_TASK_ID is ", *id, ", expected ", first,
         " to ", first + *count - 1, " without gaps");
  }
  return Shard{*id - first, *count};
}

std::optional<Shard> parse_shard(const std::string& text) {
  const auto parts = split(text, '/');
  if (parts.size() != 2) return std::nullopt;
  const auto index = parse_number<int>(parts[0]), count = parse_number<int>(parts[1]);
  if (!index || !count || *index < 0 || *index >= *count) return std::nullopt;
  return Shard{*index, *count};
}

}  // namespace

Launched launched_copies() {
  for (const LauncherVariables& launcher : kLaunchers) {
    const auto rank = variable(launcher.rank), size = variable(launcher.size);
    if (rank && size && *rank >= 0 && *rank < *size) return {*rank, *size, launcher.rank};
  }
  return {};
}

Shard resolve_shard(const std::string& option) {
  if (option.empty()) return {};
  if (option == "auto") {
    if (const auto task = array_task()) return *task;
    const Launched launched = launched_copies();
    return {launched.rank, launched.size};
  }
  if (const auto shard = parse_shard(option)) return *shard;
  fail(ExitStatus::usage, "--shard is '", printable(option),
       "', expected auto or i/n with 0 <= i < n");
}

std::string shard_path(const std::string& path, const Shard& shard) {
  static const std::string mark = "{shard}";
  const std::string count = std::to_string(shard.count);
  std::string index = std::to_string(shard.index);
  index.insert(0, count.size() - index.size(), '0');
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = path.find(mark); at != std::string::npos; at = path.find(mark, begin)) {
    out.append(path, begin, at - begin).append(index).append("-of-").append(count);
    begin = at + mark.size();
  }
  return out.append(path, begin);
}

}  // namespace frugal
