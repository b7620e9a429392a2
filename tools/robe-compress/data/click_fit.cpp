#include "tools/robe-compress/data/click_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/data/click_reader.h"
#include "tools/robe-compress/data/number_sums.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kInsertionsAhead = 16;  ///< insertions whose cache lines are asked for
constexpr std::size_t kAllPieces = std::numeric_limits<std::size_t>::max();

/// A field's categories by first appearance, until the ranks are known.
struct CountedField {
  HashIndex index;
  std::vector<std::uint32_t> counts;      ///< training samples by id
  std::vector<std::uint32_t> final_rows;  ///< by id
  std::uint64_t max_row = 0;              ///< ids that are rows: the highest
};

std::string folder_of(const ClickOptions& options) {
  return options.cache_dir.empty() ? temporary_folder() : options.cache_dir;
}

/// The memory that samples may take.
std::uint64_t sample_memory(const ClickOptions& options) {
  if (options.max_memory) return *options.max_memory;
  const std::uint64_t left = memory_available();
  return left == 0 ? std::numeric_limits<std::uint64_t>::max() : left / 2;
}

class Fitter {
 public:
  Fitter(const std::string& path, const ClickOptions& options, const HeldOut& held_out,
         const ClickEncoder* encoder)
      : options_(options),
        held_out_(held_out),
        reader_(path, options),
        fitted_(encoder != nullptr ? nullptr
                                   : std::make_unique<ClickEncoder>(
                                         make_schema(options, reader_.name(), reader_.head()))),
        grown_(encoder != nullptr && options.grows && encoder->schema().ids == IdKind::count
                   ? std::make_unique<ClickEncoder>(encoder->clone())
                   : nullptr),
        encoder_(encoder != nullptr ? *encoder : *fitted_),
        store_(encoder_.num_fields(), encoder_.num_numbers(), sample_memory(options),
               folder_of(options)),
        fields_(encoder_.num_fields()),
        different_numbers_(fitted_ ? encoder_.num_numbers() : 0),
        different_ids_(fitted_ && !counts() ? encoder_.num_fields() : 0) {}

  FittedSamples run() {
    const ClickSchema& schema = encoder_.schema();
    ClickLayout layout =
        find_layout(schema, options_, reader_.name(), reader_.head(), Labels::required);
    layout.keeps_values = !different_ids_.empty();
    reader_.start(std::move(layout));
    encodes_ = !fitted_ || (schema.ids != IdKind::count && !schema.rows.empty());
    reader_.read(
        kAllPieces,
        [&](ClickParser& parser, const TextPiece& text, ParsedPiece& piece) {
          if (encodes_) encode(parser, text, piece);
        },
        [&](ParsedPiece& piece) { take(piece); });
    store_.finish();
    check_samples();
    const std::uint64_t positives = training_positives();
    if (fitted_) fit();
    if (grown_) grow();
    return {fitted_ ? std::move(fitted_) : std::move(grown_), std::move(store_), positives,
            std::move(unknown_)};
  }

  const std::string& name() const { return reader_.name(); }
  /// Columns of categories that turned out to be numbers.
  const std::set<std::string>& with_fractions() const { return fractions_; }

 private:
  bool counts() const { return encoder_.schema().ids == IdKind::count; }
  bool is_training(std::uint64_t sample) const {
    return !held_out_.contains(sample, store_.size());
  }

  void encode(ClickParser& parser, const TextPiece& text, ParsedPiece& piece) const {
    encoder_.encode_rows(piece);
    check_unknown(options_, encoder_, parser, text, piece);
    if (!fitted_) encoder_.scale_numbers(piece.numbers.data(), piece.size, store_.num_numbers());
  }

