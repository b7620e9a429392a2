#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace frugal {

/// An output that appears whole or not at all: O_TMPFILE, fsync, linkat, rename. Without O_TMPFILE
/// it is a named temporary in the same folder; those of dead processes are removed. "-" is stdout;
/// pipes and devices are written directly. Symbolic links are followed, but not another user's
/// (output_links.h). An existing file keeps its permissions and owner. Errors, each with the path:
/// cannot_create (73) on opening, io_error (74) on writing.
class OutputFile {
 public:
  struct Options {
    bool binary = true;  ///< refuse to write to a terminal (usage, 2)
  };
  OutputFile(std::string path, const Options& options);
  explicit OutputFile(std::string path) : OutputFile(std::move(path), Options{}) {}
  /// Discards the output unless commit() was called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes all bytes without a buffer, so pass blocks. On a terminal, characters that it would
  /// interpret are escaped.
  void write(const void* data, std::size_t size);
  /// Syncs the file and gives it its name, unless leaves_equal_files() keeps the old one. Call it
  /// once, last.
  void commit();

  const std::string& path() const { return path_; }
  /// True for a pipe, a terminal, stdout or a device, whose bytes are written at once and cannot be
  /// taken back.
  bool is_stream() const { return stream_; }
  std::uint64_t bytes_written() const { return bytes_written_; }
  int descriptor() const { return descriptor_; }

 private:
  void write_bytes(const void* data, std::size_t size);
  void open_temporary();
  void give_temporary_a_name();
  bool same_as_target() const;
  void discard_temporary();

  std::string path_;
  std::string target_;          ///< path_ with symbolic links followed
  std::string temporary_name_;  ///< "" while the temporary has no name
  Options options_;
  int descriptor_ = -1;
  bool stream_ = false;
  bool committed_ = false;
  std::uint64_t bytes_written_ = 0;
};

/// Whether existing files stay untouched where the bytes of an output are equal; false at first.
void leave_equal_files(bool leave);
bool leaves_equal_files();

/// While an object exists, OutputFile::commit() completes files under temporary names, and
/// publish() gives them their own. A command that fails after it has written its outputs leaves
/// none, unless naming itself fails. Objects must not be nested.
class HeldOutputs {
 public:
  HeldOutputs();
  /// Removes the files that were not published.
  ~HeldOutputs();
  HeldOutputs(const HeldOutputs&) = delete;
  HeldOutputs& operator=(const HeldOutputs&) = delete;

  /// Names the files in the order of their commits. Fails as commit() does.
  void publish();
};

/// Fails now, before the work, if OutputFile would fail at this path. Pipes and devices are not
/// opened, because that could wait for a reader. "" means no output.
void check_output(const std::string& path);

/// Writes a whole small file as OutputFile does.
void write_file(const std::string& path, const std::string& content);

}  // namespace frugal
