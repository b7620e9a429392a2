#include "tools/sparse-train/tune/tune_data.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tools/sparse-train/data/records.h"
#include "tools/sparse-train/data/tensor_data.h"

namespace frugal::sparse {
namespace {

namespace fs = std::filesystem;

constexpr double kSmaller = 1.0 / 3;  ///< share of a rung's examples that the rung below has
constexpr std::size_t kHeldOutFile = TuneData::kRungs;  ///< the place of the held-out file

/// The files that record number `i` goes to: the lowest rung, which all above it include, or
/// kHeldOutFile.
std::size_t place_of(std::uint64_t i, double held_out, std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x70;
  Rng rng(seed, kStream, i);
  if (rng.uniform() < held_out) return kHeldOutFile;
  const double u = rng.uniform();
  return u < kSmaller * kSmaller ? 0 : u < kSmaller ? 1 : 2;
}

/// The parts as they are written, each with the header that its format needs.
class PartFiles {
 public:
  PartFiles(const std::array<std::string, kHeldOutFile + 1>& paths, const std::string& header,
            const InputLayout& layout, const std::array<std::uint64_t, kHeldOutFile + 1>& counts)
      : paths_(paths) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      open_part(files_[i], paths[i]);
      if (layout.format->counts) {
        files_[i] << counts[i] << header.substr(header.find(' ')) << '\n';
      } else if (layout.has_header) {
        files_[i] << header << '\n';
      }
    }
  }
  void add(std::size_t place, std::string_view record) {
    if (place == kHeldOutFile) return write(kHeldOutFile, record);
    for (std::size_t rung = place; rung < kHeldOutFile; ++rung) write(rung, record);
  }
  void close() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      files_[i].close();
      if (!files_[i]) fail(ExitStatus::io_error, paths_[i], ": cannot write");
    }
  }

 private:
  void write(std::size_t file, std::string_view record) { files_[file] << record << '\n'; }

  const std::array<std::string, kHeldOutFile + 1>& paths_;
  std::array<std::ofstream, kHeldOutFile + 1> files_;
};

}  // namespace

TuneData::TuneData(const std::string& data, const std::string& validation,
                   const FeatureOptions& features, double held_out, std::uint64_t seed) {
  std::error_code ignored;
  if (is_tensor_input(features.format, data) ||
      (fs::exists(data, ignored) && !fs::is_regular_file(data, ignored)) || data == "-") {
    fail(ExitStatus::usage, data, ": tune reads its data several times, expected a file of text");
  }
  const InputLayout layout = layout_of_file(data, features);
  sparse_ = layout.format->feature_ids;
  features_ = options_of_part(features, layout);
  const double share = validation.empty() ? held_out : 0;
  std::array<std::uint64_t, kHeldOutFile + 1> counts{};
  for_each_record(data, layout, [&](std::string_view, std::uint64_t i) {
    const std::size_t place = place_of(i, share, seed);
    if (place == kHeldOutFile) {
      ++counts[kHeldOutFile];
    } else {
      for (std::size_t rung = place; rung < kHeldOutFile; ++rung) ++counts[rung];
    }
  });
  if (counts[0] == 0 || (share > 0 && counts[kHeldOutFile] == 0)) {
    fail(ExitStatus::bad_input, data, ": has ", counts[kRungs - 1] + counts[kHeldOutFile],
         " examples, too few to hold some out");
  }
  num_examples_ = counts[kRungs - 1];
  folder_ = make_temporary_folder("tune");
  const std::array<std::string, kHeldOutFile + 1> paths = {folder_ + "/ninth", folder_ + "/third",
                                                           folder_ + "/all", folder_ + "/held-out"};
  PartFiles parts(paths, first_record(data, layout), layout, counts);
  for_each_record(data, layout, [&](std::string_view record, std::uint64_t i) {
    parts.add(place_of(i, share, seed), record);
  });
  parts.close();
  for (std::size_t rung = 0; rung < kRungs; ++rung) training_[rung] = paths[rung];
  validation_ = validation.empty() ? paths[kHeldOutFile] : validation;
}

TuneData::~TuneData() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace frugal::sparse