  /// Rows that are final, or ids by first appearance.
  void take(ParsedPiece& piece) {
    if (!encodes_) {
      piece.rows.resize(piece.keys.size());
      for (std::size_t f = 0; f < fields_.size(); ++f) number_field(f, piece);
    } else if (grown_) {
      for (std::size_t f = 0; f < fields_.size(); ++f) number_new(f, piece);
    }
    add_unknown(piece, unknown_);
    note_fractions(piece);
    count_values(piece);
    const std::size_t fields = fields_.size(), numbers = store_.num_numbers();
    for (std::size_t i = 0; i < piece.size; ++i) {
      std::uint32_t* const sample = store_.append();
      std::copy_n(piece.rows.data() + i * fields, fields, sample);
      float* const rest = store_.numbers(sample);
      std::copy_n(piece.numbers.data() + i * numbers, numbers, rest);
      rest[numbers] = piece.labels[i];
      positives_ += piece.labels[i] > 0.5F ? 1 : 0;
    }
  }

  std::uint64_t training_positives() const {
    std::uint64_t positives = positives_;
    for (std::uint64_t i = 0; i < held_out_.count(store_.size()); ++i) {
      const std::uint64_t sample = held_out_.held_out_sample(i, store_.size());
      positives -= store_.label(store_.sample(sample)) > 0.5F ? 1 : 0;
    }
    return positives;
  }

  /// Counts different values of numbers, and of ids without a vocabulary.
  void count_values(const ParsedPiece& piece) {
    const std::size_t fields = fields_.size(), numbers = store_.num_numbers();
    for (std::size_t n = 0; n < different_numbers_.size(); ++n) {
      for (std::size_t i = 0; i < piece.size; ++i) {
        const float x = piece.numbers[i * numbers + n];
        if (!std::isnan(x)) different_numbers_[n].add(mix64(std::bit_cast<std::uint32_t>(x)));
      }
    }
    for (std::size_t f = 0; f < different_ids_.size(); ++f) {
      for (std::size_t i = 0; i < piece.size; ++i) {
        different_ids_[f].add(mix64(piece.values[i * fields + f]));
      }
    }
  }

  void number_field(std::size_t f, ParsedPiece& piece) {
    CountedField& field = fields_[f];
    const std::size_t fields = fields_.size();
    for (std::size_t i = 0; i < piece.size; ++i) {
      const std::uint64_t key = piece.keys[i * fields + f];
      std::uint32_t id = 0;
      if (counts()) {
        if (i + kInsertionsAhead < piece.size)
          field.index.prefetch(piece.keys[(i + kInsertionsAhead) * fields + f]);
        id = field.index.insert(key);
        if (id == field.counts.size()) field.counts.push_back(0);
        ++field.counts[id];
      } else {
        id = static_cast<std::uint32_t>(key);
        field.max_row = std::max(field.max_row, key);
      }
      piece.rows[i * fields + f] = id;
    }
  }

  void note_fractions(const ParsedPiece& piece) {
    for (std::size_t f = 0; f < piece.fractions.size(); ++f) {
      if (piece.fractions[f]) fractions_.insert(encoder_.field_name(f));
    }
  }

  /// Categories that the model does not know, behind the rows that it has.
  void number_new(std::size_t f, ParsedPiece& piece) {
    CountedField& field = fields_[f];
    const std::size_t fields = fields_.size();
    for (std::size_t i = f; i < piece.rows.size(); i += fields) {
      if (piece.rows[i] != 0) continue;  // row 0 answers for what is unknown
      const std::uint32_t id = field.index.insert(piece.keys[i]);
      if (id == field.counts.size()) field.counts.push_back(0);
      ++field.counts[id];
      const std::uint64_t row = encoder_.field_rows(f) + id;
      if (row >= kMostTableRows) fail_rows(f, row);
      piece.rows[i] = static_cast<std::uint32_t>(row);
    }
  }

  [[noreturn]] void fail_rows(std::size_t f, std::uint64_t rows) const {
    fail(ExitStatus::unavailable, reader_.name(), ": column '", printable(encoder_.field_name(f)),
         "' has ", rows, " categories, expected fewer than ", kMostTableRows);
  }

  void check_samples() const {
    const std::uint64_t held_out = held_out_.count(store_.size());
    const std::uint64_t training = store_.size() - held_out;
    if (training == 0) {
      fail(ExitStatus::bad_input, reader_.name(), ": has no samples to train on",
           options_.lines.empty() && options_.days.empty() ? "" : " where --lines and --days look");
    }
    if (!options_.held_out.empty() && held_out == 0) {
      fail(ExitStatus::usage, reader_.name(), ": --held-out ", printable(options_.held_out),
           " holds out none of ", format_count(store_.size(), "sample"),
           ", expected a smaller K, or a larger share");
    }
    if (store_.size() >= std::numeric_limits<std::uint32_t>::max()) {
      fail(ExitStatus::unavailable, reader_.name(), ": has ", store_.size(),
           " samples, expected fewer than 4294967295 to store; stream them");
    }
  }

