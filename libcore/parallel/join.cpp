#include "libcore/parallel/join.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/parallel/mpi/mpi_abi.h"
#include "libcore/parallel/shard.h"
#include "libcore/system/plugin_file.h"

namespace frugal {
namespace {

/// MPI functions of the joined ranks; null while this process runs alone.
const frugal_mpi* joined_mpi = nullptr;

class MpiRanks final : public Communicator {
 public:
  MpiRanks(const frugal_mpi& mpi, const frugal_mpi_place& place) : mpi_(mpi), place_(place) {}
  /// Leaves MPI unless an exception is in flight: the other ranks then wait in an operation, not in
  /// leave().
  ~MpiRanks() override {
    if (std::uncaught_exceptions() != 0) return;
    joined_mpi = nullptr;
    mpi_.leave();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return place_.rank; }
  int size() const override { return place_.ranks; }
  std::string describe() const override {
    return std::string("MPI (") + mpi_.library + "), " + std::to_string(place_.ranks) +
           " ranks on " + std::to_string(place_.machines) +
           (place_.machines == 1 ? " machine" : " machines");
  }

 protected:
  bool takes_threads() const override { return place_.any_thread != 0; }
  void swap(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) override {
    mpi_.swap(partner, mine.data(), mine.size(), theirs.data(), theirs.size());
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    mpi_.all_gather(mine.data(), mine.size(), all.data());
  }
  void send_to_all(std::span<std::byte> bytes, int root) override {
    mpi_.broadcast(bytes.data(), bytes.size(), root);
  }

 private:
  const frugal_mpi& mpi_;
  frugal_mpi_place place_;
};

/// Loads the plug-in. Returns it, or null and the reason.
std::pair<const frugal_mpi*, std::string> load() {
  const PluginFile file = find_plugin_file("mpi");
  if (file.path.empty()) {
    return {nullptr, file.missing + "; build it where MPI is (-DFRUGAL_MPI=on)"};
  }
  if (!file.refused.empty()) return {nullptr, file.path + " " + file.refused};
  // MPI's own plug-ins look for its symbols.
  void* library = dlopen(file.path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return {nullptr, file.path + " cannot be loaded: " + dlerror()};
  using Entry = const frugal_mpi* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "frugal_mpi_entry"));
  const frugal_mpi* mpi = entry == nullptr ? nullptr : entry();
  if (mpi == nullptr || mpi->abi != FRUGAL_MPI_ABI) {
    return {nullptr, file.path + " is not of this version of frugal"};
  }
  return {mpi, ""};
}

/// Exit status if ranks were lost; the same as when TERM ends a rank because another one was lost.
constexpr int kRankLost = 143;

/// Seconds that operations wait for other ranks (FRUGAL_RANK_TIMEOUT); 0: forever.
double patience() {
  const char* text = std::getenv("FRUGAL_RANK_TIMEOUT");
  if (text == nullptr || *text == '\0') return 600;
  const std::optional<double> seconds = parse_seconds(text);
  if (!seconds) {
    fail(ExitStatus::usage, "FRUGAL_RANK_TIMEOUT is '", printable(text),
         "', expected a duration like 90s, 5m or 2h, or 0");
  }
  return *seconds;
}

void end_without(const std::int32_t* ranks, std::int32_t count) {
  std::string names = count == 1 ? "rank" : "ranks";
  for (std::int32_t i = 0; i < count; ++i) {
    names += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
  }
  log_line(LogLevel::quiet, "waited " + format_seconds(patience()) + " (FRUGAL_RANK_TIMEOUT) for " +
                                names + ", which " + (count == 1 ? "does" : "do") + " not answer");
  joined_mpi->abort(kRankLost);
}

void end_apart(const char* exchanges) {
  log_line(LogLevel::quiet, std::string("ranks are in different exchanges: ") + exchanges +
                                "; expected all ranks in the same state");
  joined_mpi->abort(kRankLost);
}

}  // namespace

std::unique_ptr<Communicator> join_ranks() {
  const Launched launched = launched_copies();
  if (launched.size == 1) return single_process();
  const auto [mpi, why] = load();
  if (mpi == nullptr) {
    fail(ExitStatus::unavailable, launched.size, " copies of this command were started (",
         launched.variable, "), which need MPI to train together: ", why, "; or start one copy");
  }
  frugal_mpi_place place{};
  const frugal_mpi_patience waiting{patience(), end_without, end_apart};
  if (mpi->join(&place, &waiting) != 0) {
    fail(ExitStatus::unavailable, mpi->library, " cannot begin here");
  }
  joined_mpi = mpi;
  if (place.ranks != launched.size) {
    fail(ExitStatus::unavailable, launched.size, " copies of this command were started (",
         launched.variable, "), ", mpi->library, " knows of ", place.ranks,
         ": expected the plug-in to be built with the MPI of this launcher");
  }
  return std::make_unique<MpiRanks>(*mpi, place);
}

void end_ranks(int status, bool together) {
  if (joined_mpi == nullptr) return;
  if (together) return joined_mpi->leave();
  joined_mpi->abort(status);
}

}  // namespace frugal
