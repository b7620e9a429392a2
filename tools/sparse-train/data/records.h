#pragma once
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// The layout of a file, by its beginning. Fails (bad_input) where it is empty.
InputLayout layout_of_file(const std::string& path, FeatureOptions features);

/// Options for a file of some records of another one of that layout, behind its header if it has
/// one: what its beginning would say is not asked again.
FeatureOptions options_of_part(FeatureOptions options, const InputLayout& layout);

/// Calls record(text, number) for the record of each example, without its line end.
void for_each_record(const std::string& path, const InputLayout& layout,
                     const std::function<void(std::string_view, std::uint64_t)>& record);

/// The first record of a file; "" where there is none.
std::string first_record(const std::string& path, const InputLayout& layout);

/// Whether `path` can be read several times: not a pipe and not stdin.
bool is_regular_input(const std::string& path);

/// A new folder of its own below the temporary folder. Fails (cannot_create).
std::string make_temporary_folder(const std::string& purpose);
/// Opens a stream to write a file there; it is bad where that fails.
void open_part(std::ofstream& file, const std::string& path);

}  // namespace frugal::sparse