  void fit() {
    const auto counted = [this](const DistinctCount& different) {
      return ValueCount{different.count(), store_.size(), different.is_exact()};
    };
    for (std::size_t n = 0; n < different_numbers_.size(); ++n) {
      fitted_->set_number_values(n, counted(different_numbers_[n]));
    }
    for (std::size_t f = 0; f < different_ids_.size(); ++f) {
      fitted_->set_values(f, counted(different_ids_[f]));
    }
    if (counts()) {
      forget_held_out();
      parallel_for(fields_.size(), 1, [&](std::size_t f) {
        RankedField ranked = rank_field(f);
        fitted_->set_values(f, {ranked.values, store_.size() - held_out_.count(store_.size())});
        ranked.categories.counts.insert(ranked.categories.counts.begin(), ranked.rare);
        fitted_->set_vocabulary(f, std::move(ranked.categories.keys),
                                std::move(ranked.categories.counts));
      });
    } else if (encoder_.schema().rows.empty()) {
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        fitted_->set_rows(f, fields_[f].max_row + 1);
      }
    }
    if (encoder_.schema().scale_numbers) fit_scales();
    parallel_for(store_.num_chunks(), 1, [&](std::size_t chunk) { finish_chunk(chunk); });
  }

  /// Subtracts held-out samples, which were counted before the number of samples was known.
  void forget_held_out() {
    for (std::uint64_t i = 0; i < held_out_.count(store_.size()); ++i) {
      const std::uint32_t* rows = store_.sample(held_out_.held_out_sample(i, store_.size()));
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        const std::uint64_t known = grown_ ? encoder_.field_rows(f) : 0;
        if (rows[f] >= known) --fields_[f].counts[rows[f] - known];
      }
    }
  }

  /// Assigns rows to new categories, and row 0 to those that are too rare.
  void grow() {
    forget_held_out();
    std::vector<NewCategories> added(fields_.size());
    parallel_for(fields_.size(), 1, [&](std::size_t f) { added[f] = rank_field(f).categories; });
    std::vector<std::size_t> known;
    for (std::size_t f = 0; f < fields_.size(); ++f) known.push_back(encoder_.counts(f).size());
    grown_->grow(std::move(added));
    parallel_for(store_.num_chunks(), 1, [&](std::size_t chunk) {
      for (std::uint64_t i = chunk * SampleStore::kChunk; i < store_.chunk_end(chunk); ++i) {
        std::uint32_t* const rows = store_.sample(i);
        for (std::size_t f = 0; f < fields_.size(); ++f) {
          if (rows[f] < encoder_.field_rows(f)) continue;
          const std::uint32_t rank = fields_[f].final_rows[rows[f] - encoder_.field_rows(f)];
          rows[f] =
              rank == 0 ? 0 : static_cast<std::uint32_t>(grown_->row_of(f, known[f] + rank - 1));
        }
      }
    });
  }

  struct RankedField {
    NewCategories categories;
    std::uint32_t rare = 0;  ///< samples of those that share row 0
    std::uint64_t values = 0;
  };

  /// By falling count, ties by first appearance; what is too rare shares row 0.
  RankedField rank_field(std::size_t f) {
    CountedField& field = fields_[f];
    RankedField ranked;
    std::vector<std::uint64_t> order;  // the complement of the count above the id
    for (std::uint32_t id = 0; id < field.counts.size(); ++id) {
      const std::uint32_t count = field.counts[id];
      ranked.values += count != 0 ? 1 : 0;
      if (count >= options_.min_count) {
        order.push_back(std::uint64_t{~count} << 32 | id);
      } else {
        ranked.rare += count;
      }
    }
    std::sort(order.begin(), order.end());
    field.final_rows.assign(field.counts.size(), 0);
    auto& [keys, counts] = ranked.categories;
    keys.reserve(order.size());
    counts.reserve(order.size() + 1);
    for (const std::uint64_t entry : order) {
      const auto id = static_cast<std::uint32_t>(entry);
      keys.push_back(field.index.keys()[id]);
      counts.push_back(field.counts[id]);
      field.final_rows[id] = static_cast<std::uint32_t>(keys.size());
    }
    field.index = HashIndex();
    field.counts = {};
    return ranked;
  }

  void fit_scales() {
    const std::size_t numbers = store_.num_numbers();
    std::vector<std::vector<NumberSums>> sums(store_.num_chunks());
    parallel_for(store_.num_chunks(), 1, [&](std::size_t chunk) {
      sums[chunk].resize(numbers);
      for (std::uint64_t i = chunk * SampleStore::kChunk; i < store_.chunk_end(chunk); ++i) {
        if (!is_training(i)) continue;
        const float* x = store_.numbers(store_.sample(i));
        for (std::size_t n = 0; n < numbers; ++n) sums[chunk][n].add(x[n]);
      }
    });
    for (std::size_t n = 0; n < numbers; ++n) {
      NumberSums total;
      for (const auto& part : sums) total.merge(part[n]);
      fitted_->set_scale(n, total.scale());
    }
  }

  /// Ids become rows, numbers are scaled.
  void finish_chunk(std::size_t chunk) {
    const std::uint64_t begin = chunk * SampleStore::kChunk, end = store_.chunk_end(chunk);
    std::uint32_t* const first = store_.sample(begin);
    if (counts()) {
      for (std::uint64_t i = begin; i < end; ++i) {
        std::uint32_t* const rows = store_.sample(i);
        for (std::size_t f = 0; f < fields_.size(); ++f) rows[f] = fields_[f].final_rows[rows[f]];
      }
    }
    encoder_.scale_numbers(store_.numbers(first), end - begin, store_.sample_words());
  }

  const ClickOptions& options_;
  const HeldOut& held_out_;
  ClickReader reader_;
  std::unique_ptr<ClickEncoder> fitted_;
  std::unique_ptr<ClickEncoder> grown_;  ///< the given one, with what it did not know
  const ClickEncoder& encoder_;          ///< the given or the fitted one
  SampleStore store_;
  std::vector<CountedField> fields_;
  std::vector<DistinctCount> different_numbers_, different_ids_;
  std::uint64_t positives_ = 0;
  UnknownCounts unknown_;
  std::set<std::string> fractions_;
  bool encodes_ = false;  ///< rows are final while pieces are read
};

}  // namespace

