#include <algorithm>
#include <array>

#include "libcore/arrays/zip.h"
#include "libcore/arrays/zip_format.h"

namespace frugal {
namespace {

constexpr std::uint16_t kFlagUtf8 = 1 << 11;
constexpr std::uint32_t kTime1980 = (1 << 5 | 1)
                                    << 16;  // 1 January 1980, the earliest that zip can say
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kVersion64 = 45;

class Record {
 public:
  template <class T>
  Record& put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
    }
    return *this;
  }
  Record& put(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  void write_to(OutputFile& out) const { out.write(bytes_.data(), bytes_.size()); }

 private:
  std::string bytes_;
};

std::uint32_t in32(std::uint64_t value, bool large) {
  return large ? zip::kIn64 : static_cast<std::uint32_t>(value);
}

/// Writes the fields that local headers and directory entries share: from the version to the length
/// of the name.
void put_member(Record& record, const ZipMember& member, bool large) {
  constexpr std::uint16_t kStored = 0;
  record.put(large ? kVersion64 : kVersion).put(kFlagUtf8).put(kStored).put(kTime1980);
  record.put(member.crc).put(in32(member.size, large)).put(in32(member.size, large));
  record.put(static_cast<std::uint16_t>(member.name.size()));
}

void put_end64(Record& record, std::uint64_t entries, std::uint64_t begin, std::uint64_t size) {
  record.put(zip::kEnd64Magic).put(zip::kEnd64Bytes - 12).put(kVersion64).put(kVersion64);
  record.put(std::uint64_t{0});  // number of this disk, and of the directory's
  record.put(entries).put(entries).put(size).put(begin);
  record.put(zip::kEnd64LocatorMagic).put(std::uint32_t{0}).put(begin + size).put(std::uint32_t{1});
}

}  // namespace

void ZipWriter::begin_member(const std::string& name, std::uint64_t size, std::uint32_t crc) {
  const ZipMember member{name, out_.bytes_written(), size, crc};
  const bool large = size >= zip::kIn64;
  Record record;
  record.put(zip::kLocalMagic);
  put_member(record, member, large);
  record.put(std::uint16_t(large ? 20 : 0)).put(name);
  if (large) record.put(zip::kZip64Field).put(std::uint16_t{16}).put(size).put(size);
  record.write_to(out_);
  members_.push_back(member);
}

void ZipWriter::finish() {
  const std::uint64_t begin = out_.bytes_written();
  for (const ZipMember& member : members_) {
    const bool large = member.size >= zip::kIn64 || member.begin >= zip::kIn64;
    Record record;
    record.put(zip::kEntryMagic).put(large ? kVersion64 : kVersion);
    put_member(record, member, large);
    record.put(std::uint16_t(large ? 28 : 0));
    record.put(std::uint64_t{0}).put(std::uint16_t{0});  // comment, disk, attributes
    record.put(in32(member.begin, large)).put(member.name);
    if (large) {
      record.put(zip::kZip64Field).put(std::uint16_t{24});
      record.put(member.size).put(member.size).put(member.begin);
    }
    record.write_to(out_);
  }
  const std::uint64_t size = out_.bytes_written() - begin;
  const bool large =
      begin >= zip::kIn64 || size >= zip::kIn64 || members_.size() >= zip::kCountIn64;
  const auto count =
      static_cast<std::uint16_t>(std::min<std::uint64_t>(members_.size(), zip::kCountIn64));
  Record end;
  if (large) put_end64(end, members_.size(), begin, size);
  end.put(zip::kEndMagic).put(std::uint32_t{0}).put(count).put(count);
  end.put(in32(size, large)).put(in32(begin, large)).put(std::uint16_t{0});
  end.write_to(out_);
}

}  // namespace frugal
