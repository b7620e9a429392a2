// libfrugal_mpi.so: the operations of mpi_abi.h by the MPI that it is compiled with.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "libcore/parallel/mpi/mpi_abi.h"
#include "libcore/parallel/mpi/roll_call.h"

namespace {

using frugal::Exchange;

/// Largest message in bytes: MPI counts with int.
constexpr std::uint64_t kMost = std::uint64_t{1} << 30;

/// Serialises all calls of MPI.
std::mutex calling;

/// Loop of the thread that answers other ranks while this one computes.
void listen(const std::stop_token& stop) {
  std::mutex idle;
  std::condition_variable_any stopped;
  std::unique_lock lock(idle);
  const auto never = [] { return false; };
  while (!stop.stop_requested()) {
    stopped.wait_for(lock, stop, std::chrono::seconds(1), never);
    const std::lock_guard turn(calling);
    frugal::RollCall::answer();
  }
}
std::jthread listener;

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int size = 0;
  MPI_Get_library_version(text, &size);
  std::string version(text, static_cast<std::size_t>(size));
  version.resize(std::min(version.find_first_of("\n,"), version.size()));  // Open MPI tells more
  const std::size_t v = version.find(" v");
  if (v != std::string::npos) version.erase(v + 1, 1);
  return version;
}

const char* at(const void* data, std::uint64_t bytes) {
  return static_cast<const char*>(data) + bytes;
}
char* at(void* data, std::uint64_t bytes) { return static_cast<char*>(data) + bytes; }

int count(std::uint64_t bytes, std::uint64_t done) {
  return static_cast<int>(std::min(kMost, bytes - std::min(bytes, done)));
}

int join(frugal_mpi_place* place, const frugal_mpi_patience* patience) {
  int given = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &place->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place->ranks);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &place->local_rank);
  MPI_Comm_free(&machine);
  const int is_first = place->local_rank == 0 ? 1 : 0;
  MPI_Allreduce(&is_first, &place->machines, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  place->any_thread = given >= MPI_THREAD_SERIALIZED ? 1 : 0;
  frugal_mpi_patience waits = *patience;
  if (place->any_thread == 0) waits.seconds = 0;  // nobody knows if a rank computes or was lost
  frugal::RollCall::set_patience(waits);
  if (place->any_thread != 0) listener = std::jthread(listen);
  return given < MPI_THREAD_FUNNELED ? 1 : 0;
}

/// Waits for messages. MPI's own waiting keeps a core busy that other ranks or threads may need: a
/// message that takes longer than kAwake is polled at intervals.
void wait_for(std::span<MPI_Request> requests, const Exchange& exchange,
              MPI_Status* statuses = MPI_STATUSES_IGNORE) {
  using Clock = frugal::RollCall::Clock;
  constexpr auto kAwake = std::chrono::microseconds(100), kNap = std::chrono::microseconds(20);
  const Clock::time_point began = Clock::now();
  frugal::RollCall roll_call(began, exchange);
  for (int done = 0; done == 0;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses);
    if (done != 0) return;
    const Clock::time_point now = Clock::now();
    if (now - began < kAwake) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
    roll_call.look(now);
  }
}

/// Fails if a message has not the expected length: ranks in different states can meet in one
/// exchange. MPI refuses a message that is too long, but not one that is too short.
void expect_bytes(const MPI_Status& status, std::int32_t partner, int expected) {
  int found = 0;
  MPI_Get_count(&status, MPI_BYTE, &found);
  if (found == expected) return;
  const std::string text = "rank " + std::to_string(partner) + " sent " + std::to_string(found) +
                           " bytes, another rank expects " + std::to_string(expected);
  frugal::RollCall::fail_apart(text);
}

void swap(std::int32_t partner, const void* mine, std::uint64_t my_bytes, void* theirs,
          std::uint64_t their_bytes) {
  const std::lock_guard turn(calling);
  for (std::uint64_t done = 0; done < std::max(my_bytes, their_bytes); done += kMost) {
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(at(theirs, done), count(their_bytes, done), MPI_BYTE, partner, 0, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(at(mine, done), count(my_bytes, done), MPI_BYTE, partner, 0, MPI_COMM_WORLD,
              &requests[1]);
    std::array<MPI_Status, 2> statuses;
    wait_for(requests, {Exchange::swap, partner, my_bytes, their_bytes}, statuses.data());
    expect_bytes(statuses[0], partner, count(their_bytes, done));
  }
}

void broadcast(void* data, std::uint64_t bytes, std::int32_t root) {
  const std::lock_guard turn(calling);
  for (std::uint64_t done = 0; done < bytes; done += kMost) {
    std::array<MPI_Request, 1> request{};
    MPI_Ibcast(at(data, done), count(bytes, done), MPI_BYTE, root, MPI_COMM_WORLD, request.data());
    wait_for(request, {Exchange::broadcast, root, bytes});
  }
}

/// Gathers more bytes than MPI can count, in parts.
void gather_parts(const void* mine, std::uint64_t bytes, void* all) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::copy_n(at(mine, 0), bytes, at(all, bytes * static_cast<std::uint64_t>(rank)));
  for (int r = 0; r < ranks; ++r) {
    broadcast(at(all, bytes * static_cast<std::uint64_t>(r)), bytes, r);
  }
}

void all_gather(const void* mine, std::uint64_t bytes, void* all) {
  if (bytes > kMost) return gather_parts(mine, bytes, all);
  const std::lock_guard turn(calling);
  std::array<MPI_Request, 1> request{};
  MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE,
                 MPI_COMM_WORLD, request.data());
  wait_for(request, {Exchange::gather, -1, bytes});
}

/// Aborts all ranks. MPI may wait for a launcher that it cannot reach; this rank ends all the same.
void abort_all(std::int32_t status) {
  if (listener.joinable()) listener.detach();  // it may wait for the turn of whoever calls this
  std::thread([status] {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    _exit(status);
  }).detach();
  MPI_Abort(MPI_COMM_WORLD, status);
}

void leave() {
  listener = {};
  MPI_Finalize();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const frugal_mpi* frugal_mpi_entry(void) {
  static const std::string library = library_version();
  static const frugal_mpi table{FRUGAL_MPI_ABI, library.c_str(), join,      swap,
                                all_gather,     broadcast,       abort_all, leave};
  return &table;
}