void check_unknown(const ClickOptions& options, const ClickEncoder& encoder, ClickParser& parser,
                   const TextPiece& text, const ParsedPiece& piece) {
  if (!piece.unknown) return;
  const IdKind ids = encoder.schema().ids;
  if (ids == IdKind::count && options.unknown != "error") return;
  const std::string found = parser.describe(text, piece, *piece.unknown);
  if (ids == IdKind::count) {
    fail(ExitStatus::bad_input, found, ", expected one of the ",
         encoder.field_rows(piece.unknown->field) - 1, " categories of the training data");
  }
  fail(ExitStatus::bad_input, found, ", expected a row below ",
       encoder.field_rows(piece.unknown->field), " (--rows, --max-rows)");
}

FittedSamples read_samples(const std::string& path, const ClickOptions& options,
                           const HeldOut& held_out, const ClickEncoder* encoder) {
  Fitter fitter(path, options, held_out, encoder);
  FittedSamples samples = fitter.run();
  if (fitter.with_fractions().empty()) return samples;
  ClickOptions others = options;
  others.with_fractions.assign(fitter.with_fractions().begin(), fitter.with_fractions().end());
  const std::string found = fitter.name() +
                            ": whole numbers in the first records, fractions behind them: " +
                            joined(others.with_fractions);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    fail(ExitStatus::bad_input, found, "; declare what they are, like --columns ",
         printable(others.with_fractions.front()), ":number");
  }
  log_info(found, "; they are read again as numbers");
  return Fitter(path, others, held_out, encoder).run();
}

}  // namespace frugal::robe
