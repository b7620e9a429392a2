#include <algorithm>
#include <set>
#include <string_view>

#include "libcore/arrays/zip.h"
#include "libcore/arrays/zip_format.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kEnd64LocatorBytes = 20;
constexpr std::uint64_t kMaxComment = 65535;
constexpr std::uint16_t kFlagEncrypted = 1;
constexpr std::uint16_t kDeflated = 8;

/// Little-endian numbers from a piece of the file; running out of bytes is damage.
class Fields {
 public:
  Fields(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) damaged("a record is cut short");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T get() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof(T));
    for (std::size_t i = sizeof(T); i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return static_cast<T>(value);
  }
  void expect_magic(std::uint32_t magic, std::string_view what) {
    if (get<std::uint32_t>() != magic) damaged(what);
  }
  bool empty() const { return bytes_.empty(); }
  [[noreturn]] void damaged(std::string_view finding) const {
    fail(ExitStatus::bad_input, path_, ": damaged zip archive: ", finding);
  }

 private:
  std::string_view bytes_;
  const std::string& path_;
};

std::string read_bytes(const RegularFile& file, std::uint64_t begin, std::uint64_t size) {
  std::string bytes(size, '\0');
  file.read_at(begin, bytes.data(), size);
  return bytes;
}

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

/// The record before the ordinary end record, where the archive has one.
bool read_end64(const RegularFile& file, std::uint64_t end_record, Directory& directory) {
  if (end_record < kEnd64LocatorBytes) return false;
  const std::string locator_bytes =
      read_bytes(file, end_record - kEnd64LocatorBytes, kEnd64LocatorBytes);
  Fields locator(locator_bytes, file.path());
  if (locator.get<std::uint32_t>() != zip::kEnd64LocatorMagic) return false;
  locator.take(4);
  const auto offset = locator.get<std::uint64_t>();
  if (offset > end_record || end_record - offset < zip::kEnd64Bytes + kEnd64LocatorBytes) {
    locator.damaged("the zip64 end record lies outside of the file");
  }
  const std::string bytes = read_bytes(file, offset, zip::kEnd64Bytes);
  Fields end(bytes, file.path());
  end.expect_magic(zip::kEnd64Magic, "no zip64 end record where one should be");
  end.take(28);
  directory.entries = end.get<std::uint64_t>();
  directory.size = end.get<std::uint64_t>();
  directory.begin = end.get<std::uint64_t>();
  return true;
}

/// Offset of the end record: the last one whose comment reaches exactly to the end of the file.
std::uint64_t find_end_record(const RegularFile& file) {
  const std::uint64_t tail_size = std::min(file.size(), kEndBytes + kMaxComment);
  const std::string tail = read_bytes(file, file.size() - tail_size, tail_size);
  for (std::uint64_t at = tail_size < kEndBytes ? 0 : tail_size - kEndBytes + 1; at-- > 0;) {
    Fields end(std::string_view(tail).substr(at), file.path());
    if (end.get<std::uint32_t>() != zip::kEndMagic) continue;
    end.take(16);
    if (end.get<std::uint16_t>() == tail_size - at - kEndBytes) return file.size() - tail_size + at;
  }
  fail(ExitStatus::bad_input, file.path(),
       ": no zip archive, or truncated: expected a zip end record in the last bytes");
}

Directory find_directory(const RegularFile& file) {
  const std::uint64_t at = find_end_record(file);
  const std::string bytes = read_bytes(file, at, kEndBytes);
  Fields end(bytes, file.path());
  end.take(10);
  Directory directory;
  directory.entries = end.get<std::uint16_t>();
  directory.size = end.get<std::uint32_t>();
  directory.begin = end.get<std::uint32_t>();
  read_end64(file, at, directory);
  if (directory.begin > at || directory.size > at - directory.begin) {
    end.damaged("the directory lies outside of the file");
  }
  return directory;
}

struct Entry {
  ZipMember member;
  std::uint64_t header = 0;  ///< offset of the local header
};

/// Sizes and offset that do not fit into 32 bits, in this order, each only where the 32-bit field
/// is full.
void read_zip64(std::string_view extra, Entry& entry, const std::string& path) {
  Fields fields(extra, path);
  while (!fields.empty()) {
    const auto id = fields.get<std::uint16_t>();
    Fields content(fields.take(fields.get<std::uint16_t>()), path);
    if (id != zip::kZip64Field) continue;
    if (entry.member.size == zip::kIn64) entry.member.size = content.get<std::uint64_t>();
    if (entry.member.stored_size == zip::kIn64)
      entry.member.stored_size = content.get<std::uint64_t>();
    if (entry.header == zip::kIn64) entry.header = content.get<std::uint64_t>();
  }
}

