#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tools/sparse-train/data/layout_finder.h"
#include "tools/sparse-train/data/tensor_data.h"
#include "tools/sparse-train/text/example_reader.h"
#include "tools/sparse-train/text/training_data.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// A header and `lines` records: text, a number, a category, labels.
std::string table(int lines, int first = 0) {
  Rng rng(3, static_cast<std::uint64_t>(first));
  std::string text = "text,size,kind,tags\n";
  for (int i = 0; i < lines; ++i) {
    for (int w = 0; w < 9; ++w) text += " w" + std::to_string(rng.below(1 + rng.below(4000)));
    text += "," + (i % 11 == 0 ? "" : std::to_string(rng.below(500))) + ",k" +
            std::to_string(rng.below(9)) + ",t" + std::to_string(first + i % 7) + ";t" +
            std::to_string(rng.below(3)) + "\n";
  }
  return text;
}

FeatureOptions options_of(std::optional<std::uint64_t> max_memory) {
  FeatureOptions options;
  options.columns = "text:text,size:number,kind:category,tags:label(;)";
  options.weighting = "tfidf";
  options.min_count = 2;
  options.max_memory = max_memory;
  return options;
}

DataRequest request_for(const TextFile& file, std::optional<std::uint64_t> max_memory) {
  DataRequest request;
  request.path = file.path();
  request.features = options_of(max_memory);
  return request;
}

std::string document_text(const Featurizer& featurizer) {
  Document document;
  featurizer.save(document);
  std::string text;
  for (const auto& [key, value] : document.metadata) text += key + value;
  for (const Tensor& t : document.tensors) {
    text += t.name;
    text.append(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
  }
  return text;
}

class CacheFile {
 public:
  CacheFile() : file_("", ".safetensors") { unlink(file_.path().c_str()); }
  const std::string& path() const { return file_.path(); }

 private:
  TextFile file_;
};

}  // namespace

TEST_CASE("data that do not fit into memory give the same dataset and featurizer") {
  const TextFile file(table(20000), ".csv");
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    const TrainingData small = read_training_data(request_for(file, std::uint64_t{1} << 30));
    const TrainingData large = read_training_data(request_for(file, 300 << 10));
    CHECK(!small.data.features.is_mapped());
    CHECK(large.data.features.is_mapped());
    CHECK(large.data.shuffle_block > 0);
    CHECK(large.data.shuffle_block < large.data.size());
    CHECK(fingerprint(large.data) == fingerprint(small.data));
    CHECK(document_text(large.featurizer) == document_text(small.featurizer));
    const Dataset read = large.featurizer.read(file.path());
    CHECK(read.features.is_mapped());
  }
  set_num_threads(2);
}

TEST_CASE("threads that read ahead find the same end of the first batch as one thread") {
  const TextFile file(table(3000), ".csv");
  const FeatureOptions options = options_of(std::nullopt);
  std::uint64_t limit = std::uint64_t{1} << 40;
  for (const int threads : {1, 1, 2}) {  // the first run measures the two pieces
    set_num_threads(threads);
    PieceReader text(file.path(), std::filesystem::file_size(file.path()) * 2 / 3);
    const InputLayout layout = find_layout(options, text.name(), text.head());
    std::atomic<int> parsed{0};
    // Of two threads one comes to the end of the text before the other has the larger piece.
    ExampleReader reader(text, layout, options, {},
                         [&](ExamplePiece& piece, std::span<const std::uint64_t>) {
                           while (piece.size() > 1500 && parsed + 1 < threads) {
                             std::this_thread::yield();
                           }
                           ++parsed;
                           if (piece.size() > 1500 && threads > 1) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(100));
                           }
                         });
    const std::vector<ExamplePiece> pieces = reader.next_batch(limit);
    const bool measures = limit == std::uint64_t{1} << 40;
    CHECK(reader.at_end() == measures);
    while (!reader.at_end()) reader.next_batch(limit);
    CHECK(parsed == 2);
    if (!measures) continue;
    REQUIRE(pieces.size() == 2);
    REQUIRE(pieces[0].memory() > pieces[1].memory());
    limit = (pieces[0].memory() + pieces[1].memory()) / 2;
  }
  set_num_threads(2);
}

