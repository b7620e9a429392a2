/// Look-ups a second on one thread: full tables against ROBE arrays, and how much of the rate at
/// which blocks of the same array are copied from known random places (the bound) that is.
///
///     bench_lookups [--gib 10] [--dims 16,32,64,128] [--arrays 1,10,100] [--storages f32]
///                   [--seconds 1] [--batch 4] [--samples 1048576]
///
/// 26 tables of as many rows each as `--gib` hold; arrays in MB (10^6 bytes), which int8 and int4
/// fill with more numbers. Ids are uniform, or
/// by Zipf's law with exponent 1.1, the frequent ones first as the tool numbers them. A JSON line
/// for each case as it ends, last the table. Times are CPU times: the median of eleven slices.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/block_embedding.h"
#include "libcore/embedding/full_embedding.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/clock.h"

namespace frugal {
namespace {

constexpr std::size_t kTables = 26;
constexpr std::size_t kSmallBlock = 32;  ///< Z of a model beside Z = dim
constexpr int kSlices = 11;
constexpr double kZipf = 1.1;

struct Options {
  double gib = 10, seconds = 1;
  std::size_t batch = 4;  ///< samples in a call: their rows stay in L1 or L2
  std::vector<std::size_t> dims = {16, 32, 64, 128}, arrays = {1, 10, 100};
  std::vector<Storage> storages = {Storage::f32};
  std::size_t samples = std::size_t{1} << 20;  ///< their rows are more than the last cache holds
};

struct Case {
  std::string ids, tables;
  std::size_t dim = 0, block = 0;
  double millions = 0;  ///< look-ups (rows) a second
  double ratio = 1;     ///< to the full tables of the same ids and dim
  double bound = 0;     ///< look-ups a second when the places are known; 0: not measured
};

TableSet make_tables(double gib, std::size_t dim) {
  const auto rows =
      static_cast<std::uint64_t>(gib * 0x1p30 / 4 / static_cast<double>(dim) / kTables);
  std::vector<TableShape> shapes(kTables);
  for (std::size_t t = 0; t < kTables; ++t) shapes[t] = {"t" + std::to_string(t), rows};
  return TableSet(shapes, dim);
}

/// Memory that nobody has written is one page of zeros, and always in the cache.
void write_all(ArrayEmbedding& embedding) {
  const std::span<float> values = embedding.array().values();
  std::fill(values.begin(), values.end(), 0.5F);
}

/// Rows of samples: [samples, tables], all tables of the same size.
std::vector<std::uint32_t> draw_rows(std::uint64_t rows, std::size_t samples, bool zipf) {
  std::vector<std::uint32_t> result(samples * kTables);
  Rng rng(1);
  const double span = std::pow(static_cast<double>(rows) + 1, 1 - kZipf) - 1;
  for (std::uint32_t& row : result) {
    const double rank = std::pow(1 + span * rng.uniform(), 1 / (1 - kZipf)) - 1;
    row = static_cast<std::uint32_t>(
        zipf ? std::min<std::uint64_t>(static_cast<std::uint64_t>(rank), rows - 1)
             : rng.below(rows));
  }
  return result;
}

/// Calls a second of call(k), k = 0, 1, ... count - 1, 0 ...; the first slice only warms up.
template <class Call>
double calls_per_second(std::size_t count, double seconds, Call call) {
  std::vector<double> rates;
  std::size_t k = 0;
  for (int slice = 0; slice <= kSlices; ++slice) {
    const double begin = cpu_seconds();
    double spent = 0;
    std::size_t calls = 0;
    do {
      for (int i = 0; i < 64; ++i, ++calls, k = k + 1 == count ? 0 : k + 1) call(k);
      spent = cpu_seconds() - begin;
    } while (spent < seconds / kSlices);
    if (slice > 0) rates.push_back(static_cast<double>(calls) / spent);
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

double millions_of_lookups(const Embedding& embedding, const std::vector<std::uint32_t>& rows,
                           const Options& options) {
  const std::size_t width = kTables * embedding.tables().dim();
  Array<float> out(options.batch * width);
  const std::size_t calls = rows.size() / (options.batch * kTables);
  return 1e-6 * static_cast<double>(options.batch * kTables) *
         calls_per_second(calls, options.seconds, [&](std::size_t k) {
           embedding.lookup({rows.data() + k * options.batch * kTables, options.batch, kTables},
                            {out.data(), options.batch, width});
         });
}

/// The same copies from places that are known: neither ids nor hashing.
double bound(const BlockEmbedding& embedding, const Options& options) {
  const std::size_t block = embedding.hash().block();
  const std::size_t blocks = options.batch * kTables * embedding.hash().blocks_per_row();
  const std::size_t calls = std::max<std::size_t>(1, options.samples / options.batch / 8);
  std::vector<std::uint32_t> starts(calls * blocks);
  Rng rng(2);
  for (std::uint32_t& start : starts) {
    start = static_cast<std::uint32_t>(rng.below(embedding.array().size() - block + 1));
  }
  Array<float> out(blocks * block);
  const float* values = embedding.array().values().data();
  return 1e-6 * static_cast<double>(options.batch * kTables) *
         calls_per_second(calls, options.seconds, [&](std::size_t k) {
           kernels().gather_rows(values, 1, block, starts.data() + k * blocks, blocks, out.data(),
                                 block);
         });
}

void print_json(const Case& c) {
  std::printf(
      "{\"ids\": \"%s\", \"tables\": \"%s\", \"dim\": %zu, \"block\": %zu, \"millions\": %.3f, "
      "\"ratio\": %.3f, \"bound\": %.3f}\n",
      c.ids.c_str(), c.tables.c_str(), c.dim, c.block, c.millions, c.ratio, c.bound);
  std::fflush(stdout);
}

void print_table(const std::vector<Case>& cases) {
  std::puts(
      "| ids | dim | tables | Z | M look-ups/s | to full tables | share of the bound |\n"
      "|---|---:|---|---:|---:|---:|---:|");
  for (const Case& c : cases) {
    const std::string share =
        c.bound > 0 ? std::to_string(std::lround(100 * c.millions / c.bound)) + " %" : "";
    std::printf("| %s | %zu | %s | %zu | %.1f | %.1fx | %s |\n", c.ids.c_str(), c.dim,
                c.tables.c_str(), c.block, c.millions, c.ratio, share.c_str());
  }
}

/// "array, 10 MB", "array, 10 MB, int4".
std::string array_name(std::size_t megabytes, Storage storage) {
  const std::string name = "array, " + std::to_string(megabytes) + " MB";
  return storage == Storage::f32 ? name : name + ", " + std::string(storage_name(storage));
}

/// Full tables first and alone in memory, then arrays of each size, storage and block.
void run_dim(const Options& options, std::size_t dim, std::vector<Case>& cases) {
  const TableSet tables = make_tables(options.gib, dim);
  const std::vector<std::string> laws = {"uniform", "zipf"};
  std::vector<std::vector<std::uint32_t>> rows;
  for (bool zipf : {false, true})
    rows.push_back(draw_rows(tables.table(0).rows, options.samples, zipf));
  std::vector<double> full(rows.size());
  const auto report = [&](Case c, std::size_t law) {
    c.ids = laws[law];
    c.dim = dim;
    c.ratio = c.millions / full[law];
    print_json(c);
    cases.push_back(c);
  };
  {
    const auto embedding = std::make_unique<FullEmbedding>(tables);
    write_all(*embedding);
    for (std::size_t law = 0; law < rows.size(); ++law) {
      full[law] = millions_of_lookups(*embedding, rows[law], options);
      char name[64];
      std::snprintf(name, sizeof name, "full, %.3g GiB", options.gib);
      report({.ids = "", .tables = name, .block = dim, .millions = full[law]}, law);
    }
  }
  for (std::size_t megabytes : options.arrays) {
    for (const Storage storage : options.storages) {
      for (std::size_t block :
           dim > kSmallBlock ? std::vector{dim, kSmallBlock} : std::vector{dim}) {
        BlockEmbedding embedding(tables, {.hash = {.block = block}, .hot = {}},
                                 numbers_in(storage, megabytes * 1000000));
        write_all(embedding);
        const double most = storage == Storage::f32 ? bound(embedding, options) : 0;
        embedding.array().store_as(storage);
        for (std::size_t law = 0; law < rows.size(); ++law) {
          report({.ids = "",
                  .tables = array_name(megabytes, storage),
                  .block = block,
                  .millions = millions_of_lookups(embedding, rows[law], options),
                  .bound = most},
                 law);
        }
      }
    }
  }
}

[[noreturn]] void fail_usage() {
  std::fputs(
      "usage: bench_lookups [--gib G] [--dims N,...] [--arrays MB,...] [--storages NAME,...] "
      "[--seconds S] [--batch N] [--samples N]\n",
      stderr);
  std::exit(64);
}

std::vector<std::size_t> numbers(const char* text) {
  std::vector<std::size_t> result;
  for (char* end = nullptr;; text = end + 1) {
    result.push_back(std::strtoul(text, &end, 10));
    if (result.back() == 0) fail_usage();
    if (*end != ',') return result;
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) fail_usage();
    const char* value = argv[i + 1];
    if (name == "--gib") {
      options.gib = std::atof(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else if (name == "--dims") {
      options.dims = numbers(value);
    } else if (name == "--arrays") {
      options.arrays = numbers(value);
    } else if (name == "--storages") {
      options.storages.clear();
      for (const std::string_view storage : split(value, ',')) {
        options.storages.push_back(storage_from_name(storage));
      }
    } else if (name == "--batch") {
      options.batch = numbers(value)[0];
    } else if (name == "--samples") {
      options.samples = numbers(value)[0];
    } else {
      fail_usage();
    }
  }
  options.samples = std::max(options.samples, 8 * options.batch);
  return options;
}

}  // namespace
}  // namespace frugal

int main(int argc, char** argv) {
  using namespace frugal;
  const Options options = parse(argc, argv);
  std::vector<Case> cases;
  for (std::size_t dim : options.dims) run_dim(options, dim, cases);
  print_table(cases);
}
