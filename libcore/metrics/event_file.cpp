#include "libcore/metrics/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_links.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

std::array<std::uint32_t, 256> crc32c_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    table[byte] = crc;
  }
  return table;
}

/// The rotation and constant that TFRecord applies, so that a checksum of data with checksums is
/// sound.
std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8u; }

template <class T>
void append_little_endian(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// Protocol buffer wire format: a key is field number * 8 + type (0 varint, 1 64-bit, 2 bytes, 5
// 32-bit).
void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void append_bytes(std::string& out, std::uint64_t field, std::string_view bytes) {
  append_varint(out, field * 8 + 2);
  append_varint(out, bytes.size());
  out += bytes;
}

/// The fields that every Event begins with: wall_time (1, double) and step (2, int64).
std::string event(std::int64_t step) {
  std::string out = "\x09";
  append_little_endian(out, std::bit_cast<std::uint64_t>(unix_seconds()));
  out += '\x10';
  append_varint(out, static_cast<std::uint64_t>(step));
  return out;
}

int create_file(std::string directory, std::string& path) {
  directory.erase(directory.find_last_not_of('/') + 1);  // a slash hides a link
  directory = follow_links(directory);
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  std::error_code ignored;
  if (failure && !std::filesystem::is_directory(directory, ignored)) {
    fail(ExitStatus::cannot_create, directory,
         ": cannot create the folder: ", errno_text(failure.value()));
  }
  const auto seconds = static_cast<std::int64_t>(unix_seconds());
  const std::string stem =
      directory + "/events.out.tfevents." + std::to_string(seconds) + ".frugal";
  for (int n = 0;; ++n) {
    path = n == 0 ? stem : stem + "." + std::to_string(n);
    const int descriptor =
        open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST)
      fail(ExitStatus::cannot_create, path, ": cannot create: ", errno_text(errno));
  }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = crc32c_table();
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ crc >> 8;
  return ~crc;
}

EventFile::EventFile(const std::string& directory) {
  descriptor_ = create_file(directory, path_);
  std::string first = event(0);
  append_bytes(first, 3, "brain.Event:2");  // file_version
  record(first);
}

EventFile::~EventFile() { close(descriptor_); }

void EventFile::scalar(std::int64_t step, std::string_view tag, float value) {
  std::string entry;
  append_bytes(entry, 1, tag);
  entry += '\x15';  // simple_value (2, float)
  append_little_endian(entry, std::bit_cast<std::uint32_t>(value));
  std::string summary;
  append_bytes(summary, 1, entry);
  std::string out = event(step);
  append_bytes(out, 5, summary);
  record(out);
}

void EventFile::restart_at(std::int64_t step) {
  std::string out = event(step);
  append_bytes(out, 7, "\x08\x01");  // session_log {status: START}
  record(out);
}

void EventFile::record(const std::string& data) {
  std::string frame;
  append_little_endian(frame, static_cast<std::uint64_t>(data.size()));
  append_little_endian(frame, masked(crc32c(frame)));
  frame += data;
  append_little_endian(frame, masked(crc32c(data)));
  if (!write_all(descriptor_, frame.data(), frame.size())) {
    fail(ExitStatus::io_error, path_, ": cannot write: ", errno_text(errno));
  }
}

}  // namespace frugal
