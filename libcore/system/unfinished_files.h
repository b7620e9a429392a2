#pragma once
#include <string>

namespace frugal {

/// Registers a named temporary of an output, which must not survive a signal that ends the process.
/// From then on INT, TERM, HUP, QUIT, PIPE and XCPU, where they have their default action, remove
/// the registered files before they end the process.
void remember_unfinished(const std::string& path);
/// Unregisters a file that has got its final name or was removed.
void forget_unfinished(const std::string& path);

/// Removes all registered files now. Async-signal-safe.
void remove_unfinished();
/// Removes all registered files and ends the process by the signal. For handlers of that signal.
void remove_unfinished_and_die(int signal_number);

}  // namespace frugal
