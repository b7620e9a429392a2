#include "tools/robe-compress/fit/compress.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>

#include "libcore/embedding/block_embedding.h"
#include "libcore/tensors/tensor_file.h"
#include "tests/support/text_file.h"
#include "tests/tools/robe-compress/click_samples.h"
#include "tests/tools/robe-compress/fit/fit_samples.h"
#include "tools/robe-compress/fit/row_forms.h"
#include "tools/robe-compress/model/click_model.h"

using namespace frugal;
using namespace frugal::robe;

TEST_CASE("a model's rows are weighted by what its training data had of each, in every table") {
  const TextFile data(click_text(600, 1), ".csv"), full(""), small("");
  TrainOptions options = small_options(data.path());
  options.model = full.path();
  options.embedding.method = "full";
  options.history_entry = R"({"argv":["train"]})";
  options.epochs = 1;
  train(options, {});
  CompressOptions compress;
  compress.tables = full.path();
  compress.output = small.path();
  compress.fit.compression = 4;
  compress.fit.hot_share = 0.5;
  compress.history_entry = R"({"argv":["compress"]})";
  const CompressResult result =
      compress_tables(compress, [](const std::string&, double, double) {});
  CHECK(result.weighted);
  const ClickModel model = load_model(small.path());
  CHECK(model.history == R"([{"argv":["train"]},{"argv":["compress"]}])");
  // Rows are numbered by frequency: the most frequent of all tables together have their own.
  const HotRows& hot = dynamic_cast<const BlockEmbedding&>(*model.embedding).settings().hot;
  std::uint32_t least_hot = ~0U, most_others = 0;
  std::vector<std::size_t> sizes;
  for (std::size_t t = 0; t < 2; ++t) {
    sizes.push_back(0);
    const auto counts = model.encoder.counts(t);
    for (std::uint32_t row = 0; row < counts.size(); ++row) {
      if (hot.find(t, row) != HotRows::kNone) {
        least_hot = std::min(least_hot, counts[row]);
        ++sizes[t];
      } else {
        most_others = std::max(most_others, counts[row]);
      }
    }
  }
  CHECK(sizes[0] > 0);
  CHECK(sizes[1] > 0);
  CHECK(least_hot >= most_others);
}

TEST_CASE("errors before fine-tuning are those of the array as it would be stored") {
  const TextFile data(click_text(600, 1), ".csv"), full(""), small("");
  TrainOptions options = small_options(data.path());
  options.model = full.path();
  options.embedding.method = "full";
  options.epochs = 1;
  train(options, {});
  CompressOptions compress;
  compress.tables = full.path();
  compress.output = small.path();
  compress.fit.compression = 20;
  compress.fit.hot_share = 0.25;
  compress.fit.storage = Storage::int4;
  const auto run = [&] {
    return compress_tables(compress, [](const std::string&, double, double) {});
  };
  const CompressResult fitted = run();
  compress.fine_tune = data.path();
  const CompressResult tuned = run();
  CHECK(tuned.bytes_after == fitted.bytes_after);
  REQUIRE(tuned.error_without_counts);
  CHECK(*tuned.error_without_counts == doctest::Approx(*fitted.error_without_counts));
  CHECK(*tuned.relative_error == doctest::Approx(*fitted.relative_error).epsilon(0.01));
  CHECK(*tuned.relative_error < *tuned.error_without_counts);
}

TEST_CASE("a model whose rows overflow when they are scaled is refused by the table's name") {
  const TextFile data(click_text(300, 1), ".csv"), model(""), small("");
  TrainOptions options = small_options(data.path());
  options.model = model.path();
  options.embedding.method = "int8";
  options.epochs = 1;
  train(options, {});
  Document document = read_document(model.path());
  const std::span<float> scales = document.at("embedding.scales").as<float>();
  scales[scales.size() - 2] = 3e38F;  // of the last row
  write_document(model.path(), document);
  CompressOptions compress;
  compress.tables = model.path();
  compress.output = small.path();
  compress.fit.compression = 2;
  CHECK(error_of([&] { compress_tables(compress, [](const std::string&, double, double) {}); }) ==
        "65 " + model.path() + ": table 'item' has numbers that are not finite");
}

TEST_CASE("tables keep every row where the bytes allow, as finely as these do") {
  const TableSet tables({{"a", 300}, {"b", 20}}, 16);
  const auto forms = [&](double compression, std::optional<Storage> storage = {}) {
    std::string text;
    for (const RowForm& form : row_forms(tables, compression, storage)) {
      CHECK(static_cast<double>(form.num_bytes(tables)) <= 320 * 64 / compression + 1e-6);
      text += (text.empty() ? "" : ", ") + form.text();
    }
    return text;
  };
  CHECK(forms(1) == "f32");
  CHECK(forms(1.01) == "bf16, int8 rows");
  CHECK(forms(64.0 / 24) == "int8 rows, int8");
  CHECK(forms(3) == "int8, int4 rows");
  CHECK(forms(64.0 / 16) == "int4 rows, int4");
  CHECK(forms(7) == "int4");
  CHECK(forms(7.2).empty());
  CHECK(forms(1, Storage::int8) == "int8");
  CHECK(forms(2, Storage::f32).empty());
}

TEST_CASE("storage auto takes the type whose measured error is clearly smallest") {
  const TextFile tables("", ".safetensors"), array("", ".safetensors");
  write_document(tables.path(), fit_samples::sample_tables({{"a", 400}, {"b", 200}}, 16));
  const auto error_with = [&](double compression, const std::string& method, bool find_storage,
                              Storage storage) {
    CompressOptions compress;
    compress.tables = tables.path();
    compress.output = array.path();
    compress.method = method;
    compress.fit.compression = compression;
    compress.fit.find_storage = find_storage;
    compress.fit.storage = storage;
    const auto result = compress_tables(compress, [](const std::string&, double, double) {});
    return *result.relative_error;
  };
  for (const double compression : {2.0, 5.0, 12.0}) {
    const double robe = error_with(compression, "robe", true, Storage::f32);
    const double any = error_with(compression, "auto", true, Storage::f32);
    CHECK(any <= robe);
    for (const Storage storage : {Storage::bf16, Storage::int8, Storage::int4}) {
      CHECK(0.95 * robe <= error_with(compression, "robe", false, storage));
    }
  }
}
