#pragma once
#include <sstream>
#include <stdexcept>
#include <string>

namespace frugal {

/// Exit statuses of every tool (man pages list them; scripts rely on the numbers).
enum class ExitStatus : int {
  ok = 0,
  check_failed = 1,    ///< the check or comparison failed
  usage = 2,           ///< command line or configuration
  bad_input = 65,      ///< damaged, truncated or malformed input
  cannot_open = 66,    ///< an input cannot be opened
  unavailable = 69,    ///< a resource is missing: a device, enough memory
  internal = 70,       ///< a bug of this program
  cannot_create = 73,  ///< an output cannot be created
  io_error = 74,       ///< reading or writing failed, e.g. the disk is full
  stopped = 75,        ///< stopped at a checkpoint: run again
};

/// An error of the input, the configuration or the machine, not of the program. what() is one line
/// for the user: file, place, what was found, what was expected. Only run_tool() catches it, and
/// puts the tool's name before the line.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// fail(ExitStatus::bad_input, path, ": expected 2 axes, got ", n) throws Error with the parts
/// joined.
template <class... Parts>
[[noreturn]] void fail(ExitStatus status, const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw Error(status, message.str());
}

/// Text of an errno value ("No space left on device"). Thread-safe.
std::string errno_text(int error);

}  // namespace frugal
