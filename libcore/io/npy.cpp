#include "libcore/io/npy.h"

#include <algorithm>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/crc32.h"
#include "libcore/io/npy_array.h"

namespace frugal {
namespace {

constexpr std::string_view kSuffix = ".npy";

std::string tensor_name(const std::string& member, const std::string& path) {
  if (member.size() <= kSuffix.size() || !member.ends_with(kSuffix)) {
    fail(ExitStatus::bad_input, path, ": member '", printable(member),
         "', expected arrays (NAME.npy) only");
  }
  return member.substr(0, member.size() - kSuffix.size());
}

std::uint32_t checksum(const std::string& header, const Tensor& tensor) {
  return crc32(tensor.content().data(), tensor.content().size(),
               crc32(header.data(), header.size()));
}

}  // namespace

Tensor read_npy(const std::string& path, const TensorLimits& limits) {
  const RegularFile file(path);
  return read_npy_array({file, 0, file.size(), path}, limits, npy_memory(limits)).tensor;
}

void write_npy(const std::string& path, const Tensor& tensor, const OutputFile::Options& options) {
  check_npy_can_hold(tensor.name, tensor.dtype, tensor.shape, path);
  OutputFile out(path, options);
  const std::string header = npy_header(tensor.dtype, tensor.shape);
  out.write(header.data(), header.size());
  out.write(tensor.content().data(), tensor.content().size());
  out.commit();
}

NpzReader::NpzReader(const std::string& path, const TensorLimits& limits)
    : file_(path),
      limits_(limits),
      memory_(npy_memory(limits)),
      members_(read_zip_directory(file_, limits)) {
  for (const ZipMember& member : members_) names_.push_back(tensor_name(member.name, path));
}

bool NpzReader::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

Tensor NpzReader::read(std::string_view name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    fail(ExitStatus::bad_input, file_.path(), ": no array '", printable(name), "', there are ",
         joined(names_));
  }
  const ZipMember& member = members_[static_cast<std::size_t>(found - names_.begin())];
  const std::string place = file_.path() + ": member '" + printable(member.name) + "'";
  std::optional<InflatedMember> inflated;
  if (member.deflated) inflated.emplace(file_, member, memory_ / 2);
  const NpySource source{inflated ? static_cast<const RandomBytes&>(*inflated) : file_,
                         inflated ? 0 : member.begin,
                         inflated ? member.size : member.begin + member.size, place};
  const std::uint64_t left = memory_ - (inflated ? member.size : 0);
  NpyArray array = read_npy_array(source, limits_, left);
  if (array.crc != member.crc) fail(ExitStatus::bad_input, place, ": wrong checksum: damaged");
  memory_ -= array.tensor.bytes.size();
  array.tensor.name = name;
  return std::move(array.tensor);
}

Document read_npz(const std::string& path, const TensorLimits& limits) {
  NpzReader reader(path, limits);
  Document document;
  for (const std::string& name : reader.names()) document.tensors.push_back(reader.read(name));
  return document;
}

void write_npz(const std::string& path, const Document& document,
               const OutputFile::Options& options) {
  for (const Tensor& tensor : document.tensors)
    check_npy_can_hold(tensor.name, tensor.dtype, tensor.shape, path);
  OutputFile out(path, options);
  ZipWriter zip(out);
  for (const Tensor& tensor : document.tensors) {
    const std::string header = npy_header(tensor.dtype, tensor.shape);
    zip.begin_member(tensor.name + std::string(kSuffix), header.size() + tensor.content().size(),
                     checksum(header, tensor));
    out.write(header.data(), header.size());
    out.write(tensor.content().data(), tensor.content().size());
  }
  zip.finish();
  out.commit();
}

}  // namespace frugal
