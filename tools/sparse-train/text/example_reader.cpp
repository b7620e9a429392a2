#include "tools/sparse-train/text/example_reader.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash_index.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/data/table_style.h"
#include "tools/sparse-train/text/label_table.h"

namespace frugal::sparse {
namespace {

static_assert(HashIndex::kMissing == LabelTable::kMissing);

/// Hands out pieces of the text in order, with the place for their examples, until the batch is
/// full. Once it stops, all pieces up to that place have been handed out: errors found in them are
/// the first ones of the input.
class PieceQueue {
 public:
  PieceQueue(PieceReader& reader, DelimitedStyle style, std::uint64_t max_memory)
      : reader_(reader), style_(style), max_memory_(max_memory) {}

  ExamplePiece* next(TextPiece& text) {
    const std::lock_guard lock(mutex_);
    if (stopped_ || memory_ > max_memory_) return nullptr;
    try {
      at_end_ = !next_piece(reader_, style_, text);
    } catch (const Error&) {
      error_ = std::current_exception();
    }
    stopped_ = at_end_ || error_ != nullptr;
    return stopped_ ? nullptr : &pieces_.emplace_back();
  }
  void add_memory(std::uint64_t bytes) { memory_ += bytes; }
  void stop() { stopped_ = true; }
  bool at_end() const { return at_end_; }
  /// The pieces in order. Call after all work is done.
  std::vector<ExamplePiece> take() {
    return {std::make_move_iterator(pieces_.begin()), std::make_move_iterator(pieces_.end())};
  }
  void rethrow_reader_error() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  PieceReader& reader_;
  DelimitedStyle style_;
  std::uint64_t max_memory_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  bool at_end_ = false;
  std::atomic<std::uint64_t> memory_ = 0;
  std::exception_ptr error_;
  std::deque<ExamplePiece> pieces_;  ///< a deque: its elements stay where they are
};

/// Whether one thread would have stopped before the last piece.
bool exceed(const std::vector<ExamplePiece>& pieces, std::uint64_t max_memory) {
  std::uint64_t memory = 0;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) memory += pieces[i].memory();
  return memory > max_memory;
}

}  // namespace

ExampleReader::ExampleReader(PieceReader& reader, const InputLayout& layout,
                             const FeatureOptions& options, const KnownFeatures& known,
                             FinishPiece finish)
    : reader_(reader),
      layout_(layout),
      options_(options),
      known_(known),
      finish_(std::move(finish)) {
  reader.set_style(layout.style);
}

std::vector<ExamplePiece> ExampleReader::next_batch(std::uint64_t max_memory) {
  if (all_read_) {
    at_end_ = true;
    return {};
  }
  PieceQueue queue(reader_, layout_.style, max_memory);
  std::atomic<std::uint64_t> num_bad = num_bad_;
  parallel_threads([&](int) {
    try {
      ExampleParser parser(options_, layout_, known_);
      TextPiece text;
      while (ExamplePiece* piece = queue.next(text)) {
        *piece = parser.parse(text);
        finish_(*piece, parser.hashes());
        queue.add_memory(piece->memory());
        for (const BadLine& bad : piece->bad_lines) num_bad += bad.lines;
        if (num_bad > options_.skip_bad) queue.stop();
      }
    } catch (...) {
      queue.stop();
      throw;
    }
  });
  std::vector<ExamplePiece> pieces = queue.take();
  all_read_ = queue.at_end();
  // Threads that read ahead come to the end of what one thread would have divided.
  at_end_ = all_read_ && !exceed(pieces, max_memory);
  check_bad_lines(pieces);
  queue.rethrow_reader_error();
  if (all_read_) finish_input();
  return pieces;
}

void ExampleReader::check_bad_lines(std::vector<ExamplePiece>& pieces) {
  for (ExamplePiece& piece : pieces) {
    num_records_ += piece.size() + piece.bad_lines.size();
    num_empty_ += piece.empty_lines;
    for (const BadLine& bad : piece.bad_lines) {
      const std::string place = name() + ":" + std::to_string(bad.line) + ": " + bad.problem;
      const std::uint64_t before = std::exchange(num_bad_, num_bad_ + bad.lines);
      if (before == 0) first_bad_ = place;
      if (num_bad_ <= options_.skip_bad) continue;
      fail(ExitStatus::bad_input, place,
           before == 0 ? "" : "; skipped " + format_count(before, "bad line") + " before it");
    }
    piece.bad_lines.clear();
    for (const BadLine& joined : piece.joined_rows) {
      const bool is_first = ++num_joined_ == 1;
      if (is_first)
        first_joined_ = name() + ":" + std::to_string(joined.line) + ": " + joined.problem;
    }
    piece.joined_rows.clear();
  }
}

void ExampleReader::finish_input() {
  if (!options_.quiet) warn_of_empty_lines(name(), num_empty_, num_records_ + num_empty_);
  if (num_joined_ > 0 && !options_.quiet) {
    log_warning(first_joined_,
                num_joined_ == 1 ? "" : "; so do " + std::to_string(num_joined_ - 1) + " more");
  }
  if (num_bad_ > 0 && !options_.quiet) {
    log_warning(first_bad_, " (skipped ", num_bad_,
                num_bad_ == 1 ? " bad line)" : " bad lines, this is the first)");
  }
  if (!layout_.format->counts || num_records_ == layout_.num_points) return;
  fail(ExitStatus::bad_input, name(), ":1: the header says ", layout_.num_points,
       " points, expected the ", num_records_,
       " that follow (lines without any character are none)");
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

}  // namespace frugal::sparse
