#pragma once
#include <string>
#include <string_view>

#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// The layout of an input that begins with `head` (more than its first record): training data, or
/// data of a format without columns. Says what it assumes. Fails (usage, bad_input) with `name`:
/// the format cannot be told, a column is missing or there twice.
InputLayout find_layout(const FeatureOptions& options, const std::string& name,
                        std::string_view head);

/// Fails (bad_input) if a text is a document of another kind (text_kind.h) than lines of examples.
void refuse_documents(const std::string& name, std::string_view head);

/// Fails (usage) where training data of this format have no use for an option.
void check_format_options(const FeatureOptions& options, const ExampleFormat& format,
                          const std::string& name);

}  // namespace frugal::sparse
