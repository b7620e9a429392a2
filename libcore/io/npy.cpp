#include "libcore/io/npy.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/crc32.h"
#include "libcore/io/npy_array.h"
#include "libcore/io/zip.h"

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

Document read_npz(const std::string& path, const TensorLimits& limits) {
  const RegularFile file(path);
  std::uint64_t memory = npy_memory(limits);
  Document document;
  for (const ZipMember& member : read_zip_directory(file, limits)) {
    const std::string name = tensor_name(member.name, path);
    const NpySource source{file, member.begin, member.begin + member.size,
                           path + ": member '" + printable(member.name) + "'"};
    NpyArray array = read_npy_array(source, limits, memory);
    if (array.crc != member.crc)
      fail(ExitStatus::bad_input, source.place, ": wrong checksum: damaged");
    memory -= array.tensor.bytes.size();
    array.tensor.name = name;
    document.tensors.push_back(std::move(array.tensor));
  }
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
