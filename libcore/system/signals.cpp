#include "libcore/system/signals.h"

#include <signal.h>

#include <atomic>

#include "libcore/system/unfinished_files.h"

namespace frugal {
namespace {

static_assert(std::atomic<int>::is_always_lock_free,
              "signal handlers may only touch lock-free atomics");
std::atomic<int> checkpoint_requests{0};
std::atomic<int> stop_requests{0};
std::atomic<int> stop_signal{SIGTERM};

void count_checkpoint(int) { checkpoint_requests.fetch_add(1); }

void count_stop(int signal_number) {
  stop_signal.store(signal_number);
  if (stop_requests.fetch_add(1) != 0) remove_unfinished_and_die(signal_number);
}

/// After the soft limit of CPU time, the signal comes every second until the hard limit kills.
void stop_once(int signal_number) {
  if (stop_requests.load() == 0) count_stop(signal_number);
}

void install(int signal_number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

bool ignored_by_caller(int signal_number) {
  struct sigaction action {};
  sigaction(signal_number, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void handle_signals() {
  install(SIGUSR1, count_checkpoint);
  install(SIGTERM, count_stop);
  for (const int number : {SIGINT, SIGHUP}) {
    if (!ignored_by_caller(number)) install(number, count_stop);
  }
  install(SIGXCPU, stop_once);
  ignore_file_size_signal();
}

bool take_checkpoint_request() {
  int waiting = checkpoint_requests.load();
  while (waiting > 0) {
    if (checkpoint_requests.compare_exchange_weak(waiting, waiting - 1)) return true;
  }
  return false;
}

bool stop_requested() { return stop_requests.load() > 0; }

ExitStatus stop_status(bool has_checkpoint) {
  if (has_checkpoint) return ExitStatus::stopped;
  const int signal = stop_signal.load();
  return static_cast<ExitStatus>(128 + (signal == 0 ? SIGTERM : signal));  // 0: of another rank
}

void ignore_file_size_signal() { signal(SIGXFSZ, SIG_IGN); }

}  // namespace frugal
