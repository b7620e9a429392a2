#include "libcore/tensors/tensor_pack.h"

#include <algorithm>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_scanner.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMinBytes =
    4096;  ///< below, the entry in the header costs more than is won
constexpr std::size_t kParallelBytes = std::size_t{1} << 20;

bool is_integer(Dtype dtype) {
  switch (dtype) {
    case Dtype::i16:
    case Dtype::u16:
    case Dtype::i32:
    case Dtype::u32:
    case Dtype::i64:
    case Dtype::u64: return true;
    default: return false;
  }
}

template <class Word>
Word load(const std::byte* from, std::uint64_t i) {
  Word word;
  std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
  return word;
}

template <class Word>
void store(std::byte* to, std::uint64_t i, Word word) {
  std::memcpy(to + i * sizeof(Word), &word, sizeof(Word));
}

/// Calls body(Word{}) with the unsigned type of that size.
template <class Body>
void with_word(std::size_t item_size, const Body& body) {
  switch (item_size) {
    case 2: return body(std::uint16_t{});
    case 4: return body(std::uint32_t{});
    case 8: return body(std::uint64_t{});
    default: fail(ExitStatus::internal, "no packing of elements of ", item_size, " bytes");
  }
}

/// Whether at least seven eighths of the steps ascend: the rows of a sparse matrix are sorted one
/// by one.
template <class Word>
bool mostly_ascending(const std::byte* values, std::uint64_t n) {
  std::uint64_t down = 0;
  for (std::uint64_t i = 1; i < n; ++i) down += load<Word>(values, i) < load<Word>(values, i - 1);
  return down * 8 <= n;
}

/// Elements [first, first + n) of plane `plane`.
template <class Word>
void split_plane(const std::byte* values, bool differences, std::size_t plane, std::uint64_t first,
                 std::uint64_t n, std::byte* to) {
  const std::size_t shift = plane * 8;
  if (!differences) {
    const std::byte* from = values + first * sizeof(Word) + plane;
    for (std::uint64_t i = 0; i < n; ++i) to[i] = from[i * sizeof(Word)];
    return;
  }
  Word previous = first == 0 ? Word{0} : load<Word>(values, first - 1);
  for (std::uint64_t i = 0; i < n; ++i) {
    const Word value = load<Word>(values, first + i);
    to[i] = static_cast<std::byte>(static_cast<Word>(value - previous) >> shift & 0xff);
    previous = value;
  }
}

template <class Word>
void merge_range(const std::byte* planes, std::uint64_t stride, std::uint64_t begin,
                 std::uint64_t end, std::byte* to) {
  for (std::uint64_t i = begin; i < end; ++i) {
    Word word = 0;
    for (std::size_t plane = 0; plane < sizeof(Word); ++plane) {
      const Word byte = static_cast<Word>(planes[plane * stride + i]);
      word = static_cast<Word>(word | static_cast<Word>(byte << plane * 8));
    }
    store(to, i, word);
  }
}

Shape packed_shape(Dtype dtype, const Shape& shape) {
  Shape packed{item_size(dtype)};
  packed.insert(packed.end(), shape.begin(), shape.end());
  return packed;
}

struct Encoding {
  Dtype dtype = Dtype::f32;
  Shape shape;
  Packing packing = Packing::none;
};

Packing parse_steps(JsonScanner& scan) {
  scan.expect('[');
  std::string step = scan.string("a step", 16);
  const bool differences = step == "delta";
  if (differences) {
    scan.expect(',');
    step = scan.string("a step", 16);
  }
  if (step != "planes") scan.bad("unknown step '" + printable(step) + "'");
  scan.expect(']');
  return differences ? Packing::delta_planes : Packing::planes;
}

/// The fields in the order in which encoding_text() writes them.
Encoding parse_encoding(JsonScanner& scan, const TensorLimits& limits) {
  const auto field = [&scan](std::string_view name) {
    if (scan.string("a field name", 16) != name)
      scan.bad("expected field '" + std::string(name) + "'");
    scan.expect(':');
  };
  Encoding encoding;
  scan.expect('{');
  field("dtype");
  const auto dtype = dtype_from_name(scan.string("a dtype", 32));
  if (!dtype || item_size(*dtype) < 2) scan.bad("expected a dtype of more than one byte");
  encoding.dtype = *dtype;
  scan.expect(',');
  field("shape");
  scan.expect('[');
  if (!scan.take(']')) {
    do {
      if (encoding.shape.size() == limits.max_rank) scan.bad("too many axes");
      encoding.shape.push_back(scan.number());
    } while (scan.take(','));
    scan.expect(']');
  }
  scan.expect(',');
  field("steps");
  encoding.packing = parse_steps(scan);
  scan.expect('}');
  if (encoding.packing == Packing::delta_planes && !is_integer(encoding.dtype)) {
    scan.bad("differences of a type that is not an integer");
  }
  return encoding;
}

}  // namespace