void check_name(const std::string& name, const std::string& path, const TensorLimits& limits) {
  const bool control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name.empty() || name.size() > limits.max_name || control || !is_utf8(name)) {
    fail(ExitStatus::bad_input, path, ": member name '", printable(name), "', expected 1 to ",
         limits.max_name, " bytes of UTF-8 without control characters");
  }
}

Entry read_entry(Fields& fields, const std::string& path, const TensorLimits& limits) {
  Entry entry;
  fields.expect_magic(zip::kEntryMagic, "no directory entry where one should be");
  fields.take(4);
  const auto flags = fields.get<std::uint16_t>();
  const auto method = fields.get<std::uint16_t>();
  fields.take(4);
  entry.member.crc = fields.get<std::uint32_t>();
  entry.member.stored_size = fields.get<std::uint32_t>();
  entry.member.size = fields.get<std::uint32_t>();
  const auto name_size = fields.get<std::uint16_t>();
  const auto extra_size = fields.get<std::uint16_t>();
  const auto comment_size = fields.get<std::uint16_t>();
  fields.take(8);
  entry.header = fields.get<std::uint32_t>();
  entry.member.name = std::string(fields.take(name_size));
  read_zip64(fields.take(extra_size), entry, path);
  fields.take(comment_size);
  check_name(entry.member.name, path, limits);
  if (flags & kFlagEncrypted) {
    fail(ExitStatus::bad_input, path, ": member '", printable(entry.member.name), "' is encrypted");
  }
  entry.member.deflated = method == kDeflated;
  if (method != 0 && !entry.member.deflated) {
    fail(ExitStatus::bad_input, path, ": member '", printable(entry.member.name),
         "' is compressed by method ", method, ", expected stored or deflated members");
  }
  if (!entry.member.deflated && entry.member.stored_size != entry.member.size) {
    fields.damaged("a stored member has two sizes");
  }
  return entry;
}

/// Finds where the content begins; the local header repeats the name.
void locate_content(const RegularFile& file, std::uint64_t directory_begin, Entry& entry) {
  Fields none({}, file.path());
  if (entry.header > directory_begin || directory_begin - entry.header < kLocalBytes) {
    none.damaged("a member lies outside of the file");
  }
  const std::string bytes = read_bytes(file, entry.header, kLocalBytes);
  Fields local(bytes, file.path());
  local.expect_magic(zip::kLocalMagic, "no member where the directory says");
  local.take(22);
  const auto name_size = local.get<std::uint16_t>();
  const auto extra_size = local.get<std::uint16_t>();
  entry.member.begin = entry.header + kLocalBytes + name_size + extra_size;
  if (entry.member.begin > directory_begin ||
      entry.member.stored_size > directory_begin - entry.member.begin) {
    none.damaged("a member lies outside of the file");
  }
  if (name_size != entry.member.name.size() ||
      read_bytes(file, entry.header + kLocalBytes, name_size) != entry.member.name) {
    none.damaged("a member and the directory have different names");
  }
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const RegularFile& file, const TensorLimits& limits) {
  const Directory directory = find_directory(file);
  if (directory.entries > limits.max_tensors || directory.size > limits.max_header) {
    fail(ExitStatus::bad_input, file.path(), ": zip directory of ", directory.entries,
         " members and ", directory.size, " bytes, at most ", limits.max_tensors,
         " (--limit tensors) and ", limits.max_header, " (--limit header) are accepted");
  }
  const std::string bytes = read_bytes(file, directory.begin, directory.size);
  Fields fields(bytes, file.path());
  std::vector<Entry> entries;
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    entries.push_back(read_entry(fields, file.path(), limits));
    locate_content(file, directory.begin, entries.back());
    if (!names.insert(entries.back().member.name).second) fields.damaged("two members of one name");
  }
  if (!fields.empty()) fields.damaged("bytes behind the last directory entry");
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.header < b.header; });
  std::vector<ZipMember> members;
  for (const Entry& entry : entries) {
    if (!members.empty() && entry.header < members.back().begin + members.back().stored_size) {
      fields.damaged("two members overlap");
    }
    members.push_back(entry.member);
  }
  return members;
}

}  // namespace frugal
