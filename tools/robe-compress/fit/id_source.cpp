#include "tools/robe-compress/fit/id_source.h"

#include <algorithm>
#include <cstring>

#include "libcore/arrays/document_source.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/byte_source.h"
#include "libcore/tensors/document_gate.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kTextBytes = std::size_t{1} << 19;
constexpr std::uint64_t kIdsAtATime = std::uint64_t{1} << 16;
constexpr std::size_t kLongestId = 64;  ///< with spaces around it
constexpr std::size_t kLongestCategory = std::size_t{64} << 10;

/// One row a line.
class TextRows : public IdSource {
 public:
  TextRows(const std::string& path, RowOfText row_of, std::string expected, std::size_t longest)
      : source_(path),
        row_of_(std::move(row_of)),
        expected_(std::move(expected)),
        longest_(longest),
        memory_(kTextBytes) {}

  bool next(std::vector<std::uint32_t>& ids) override {
    ids.clear();
    while (ids.empty()) {
      const std::size_t got = source_.read(memory_.data() + held_, memory_.size() - held_);
      if (got == 0) {
        if (held_ != 0) take({memory_.data(), std::exchange(held_, 0)}, ids);
        return !ids.empty();
      }
      held_ += got;
      take_lines(ids);
    }
    return true;
  }

 private:
  void take_lines(std::vector<std::uint32_t>& ids) {
    const char* begin = memory_.data();
    const char* const end = begin + held_;
    while (const auto* line_end = static_cast<const char*>(
               std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)))) {
      take({begin, static_cast<std::size_t>(line_end - begin)}, ids);
      begin = line_end + 1;
    }
    held_ = static_cast<std::size_t>(end - begin);
    if (held_ > longest_) take({begin, held_}, ids);  // which refuses it
    std::memmove(memory_.data(), begin, held_);
  }

  void take(std::string_view line, std::vector<std::uint32_t>& ids) {
    ++line_number_;
    const bool too_long = line.size() > longest_;
    const auto row = too_long ? std::nullopt : row_of(line);
    if (!row) {
      fail(ExitStatus::bad_input, source_.name(), ":", line_number_, ": found '",
           printable(trim(line)), "', expected ", expected_,
           too_long ? " in a line of at most " + std::to_string(longest_) + " bytes" : "");
    }
    ids.push_back(*row);
  }

  std::optional<std::uint32_t> row_of(std::string_view line) const {
    try {
      return row_of_(line);
    } catch (const Error& error) {
      fail(error.status(), source_.name(), ":", line_number_, ": ", error.what());
    }
  }

  ByteSource source_;
  RowOfText row_of_;
  std::string expected_;
  std::size_t longest_;
  std::vector<char> memory_;
  std::size_t held_ = 0;  ///< bytes at its beginning that no line end follows yet
  std::uint64_t line_number_ = 0;
};

bool is_id_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::u8:
    case Dtype::i8:
    case Dtype::u16:
    case Dtype::i16:
    case Dtype::u32:
    case Dtype::i32:
    case Dtype::u64:
    case Dtype::i64: return true;
    default: return false;
  }
}

/// Ids of a signed type below 0 become larger than any row.
template <class T>
std::uint64_t id_at(const Tensor& tensor, std::size_t i) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(tensor.as<T>()[i]));
}

std::uint64_t (*id_reader(Dtype dtype))(const Tensor&, std::size_t) {
  switch (dtype) {
    case Dtype::u8: return id_at<std::uint8_t>;
    case Dtype::i8: return id_at<std::int8_t>;
    case Dtype::u16: return id_at<std::uint16_t>;
    case Dtype::i16: return id_at<std::int16_t>;
    case Dtype::u32: return id_at<std::uint32_t>;
    case Dtype::i32: return id_at<std::int32_t>;
    case Dtype::u64: return id_at<std::uint64_t>;
    default: return id_at<std::int64_t>;
  }
}

class TensorIds : public IdSource {
 public:
  TensorIds(const std::string& path, std::uint64_t rows)
      : path_(path), rows_(rows), source_(open_documents(path, {})) {}

  bool next(std::vector<std::uint32_t>& ids) override {
    ids.clear();
    while (at_ == count_) {
      if (!next_document()) return false;
    }
    const std::uint64_t end = std::min(count_, at_ + kIdsAtATime);
    const Tensor tensor = source_->read_rows(name_, at_, end);
    const auto value = id_reader(tensor.dtype);
    for (; at_ < end; ++at_) {
      const std::uint64_t id = value(tensor, ids.size());
      if (id >= rows_) {
        fail(ExitStatus::bad_input, path_, ": tensor '", printable(name_), "', element ", at_,
             ": found ", static_cast<std::int64_t>(id), ", expected an id from 0 to ", rows_ - 1);
      }
      ids.push_back(static_cast<std::uint32_t>(id));
    }
    return true;
  }

 private:
  bool next_document() {
    const auto info = source_->next_info();
    if (!info) return false;
    check_version(info->metadata, path_);
    const TensorInfo* found = info->find("ids");
    std::size_t candidates = 0;
    for (const TensorInfo& tensor : info->tensors) {
      if (!is_id_type(tensor.dtype)) continue;
      ++candidates;
      if (found == nullptr) found = &tensor;
    }
    if (found == nullptr || (found->name != "ids" && candidates != 1) ||
        !is_id_type(found->dtype) || found->shape.size() != 1) {
      fail(ExitStatus::bad_input, path_,
           ": expected one tensor of integers [n], or one of that kind named 'ids'");
    }
    name_ = found->name;
    at_ = 0;
    count_ = found->shape[0];
    return true;
  }

  std::string path_;
  std::uint64_t rows_;
  std::unique_ptr<DocumentSource> source_;
  std::string name_;
  std::uint64_t at_ = 0;
  std::uint64_t count_ = 0;
};

bool has_tensor_suffix(const std::string& path) {
  for (const char* suffix : {".npy", ".npz", ".safetensors", ".safetensors.zst", ".tzs"}) {
    if (path.ends_with(suffix)) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<IdSource> open_ids(const std::string& path, const std::string& form,
                                   std::uint64_t rows) {
  if (form == "tensors" || (form == "auto" && has_tensor_suffix(path))) {
    return std::make_unique<TensorIds>(path, rows);
  }
  const auto row_of = [rows](std::string_view line) -> std::optional<std::uint32_t> {
    const auto id = parse_number<std::uint64_t>(trim(line));
    if (!id || *id >= rows) return std::nullopt;
    return static_cast<std::uint32_t>(*id);
  };
  return std::make_unique<TextRows>(path, row_of, "an id from 0 to " + std::to_string(rows - 1),
                                    kLongestId);
}

std::unique_ptr<IdSource> open_categories(const std::string& path, RowOfText row_of) {
  return std::make_unique<TextRows>(path, std::move(row_of), "a category of this table",
                                    kLongestCategory);
}

}  // namespace frugal::robe