Packing choose_packing(const Tensor& tensor) {
  const std::size_t size = item_size(tensor.dtype);
  if (size < 2 || tensor.content().size() < kMinBytes) return Packing::none;
  if (tensor.shape.size() >= TensorLimits{}.max_rank) return Packing::none;
  bool ascending = false;
  if (is_integer(tensor.dtype)) {
    with_word(size, [&](auto word) {
      ascending =
          mostly_ascending<decltype(word)>(tensor.content().data(), tensor.content().size() / size);
    });
  }
  return ascending ? Packing::delta_planes : Packing::planes;
}

void pack_range(const Tensor& tensor, Packing packing, std::uint64_t offset,
                std::span<std::byte> to) {
  const std::size_t size = item_size(tensor.dtype);
  const std::uint64_t n = tensor.content().size() / size;
  for (std::size_t done = 0; done < to.size();) {
    const std::uint64_t plane = (offset + done) / n;
    const std::uint64_t first = (offset + done) % n;
    const std::uint64_t count = std::min<std::uint64_t>(n - first, to.size() - done);
    with_word(size, [&](auto word) {
      split_plane<decltype(word)>(tensor.content().data(), packing == Packing::delta_planes, plane,
                                  first, count, to.data() + done);
    });
    done += count;
  }
}

void merge_planes(std::size_t item_size, std::uint64_t num_elements, const std::byte* planes,
                  std::byte* to) {
  with_word(item_size, [&](auto word) {
    using Word = decltype(word);
    const auto merge = [&](std::size_t begin, std::size_t end, int) {
      merge_range<Word>(planes, num_elements, begin, end, to);
    };
    if (num_elements * item_size < kParallelBytes) return merge(0, num_elements, 0);
    parallel_ranges(num_elements, merge);
  });
}

std::uint64_t sum_differences(std::size_t item_size, std::uint64_t num_elements, std::byte* values,
                              std::uint64_t before) {
  with_word(item_size, [&](auto word) {
    using Word = decltype(word);
    Word sum = static_cast<Word>(before);
    for (std::uint64_t i = 0; i < num_elements; ++i) {
      sum = static_cast<Word>(sum + load<Word>(values, i));
      store(values, i, sum);
    }
    before = sum;
  });
  return before;
}

void unpack(const TensorInfo& info, const std::byte* packed, std::span<std::byte> to) {
  const std::size_t size = item_size(info.dtype);
  merge_planes(size, to.size() / size, packed, to.data());
  if (info.packing == Packing::delta_planes) sum_differences(size, to.size() / size, to.data());
}

std::string encoding_text(const DocumentInfo& info) {
  std::string text;
  for (const TensorInfo& tensor : info.tensors) {
    if (tensor.packing == Packing::none) continue;
    text += (text.empty() ? "{" : ",") + json_string(tensor.name) + ":{\"dtype\":\"" +
            std::string(dtype_name(tensor.dtype)) + "\",\"shape\":[";
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      text += (i == 0 ? "" : ",") + std::to_string(tensor.shape[i]);
    }
    text += "],\"steps\":[";
    text += tensor.packing == Packing::delta_planes ? "\"delta\",\"planes\"]}" : "\"planes\"]}";
  }
  return text.empty() ? text : text + "}";
}

void apply_encoding(DocumentInfo& info, const TensorLimits& limits, const std::string& place) {
  const auto key = info.metadata.find(kEncodingKey);
  if (key == info.metadata.end()) return;
  const std::string text = std::move(key->second);
  info.metadata.erase(key);
  std::map<std::string_view, TensorInfo*> by_name;
  for (TensorInfo& tensor : info.tensors) by_name[tensor.name] = &tensor;

  const std::string scanned = place + ": frugal.enc";
  JsonScanner scan(text, scanned);
  scan.expect('{');
  do {
    const std::string name = scan.string("a tensor name", limits.max_name);
    scan.expect(':');
    Encoding encoding = parse_encoding(scan, limits);
    const auto found = by_name.find(name);
    // A tensor named twice is no longer of type U8 the second time.
    if (found == by_name.end() || found->second->packing != Packing::none ||
        found->second->dtype != Dtype::u8 ||
        found->second->shape != packed_shape(encoding.dtype, encoding.shape)) {
      scan.bad("it does not fit tensor '" + printable(name) + "'");
    }
    found->second->dtype = encoding.dtype;
    found->second->shape = std::move(encoding.shape);
    found->second->packing = encoding.packing;
  } while (scan.take(','));
  scan.expect('}');
  scan.expect_padding();
}

}  // namespace frugal
