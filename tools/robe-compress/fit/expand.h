#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frugal::robe {

struct ExpandOptions {
  std::string array;
  std::string output;
  std::vector<std::string> names;  ///< tables to write, * and ? standing for any; none: all
  std::string dtype = "f32";
  std::string history_entry;
};

struct ExpandResult {
  std::uint64_t tables = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

/// Writes the tables that an array file or a model stands for, some rows at a time. progress: rows
/// so far.
ExpandResult expand_tables(const ExpandOptions& options,
                           const std::function<void(double rows)>& progress);

}  // namespace frugal::robe
