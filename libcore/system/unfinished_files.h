#pragma once
#include <string>

namespace frugal {

/// Named temporaries of outputs, which a signal that ends the process must not leave behind. A
/// name arranges that INT, TERM, HUP, QUIT, PIPE and XCPU, where they have their default
/// action, remove the files before they end the process.
void remember_unfinished(const std::string& path);
/// The file has its last name, or is gone.
void forget_unfinished(const std::string& path);

/// Removes them now. Async-signal-safe.
void remove_unfinished();
/// Removes them and ends the process by the signal. For handlers of that signal.
void remove_unfinished_and_die(int signal_number);

}  // namespace frugal
