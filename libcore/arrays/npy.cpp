#include "libcore/arrays/npy.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "libcore/arrays/crc32.h"
#include "libcore/arrays/npy_array.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

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

/// Instead of what unpackers of archives would take for a path.
constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"/", "%2F"}, {"\\", "%5C"}, {"..", "%2E%2E"}};

std::uint32_t checksum(const std::string& header, const Tensor& tensor) {
  return crc32(tensor.content().data(), tensor.content().size(),
               crc32(header.data(), header.size()));
}

}  // namespace

std::string npz_name(std::string_view tensor) {
  std::string name;
  while (!tensor.empty()) {
    std::size_t taken = 1;
    std::string_view put = tensor.substr(0, 1);
    for (const auto& [found, instead] : kEscapes) {
      if (!tensor.starts_with(found)) continue;
      put = instead;
      taken = found.size();
    }
    name += put;
    tensor.remove_prefix(taken);
  }
  return name;
}

void check_npz_can_hold(const DocumentInfo& info, const std::string& path) {
  std::set<std::string> names;
  for (const TensorInfo& tensor : info.tensors) {
    check_npy_can_hold(tensor.name, tensor.dtype, tensor.shape, path);
    if (names.insert(npz_name(tensor.name)).second) continue;
    fail(ExitStatus::usage, path, ": tensor '", printable(tensor.name), "' would be called '",
         printable(npz_name(tensor.name)),
         "' in the archive as another one is, expected "
         "different names");
  }
}

Tensor read_npy(const std::string& path, const TensorLimits& limits) {
  const RegularFile file(path);
  return read_npy_array({file, 0, file.size(), path}, limits, npy_memory(limits)).tensor;
}

std::uint64_t npy_text_width(const std::string& path, const TensorLimits& limits) {
  const RegularFile file(path);
  return find_npy_array({file, 0, file.size(), path}, limits).header.text_width;
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
  for (const std::string& name : names_) by_name_.emplace(name, by_name_.size());
}

bool NpzReader::has(std::string_view name) const { return by_name_.contains(name); }

/// A member that is an array, and where that lies in its content.
struct NpzReader::Open {
  Open(const RegularFile& file, const ZipMember& member, const TensorLimits& limits)
      : content(file, member),
        source{content, 0, member.size, file.path() + ": member '" + printable(member.name) + "'"},
        place(find_npy_array(source, limits)) {}

  MemberBytes content;
  NpySource source;
  NpyPlace place;
  bool verified = false;
  std::optional<Tensor> whole;  ///< where its rows do not lie together
};

NpzReader::~NpzReader() = default;

const ZipMember& NpzReader::member_of(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    fail(ExitStatus::bad_input, file_.path(), ": no array '", printable(name), "', there are ",
         joined(names_));
  }
  return members_[found->second];
}

NpzReader::Open& NpzReader::open(std::string_view name) {
  const ZipMember& member = member_of(name);
  if (!open_ || open_->content.member().name != member.name) {
    open_.reset();
    open_ = std::make_unique<Open>(file_, member, limits_);
  }
  return *open_;
}

Tensor NpzReader::read(std::string_view name) {
  const MemberBytes content(file_, member_of(name));
  const ZipMember& member = content.member();
  const std::string place = file_.path() + ": member '" + printable(member.name) + "'";
  NpyArray array = read_npy_array({content, 0, member.size, place}, limits_, memory_);
  content.check_end();
  if (array.crc != member.crc) fail(ExitStatus::bad_input, place, ": wrong checksum: damaged");
  memory_ -= array.tensor.bytes.size();
  array.tensor.name = name;
  return std::move(array.tensor);
}

TensorInfo NpzReader::info(std::string_view name) {
  const Open& array = open(name);
  const NpyHeader& header = array.place.header;
  return {std::string(name), header.dtype, header.shape, array.place.data, array.source.end};
}

Tensor NpzReader::read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  const Shape shape = open(name).place.header.shape;
  return rows_from(shape, begin, end, [&](std::uint64_t from, std::uint64_t to) {
    return read_elements(name, from, to);
  });
}

Tensor NpzReader::read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  Open& array = open(name);
  const NpyHeader& header = array.place.header;
  if (header.fortran_order && header.shape.size() > 1) {
    if (!array.whole) array.whole = read(name);
    return elements_of(*array.whole, begin, end);
  }
  if (!std::exchange(array.verified, true)) array.content.verify();
  Tensor elements = read_npy_elements(array.source, array.place, begin, end, memory_);
  elements.name = name;
  return elements;
}

void write_npz(const std::string& path, const Document& document,
               const OutputFile::Options& options) {
  check_npz_can_hold(document.describe(), path);
  OutputFile out(path, options);
  ZipWriter zip(out);
  for (const Tensor& tensor : document.tensors) {
    const std::string header = npy_header(tensor.dtype, tensor.shape);
    zip.begin_member(npz_name(tensor.name) + std::string(kSuffix),
                     header.size() + tensor.content().size(), checksum(header, tensor));
    out.write(header.data(), header.size());
    out.write(tensor.content().data(), tensor.content().size());
  }
  zip.finish();
  out.commit();
}

}  // namespace frugal