TEST_CASE("a cache gives the same data, until file or options change") {
  const TextFile file(table(500), ".csv");
  const CacheFile cache;
  DataRequest request = request_for(file, std::nullopt);
  const TrainingData plain = read_training_data(request);
  request.cache = cache.path();
  CHECK(!read_training_data(request).from_cache);
  const TrainingData cached = read_training_data(request);
  CHECK(cached.from_cache);
  CHECK(cached.data.features.is_mapped());
  CHECK(fingerprint(cached.data) == fingerprint(plain.data));
  CHECK(document_text(cached.featurizer) == document_text(plain.featurizer));
  request.features.word_ngrams = 1;
  CHECK(!read_training_data(request).from_cache);
  CHECK(read_training_data(request).from_cache);
  std::ofstream(file.path(), std::ios::app) << "more,1,k1,t1\n";
  CHECK(!read_training_data(request).from_cache);
  std::ofstream(cache.path()) << "something else\n";
  CHECK(error_of([&] { read_training_data(request); }).starts_with("2 --cache "));
}

TEST_CASE("a damaged cache is made anew") {
  const TextFile file(table(500), ".csv");
  const CacheFile cache;
  const DataRequest request{file.path(), options_of(std::nullopt), true, false, cache.path()};
  const std::string expected = fingerprint(read_training_data(request).data);
  std::fstream bytes(cache.path(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(-3, std::ios::end);
  bytes.put('\x7f');
  bytes.close();
  const TrainingData again = read_training_data(request);
  CHECK(!again.from_cache);
  CHECK(fingerprint(again.data) == expected);
  CHECK(read_training_data(request).from_cache);
}

TEST_CASE("going on with new data keeps every old id and adds new ones") {
  const TextFile first(table(400), ".csv"), second(table(400, 5), ".csv");
  Featurizer featurizer(options_of(std::nullopt));
  const Dataset before = featurizer.fit(first.path());
  const auto labels = featurizer.label_names();
  const Dataset known = featurizer.read(first.path());
  const std::uint32_t num_features = featurizer.num_features();
  const Dataset more = featurizer.extend(second.path());
  CHECK(more.size() == 400);
  CHECK(featurizer.num_features() > num_features);
  CHECK(featurizer.num_labels() > labels.size());
  CHECK(std::equal(labels.begin(), labels.end(), featurizer.label_names().begin()));
  // New features apart, the old data look as before.
  const Dataset after = featurizer.read(first.path());
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::vector<std::uint32_t> old;
    for (const auto f : after.features_of(i)) {
      if (f < num_features) old.push_back(f);
    }
    CHECK(std::ranges::equal(old, known.features_of(i)));
    CHECK(std::ranges::equal(after.labels_of(i), known.labels_of(i)));
  }
  Document document;
  featurizer.save(document);
  CHECK(fingerprint(Featurizer(document).read(second.path())) ==
        fingerprint(featurizer.read(second.path())));
}

TEST_CASE("going on from ids grows their ranges") {
  const TextFile first("2 4 2\n0 0:1 3:1\n1 1:2\n", ".xmc"), second("1 6 3\n2 5:1\n", ".xmc");
  FeatureOptions options;
  options.weighting = "tfidf";
  Featurizer featurizer(options);
  featurizer.fit(first.path());
  const Dataset more = featurizer.extend(second.path());
  CHECK(featurizer.num_features() == 6);
  CHECK(featurizer.label_names() == std::vector<std::string>{"0", "1", "2"});
  CHECK(more.num_features == 6);
  CHECK(more.features_of(0)[0] == 5);
}

TEST_CASE("blocks of a shuffle are permutations that mix the whole") {
  const auto all = epoch_order(10000, 0, 1, 2);
  CHECK(all != epoch_order(10000, 0, 1, 3));
  const auto order = epoch_order(10000, 1000, 1, 2);
  CHECK(order == epoch_order(10000, 1000, 1, 2));
  std::set<std::uint32_t> distinct(order.begin(), order.end());
  CHECK(distinct.size() == 10000);
  CHECK(*distinct.rbegin() == 9999);
  std::set<std::uint32_t> runs, tenths;  // of the first block
  for (std::size_t i = 0; i < 1000; ++i) {
    runs.insert(order[i] / 64);
    tenths.insert(order[i] / 1000);
  }
  CHECK(runs.size() <= 17);
  CHECK(tenths.size() >= 6);
  CHECK(epoch_order(0, 0, 1, 2).empty());
  CHECK(epoch_order(3, 2, 1, 2).size() == 3);
}
