#include "tools/sparse-train/data/example_reader.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/data/hash_index.h"
#include "tools/sparse-train/data/label_table.h"

namespace frugal {
namespace {

static_assert(HashIndex::kMissing == LabelTable::kMissing);

/// Hands out pieces of the text in order, with the place for their examples. Once it stops, all
/// pieces up to that place have been handed out: errors found in them are the first ones of the
/// input.
class PieceQueue {
 public:
  explicit PieceQueue(PieceReader& reader) : reader_(reader) {}

  ExamplePiece* next(TextPiece& text) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return nullptr;
    try {
      stopped_ = !reader_.next(text);
    } catch (const Error&) {
      stopped_ = true;
      error_ = std::current_exception();
    }
    return stopped_ ? nullptr : &pieces_.emplace_back();
  }
  void stop() { stopped_ = true; }
  /// The pieces in order. Call after all work is done.
  std::vector<ExamplePiece> take() {
    return {std::make_move_iterator(pieces_.begin()), std::make_move_iterator(pieces_.end())};
  }
  void rethrow_reader_error() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  PieceReader& reader_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
  std::deque<ExamplePiece> pieces_;  ///< a deque: its elements stay where they are
};

void check_bad_lines(const std::vector<ExamplePiece>& pieces, const std::string& name,
                     std::uint64_t skip_bad) {
  std::uint64_t num_bad = 0;
  const BadLine* first = nullptr;
  for (const ExamplePiece& piece : pieces) {
    for (const BadLine& bad : piece.bad_lines) {
      if (first == nullptr) first = &bad;
      if (++num_bad <= skip_bad) continue;
      fail(ExitStatus::bad_input, name, ":", bad.line, ": ", bad.problem,
           skip_bad == 0 ? "" : "; skipped " + std::to_string(skip_bad) + " bad lines before it");
    }
  }
  if (num_bad > 0) {
    log_warning(name, ":", first->line, ": ", first->problem, " (skipped ", num_bad,
                num_bad == 1 ? " bad line)" : " bad lines, this is the first)");
  }
}

void check_num_points(const std::vector<ExamplePiece>& pieces, const std::string& name,
                      const InputLayout& layout) {
  if (layout.format != "xmc") return;
  std::uint64_t points = 0;
  for (const ExamplePiece& piece : pieces) points += piece.size() + piece.bad_lines.size();
  if (points == layout.num_points) return;
  fail(ExitStatus::bad_input, name, ":1: the header says ", layout.num_points,
       " points, expected the ", points, " that follow");
}

template <class T>
void copy_to(const std::vector<T>& from, Column<T>& to, std::uint64_t begin) {
  std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(begin));
}

struct Offsets {
  std::size_t examples, features, labels;
};

/// Writes begin[first + 1 + i], where the row before them begins at `offset`.
void write_begins(const std::vector<std::uint32_t>& sizes, std::size_t first, std::uint64_t offset,
                  Column<std::uint64_t>& begin) {
  for (std::size_t i = 0; i < sizes.size(); ++i) begin[first + 1 + i] = offset += sizes[i];
}

}  // namespace

std::vector<ExamplePiece> read_examples(PieceReader& reader, const InputLayout& layout,
                                        const FeatureOptions& options, const FinishPiece& finish) {
  reader.set_style(layout.style());
  PieceQueue queue(reader);
  std::atomic<std::uint64_t> num_bad = 0;
  parallel_threads([&](int) {
    try {
      ExampleParser parser(options, layout);
      TextPiece text;
      while (ExamplePiece* piece = queue.next(text)) {
        *piece = parser.parse(text);
        finish(*piece, parser.hashes());
        if (num_bad += piece->bad_lines.size(); num_bad > options.skip_bad) queue.stop();
      }
    } catch (...) {
      queue.stop();
      throw;
    }
  });
  std::vector<ExamplePiece> pieces = queue.take();
  check_bad_lines(pieces, reader.name(), options.skip_bad);
  queue.rethrow_reader_error();
  check_num_points(pieces, reader.name(), layout);
  return pieces;
}

void drop_missing(ExamplePiece& piece) {
  const auto drop = [](std::vector<std::uint32_t>& sizes, std::vector<std::uint32_t>& ids,
                       std::vector<float>* values) {
    std::size_t from = 0, to = 0;
    for (std::uint32_t& size : sizes) {
      const std::size_t begin = to;
      for (const std::size_t end = from + size; from < end; ++from) {
        if (ids[from] == HashIndex::kMissing) continue;
        if (values != nullptr) (*values)[to] = (*values)[from];
        ids[to++] = ids[from];
      }
      size = static_cast<std::uint32_t>(to - begin);
    }
    ids.resize(to);
    if (values != nullptr) values->resize(to);
  };
  drop(piece.num_features, piece.features, piece.values.empty() ? nullptr : &piece.values);
  drop(piece.num_labels, piece.labels, nullptr);
}

void append_examples(const std::vector<ExamplePiece>& pieces, Dataset& data) {
  std::vector<Offsets> offsets;
  Offsets end{data.size(), data.features.size(), data.labels.size()};
  bool has_values = false;
  for (const ExamplePiece& piece : pieces) {
    offsets.push_back(end);
    end.examples += piece.size();
    end.features += piece.features.size();
    end.labels += piece.labels.size();
    has_values |= !piece.values.empty();
  }
  data.feature_begin.resize(end.examples + 1);
  data.label_begin.resize(end.examples + 1);
  data.features.resize(end.features);
  if (has_values) data.values.resize(end.features);
  data.labels.resize(end.labels);
  parallel_for(pieces.size(), 1, [&](std::size_t p) {
    const ExamplePiece& piece = pieces[p];
    const Offsets& at = offsets[p];
    write_begins(piece.num_features, at.examples, at.features, data.feature_begin);
    write_begins(piece.num_labels, at.examples, at.labels, data.label_begin);
    copy_to(piece.features, data.features, at.features);
    copy_to(piece.values, data.values, at.features);
    copy_to(piece.labels, data.labels, at.labels);
  });
}

}  // namespace frugal
