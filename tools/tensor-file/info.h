#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "libcore/metrics/result_fields.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tensor_file {

struct InfoOptions {
  std::string input;
  std::uint64_t document = 0;  ///< the one that is described
  TensorReadOptions read;
};

struct FileInfo {
  std::string path;
  std::uint64_t documents = 0;
  std::uint64_t document = 0;
  DocumentInfo described;               ///< document number `document`
  std::optional<std::uint64_t> frames;  ///< nothing for pipes and files that are not compressed
  bool seekable = false;                ///< a seek table names the frames
  std::uint64_t stored_bytes = 0;       ///< 0 where it is not known
};

/// Reads headers, not data. Fails (usage) if there is no such document.
FileInfo file_info(const InfoOptions& options);

/// For people, several lines.
std::string info_text(const FileInfo& info);
/// Describes what --json prints.
void describe_info(const ResultFields& f, const FileInfo& info);

}  // namespace frugal::tensor_file
