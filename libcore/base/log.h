#pragma once
#include <sstream>
#include <string>

namespace frugal {

/// While an object of this class exists, log_warning() prints each message once. Searches use it,
/// whose trials would all warn of the same data. Objects must not be nested.
class WarningsOnce {
 public:
  WarningsOnce();
  ~WarningsOnce();
  WarningsOnce(const WarningsOnce&) = delete;
  WarningsOnce& operator=(const WarningsOnce&) = delete;
};

enum class LogLevel { quiet, normal, verbose, debug };

/// Sets, for the whole process, the least important messages that stderr shows and the name at the
/// start of each line. run_tool() calls it once.
void set_log(LogLevel level, const std::string& program);
LogLevel log_level();

/// Writes "program: message\n" to stderr in one write, if `level` is on. Clears a progress bar
/// first.
void log_line(LogLevel level, const std::string& message);

/// Sets the function that is called before each log line, e.g. to wipe a progress bar on the same
/// terminal. May be null.
void set_log_hook(void (*before_line)());

template <class... Parts>
void log_at(LogLevel level, const Parts&... parts) {
  if (log_level() < level) return;
  std::ostringstream message;
  (message << ... << parts);
  log_line(level, message.str());
}
template <class... Parts>
void log_info(const Parts&... parts) {
  log_at(LogLevel::normal, parts...);
}
template <class... Parts>
void log_warning(const Parts&... parts) {
  log_at(LogLevel::normal, "warning: ", parts...);
}
template <class... Parts>
void log_verbose(const Parts&... parts) {
  log_at(LogLevel::verbose, parts...);
}

}  // namespace frugal
