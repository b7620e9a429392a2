#include "tools/robe-compress/making/generate.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "libcore/base/text.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tools/robe-compress/columns/click_shapes.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

GenerateResult last_result;

std::string generated(GenerateOptions options) {
  const TextFile file("");
  options.output = file.path();
  last_result = generate(options, [](std::uint64_t) {});
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a line is a function of seed, shape and number, whatever the threads") {
  GenerateOptions options;
  options.samples = 10000;
  set_num_threads(1);
  const std::string alone = generated(options);
  set_num_threads(3);
  CHECK(generated(options) == alone);
  set_num_threads(2);
  options.samples = 4000;
  const std::string first = generated(options);
  options.first = 4000;
  options.samples = 6000;
  CHECK(first + generated(options) == alone);
  options.seed = 1;
  CHECK(!alone.ends_with(generated(options)));
}

TEST_CASE("lines are Criteo's, clicks as many as asked for, rows inside their tables") {
  GenerateOptions options;
  options.shape = "terabyte";
  options.scale = 100;
  options.samples = 5000;
  const std::string text = generated(options);
  const std::vector<std::uint64_t> rows = parse_rows("terabyte/100", "--rows");
  CHECK(last_result.rows == rows);
  std::set<std::string_view> ids;
  std::size_t lines = 0, clicks = 0, missing = 0, wrong = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto fields = split(line, '\t');
    REQUIRE(fields.size() == 40);
    clicks += fields[0] == "1";
    ++lines;
    for (std::size_t n = 1; n < 14; ++n) {
      missing += fields[n].empty();
      wrong += !fields[n].empty() && parse_number<std::int64_t>(fields[n]).value_or(-2) < -1;
    }
    for (std::size_t f = 0; f < 26; ++f) {
      missing += fields[14 + f].empty();
      if (fields[14 + f].empty()) continue;
      wrong += std::stoull(std::string(fields[14 + f]), nullptr, 16) >= rows[f];
    }
    ids.insert(fields[14]);
  }
  CHECK(wrong == 0);
  CHECK(lines == 5000);
  CHECK(clicks == last_result.clicks);
  CHECK(static_cast<double>(clicks) == doctest::Approx(1250).epsilon(0.1));
  CHECK(missing > 1000);
  CHECK(ids.size() > 1000);  // a long tail, with some that come again and again
  CHECK(ids.size() < 4800);
  CHECK(last_result.best_auc > 0.8);
  CHECK(last_result.best_auc < 0.95);
}

TEST_CASE("ranks of a field are spread over its rows one to one") {
  const ClickGenerator generator({3, std::vector<std::uint64_t>(26, 7), 0.0, 0.5});
  std::array<int, 7> counts{};
  for (std::uint64_t i = 0; i < 7000; ++i) {
    const GeneratedSample sample = generator.sample(i);
    if (sample.rows[0] >= 0) ++counts[static_cast<std::size_t>(sample.rows[0])];
  }
  for (const int count : counts) CHECK(count == doctest::Approx(1000).epsilon(0.2));
}

TEST_CASE("options of generate that make no sense are refused") {
  const auto error = [](const std::function<void(GenerateOptions&)>& change) {
    GenerateOptions options;
    change(options);
    return error_of([&] { generated(options); });
  };
  CHECK(error([](auto& o) { o.samples = 0; }).starts_with("2 --samples"));
  CHECK(error([](auto& o) { o.scale = 0.5; }).starts_with("2 --scale"));
  CHECK(error([](auto& o) { o.zipf = -1; }).starts_with("2 --exponent"));
  CHECK(error([](auto& o) { o.click_rate = 1; }).starts_with("2 --click-rate"));
  CHECK(error([](auto& o) { o.shape = "kagle"; }).find("did you mean 'kaggle'?") !=
        std::string::npos);
}
