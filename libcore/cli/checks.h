#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 named it
class Option;
}

namespace frugal {

/// Checks for options that hold text with a unit; each returns its argument. The message, the help
/// and the manual page say what is expected.
CLI::Option* check_duration(
    CLI::Option* option);                       ///< "90", "250ms", "5m", "2h", "1d": parse_seconds
CLI::Option* check_bytes(CLI::Option* option);  ///< "4096", "64K", "8MiB": parse_bytes

}  // namespace frugal
