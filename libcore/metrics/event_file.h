#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace frugal {

/// CRC-32C (Castagnoli) of bytes, as used by iSCSI (RFC 3720) and TFRecord.
std::uint32_t crc32c(std::string_view bytes);

/// Writes a TensorBoard event file: TFRecord framing (length, masked crc32c, data, masked crc32c)
/// of hand-coded Event messages, so that no protobuf library is needed.
class EventFile {
 public:
  /// Creates directory/events.out.tfevents.SECONDS.frugal[.N]; its first record names the format
  /// version. Fails with cannot_create (73).
  explicit EventFile(const std::string& directory);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  void scalar(std::int64_t step, std::string_view tag, float value);
  /// Tells readers to discard the values that earlier files of the folder hold from `step` on (a
  /// resumed run).
  void restart_at(std::int64_t step);

 private:
  void record(const std::string& data);
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace frugal
