#include "libcore/system/signals.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

using namespace frugal;

namespace {

/// Runs body in a child process, because signals change the state of the whole process. Returns the
/// wait status.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("each USR1 is one checkpoint request and does not stop the run") {
  const int status = in_child([] {
    handle_signals();
    if (take_checkpoint_request()) return 1;
    raise(SIGUSR1);
    raise(SIGUSR1);
    if (!take_checkpoint_request() || !take_checkpoint_request()) return 2;
    if (take_checkpoint_request()) return 3;
    return stop_requested() ? 4 : 0;
  });
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("the first TERM, INT or HUP asks for the end, the second ends at once") {
  for (const int first : {SIGTERM, SIGINT, SIGHUP}) {
    for (const int second : {SIGTERM, SIGINT, SIGHUP}) {
      const int status = in_child([&] {
        signal(SIGINT, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        handle_signals();
        if (stop_requested()) return 1;
        raise(first);
        if (!stop_requested() || !stop_requested()) return 2;
        raise(second);
        return 3;
      });
      REQUIRE(WIFSIGNALED(status));
      CHECK(WTERMSIG(status) == second);
    }
  }
}

TEST_CASE("the limit of CPU time asks for the end once, however often it is told") {
  const int status = in_child([] {
    handle_signals();
    for (int second = 0; second < 5; ++second) raise(SIGXCPU);
    if (!stop_requested()) return 1;
    return stop_status(false) == static_cast<ExitStatus>(128 + SIGXCPU) ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("an INT or HUP that the caller ignores stays ignored") {
  const int status = in_child([] {
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    handle_signals();
    for (const int number : {SIGINT, SIGHUP, SIGINT, SIGHUP}) raise(number);
    return stop_requested() ? 1 : 0;
  });
  CHECK(status == 0);
}

TEST_CASE("without handle_signals a signal ends the process as usual") {
  const int status = in_child([] {
    signal(SIGTERM, SIG_DFL);  // doctest has put its own handler there
    raise(SIGTERM);
    return 0;
  });
  CHECK(WTERMSIG(status) == SIGTERM);
}
