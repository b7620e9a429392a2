#include "tools/sparse-train/data/text_sample.h"

#include <filesystem>
#include <fstream>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tools/sparse-train/data/records.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kSampleStream = 0x72;

}  // namespace

TextSample::TextSample(const std::string& data, const FeatureOptions& features,
                       std::uint64_t most_bytes, std::uint64_t seed)
    : layout_(layout_of_file(data, features)), path_(data) {
  for_each_record(data, layout_, [&](std::string_view record, std::uint64_t) {
    ++num_examples_;
    num_bytes_ += record.size();
  });
  if (num_bytes_ <= most_bytes) return;
  folder_ = make_temporary_folder("sample");
  path_ = folder_ + "/sample";
  write_part(data, static_cast<double>(most_bytes) / static_cast<double>(num_bytes_), seed);
}

void TextSample::write_part(const std::string& data, double share, std::uint64_t seed) {
  std::ofstream file(path_, std::ios::binary);
  if (layout_.has_header) file << first_record(data, layout_) << '\n';
  num_examples_ = num_bytes_ = 0;
  for_each_record(data, layout_, [&](std::string_view record, std::uint64_t i) {
    if (Rng(seed, kSampleStream, i).uniform() >= share) return;
    file << record << '\n';
    ++num_examples_;
    num_bytes_ += record.size();
  });
  file.close();
  if (!file) fail(ExitStatus::io_error, path_, ": cannot write");
}

TextSample::~TextSample() {
  std::error_code ignored;
  if (is_part()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace frugal::sparse
