#include "tools/robe-compress/data/click_data.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/making/generate.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

/// All that is left of an epoch or of the held-out samples.
ClickBatch rest_of(ClickBatches& data, std::size_t batch_size = 1000) {
  ClickBatch all, batch;
  while (data.next(batch, batch_size)) {
    all.size += batch.size;
    all.num_fields = batch.num_fields;
    all.num_numbers = batch.num_numbers;
    all.rows.insert(all.rows.end(), batch.rows.begin(), batch.rows.end());
    all.numbers.insert(all.numbers.end(), batch.numbers.begin(), batch.numbers.end());
    all.labels.insert(all.labels.end(), batch.labels.begin(), batch.labels.end());
  }
  return all;
}

ClickBatch in_file_order(const std::string& text, ClickOptions options = {}) {
  options.shuffle = false;
  ClickData data(TextFile(text).path(), options);
  data.start_epoch(0, 0);
  return rest_of(data);
}

std::string refusal(const std::string& text, const ClickOptions& options = {}) {
  const TextFile file(text);
  std::string error = error_of([&] { ClickData data(file.path(), options); });
  const std::size_t at = error.find(file.path());
  return at == std::string::npos ? error : error.replace(at, file.path().size(), "f");
}

/// A generated file that fills several pieces of text and chunks of samples.
const TextFile& generated() {
  static const TextFile file("", ".tsv");
  static const bool made = [] {
    GenerateOptions options;
    options.output = file.path();
    options.shape = "small";
    options.samples = 20000;
    generate(options, [](std::uint64_t) {});
    return true;
  }();
  static_cast<void>(made);
  return file;
}

using Rows = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("categories are numbered by falling count, ties by first appearance, rare ones share 0") {
  const std::string text = "click,a\n0,x\n0,y\n0,z\n1,z\n0,\n0,y\n1,z\n";
  ClickData data(TextFile(text).path(), {});
  CHECK(data.size() == 7);
  CHECK(data.encoder().field_rows(0) == 5);
  const auto counts = data.encoder().counts(0);
  CHECK(Rows(counts.begin(), counts.end()) == Rows{0, 3, 2, 1, 1});
  CHECK(in_file_order(text).rows == Rows{3, 2, 1, 1, 4, 2, 1});
  CHECK(in_file_order(text, {.min_count = 2}).rows == Rows{0, 2, 1, 1, 0, 2, 1});
}

TEST_CASE("numbers are scaled to mean 0 and deviation 1, missing ones are 0") {
  const ClickBatch batch = in_file_order("click,a,p,q\n0,x,1,5.5\n0,y,3,5.5\n1,z,,5.5\n",
                                         {.columns = "p:number,q:number"});
  CHECK(batch.numbers == std::vector<float>{-1, 0, 1, 0, 0, 0});
}

TEST_CASE("numbers far larger than their differences keep them, in any number of chunks") {
  const std::size_t n = 20000;
  std::string text = "click,a,seconds,day\n";
  for (std::size_t i = 0; i < n; ++i) {
    text += "0,x," + std::to_string(i % 4 < 2 ? 1699999744 : 1700000256) + ",";
    text += i < 17000 ? "\n" : "1700000000\n";
  }
  const ClickBatch batch = in_file_order(text, {.columns = "seconds:number,day:number"});
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}, n - 1}) {
    CHECK(batch.numbers[2 * i] == doctest::Approx(i % 4 < 2 ? -1 : 1));
    CHECK(batch.numbers[2 * i + 1] == 0);
  }
}

TEST_CASE("fractions behind the first records make numbers of what looked like categories") {
  std::string text = "click,a,p,q\n";
  for (int i = 0; i < 1200; ++i) text += "0,x," + std::to_string(i % 3) + ",7.0\n";
  const TextFile file(text + "1,y,0.5,7\n");
  const ClickData data(file.path(), {});
  CHECK(data.encoder().num_numbers() == 1);
  CHECK(data.encoder().schema().numbers[0].name == "p");
  CHECK(data.encoder().field_rows(1) == 2);  // 7.0 and 7 are one
  const ClickData declared(file.path(), {.columns = "p:category"});
  CHECK(declared.encoder().num_numbers() == 0);
  CHECK(declared.encoder().num_values(1).values == 4);
}

TEST_CASE("one missing value makes no words of numbers, nor of whole ones") {
  const TextFile file("click,p,a\n0,1.5,7\n1,null,null\n0,-,-\n1,2.5,7.0\n0,N/A,\n");
  ClickData data(file.path(), {.shuffle = false});
  CHECK(data.encoder().schema().numbers[0].name == "p");
  CHECK(data.encoder().field_rows(0) == 3);
  data.start_epoch(0, 0);
  const ClickBatch batch = rest_of(data);
  CHECK(batch.rows == Rows{2, 1, 1, 2, 1});
  CHECK(batch.numbers == std::vector<float>{-1, 0, 0, 1, 0});
}

TEST_CASE("large numbers keep what tells them apart") {
  const TextFile file("click,t\n0,1341392400\n1,1341392401\n");
  ClickData data(file.path(), {.columns = "t:number", .shuffle = false});
  const ClickEncoder loaded = data.encoder().clone();
  ClickSource source(file.path(), {}, loaded, Labels::required);
  ClickBatch batch;
  source.next(batch, 2);
  CHECK(batch.numbers == std::vector<float>{-1, 1});
}

TEST_CASE("held-out samples are not trained on, not counted and set no scale") {
  const std::string text = "click,a,p\n0,x,1.0\n1,y,9\n0,x,3\n1,x,77\n";
  ClickData data(TextFile(text).path(),
                 {.columns = "p:number", .held_out = "every:2", .shuffle = false});
  CHECK(data.size() == 2);
  CHECK(data.num_held_out() == 2);
  CHECK(data.encoder().field_rows(0) == 2);  // y was never seen in training
  data.start_epoch(0, 0);
  const ClickBatch training = rest_of(data);
  CHECK(training.rows == Rows{1, 1});
  CHECK(training.numbers == std::vector<float>{-1, 1});
  data.start_held_out();
  const ClickBatch held_out = rest_of(data, 1);
  CHECK(held_out.rows == Rows{0, 1});
  CHECK(held_out.labels == std::vector<float>{1, 1});
  CHECK(held_out.numbers == std::vector<float>{7, 75});
  const std::string one = "click,a\n0,x\n";
  CHECK(refusal(one + "1,y\n", {.held_out = "last:0.999"}) == "no error");
  for (const char* none : {"last:0.999", "every:2"}) {
    CHECK_MESSAGE(
        refusal(one, {.held_out = none}).find("holds out none of 1 sample") != std::string::npos,
        none);
  }
}

TEST_CASE("samples are held back of those that are not held out") {
  std::string text = "click,a\n";
  for (int i = 0; i < 12; ++i) text += "0," + std::to_string(i) + "\n";
  ClickData data(TextFile(text).path(), {.ids = "number", .held_out = "every:4", .shuffle = false});
  data.hold_back(3);
  CHECK(data.size() == 6);
  CHECK(data.num_held_back() == 3);
  data.start_epoch(0, 0);
  Rows rows = rest_of(data).rows;
  CHECK(std::is_sorted(rows.begin(), rows.end()));
  data.start_held_back();
  const Rows held_back = rest_of(data).rows;
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(held_back[i] / 4 == i);
  rows.insert(rows.end(), held_back.begin(), held_back.end());
  std::sort(rows.begin(), rows.end());
  CHECK(rows == Rows{0, 1, 2, 4, 5, 6, 8, 9, 10});
  data.start_held_out();
  CHECK(rest_of(data).rows == Rows{3, 7, 11});
  data.hold_back(0);
  data.start_epoch(0, 0);
  CHECK(rest_of(data).rows == Rows{0, 1, 2, 4, 5, 6, 8, 9, 10});
}

TEST_CASE(
    "an epoch of the samples held back has them in a random order, and grading in the file's") {
  ClickOptions options;
  ClickData data(generated().path(), options);
  data.hold_back(10);
  const auto rows_of_samples = [&] {
    const ClickBatch all = rest_of(data);
    std::vector<std::vector<std::uint32_t>> samples;
    for (std::size_t i = 0; i < all.size; ++i) {
      const auto row = all.rows.begin() + static_cast<std::ptrdiff_t>(i * all.num_fields);
      samples.emplace_back(row, row + static_cast<std::ptrdiff_t>(all.num_fields));
    }
    return samples;
  };
  data.start_held_back();
  auto in_file = rows_of_samples();
  data.start_held_back_epoch(1);
  const auto first = rows_of_samples();
  data.start_held_back_epoch(1);
  CHECK(rows_of_samples() == first);
  data.start_held_back_epoch(2);
  auto second = rows_of_samples();
  CHECK(first != in_file);
  CHECK(second != first);
  data.start_held_back();
  CHECK(rows_of_samples() == in_file);
  std::sort(in_file.begin(), in_file.end());
  std::sort(second.begin(), second.end());
  CHECK(second == in_file);
}

TEST_CASE("samples are the same for any number of threads, in memory and in a file") {
  ClickOptions options{.min_count = 2, .held_out = "last:0.1"};
  set_num_threads(1);
  ClickData alone(generated().path(), options);
  set_num_threads(3);
  ClickData many(generated().path(), options);
  options.max_memory = 1024;
  ClickData on_disk(generated().path(), options);
  options.cache_dir = "/does/not/exist";
  CHECK(error_of([&] { ClickData nowhere(generated().path(), options); }).starts_with("73 "));
  CHECK(alone.size() == 18000);
  CHECK(many.fingerprint() == alone.fingerprint());
  CHECK(on_disk.fingerprint() == alone.fingerprint());
  set_num_threads(2);
  for (std::size_t f = 0; f < 26; ++f) {
    const auto counts = alone.encoder().counts(f);
    CHECK(std::is_sorted(counts.begin() + 1, counts.end(), std::greater<>()));
  }
  on_disk.start_epoch(1, 1);
  alone.start_epoch(1, 1);
  const ClickBatch a = rest_of(on_disk), b = rest_of(alone);
  CHECK(a.rows == b.rows);
  CHECK(a.numbers == b.numbers);
}

TEST_CASE(
    "an epoch is a permutation that seed and epoch alone determine, and can be skipped into") {
  std::string text = "click,a\n";
  for (int i = 0; i < 500; ++i) text += "0," + std::to_string(i) + "\n";
  ClickData data(TextFile(text).path(), {});
  const auto epoch = [&](std::uint64_t seed, std::uint64_t number, std::size_t size) {
    data.start_epoch(seed, number);
    return rest_of(data, size).rows;
  };
  const Rows first = epoch(1, 0, 7);
  CHECK(std::set<std::uint32_t>(first.begin(), first.end()).size() == 500);
  CHECK(epoch(1, 0, 500) == first);
  CHECK(epoch(1, 1, 7) != first);
  CHECK(epoch(2, 0, 7) != first);
  data.start_epoch(1, 0);
  CHECK(data.skip(123) == 123);
  CHECK(rest_of(data).rows == Rows(first.begin() + 123, first.end()));
  CHECK(data.skip(1) == 0);
}

TEST_CASE("a model's encoder reads new data as it reads the old") {
  const TextFile old("click,a\n0,x\n0,x\n1,y\n");
  ClickData data(old.path(), {});
  const ClickEncoder& encoder = data.encoder();
  // Another order of columns, one more, and a new category.
  const TextFile fresh("b,a,click\n7,y,1\n7,new,0\n7,x,0\n");
  ClickData more(fresh.path(), {.shuffle = false}, encoder);
  more.start_epoch(0, 0);
  CHECK(rest_of(more).rows == Rows{2, 0, 1});
  const ClickOptions strict{.unknown = "error"};
  CHECK(error_of([&] { ClickData fails(fresh.path(), strict, encoder); }) ==
        "65 " + fresh.path() +
            ":3: column 'a' is 'new', expected one of the 2 categories of the training data");
}

TEST_CASE("rows given as numbers make tables up to the highest, or as declared") {
  const std::string text = "click,a,b\n0,5,1\n1,2,0\n";
  ClickOptions options{.ids = "number"};
  ClickData found(TextFile(text).path(), options);
  CHECK(found.encoder().field_rows(0) == 6);
  CHECK(found.encoder().field_rows(1) == 2);
  options.rows = "10,2";
  CHECK(ClickData(TextFile(text).path(), options).encoder().field_rows(0) == 10);
  options.rows = "5,2";
  CHECK(refusal(text, options) ==
        "65 f:2: column 'a' is '5', expected a row below 5 (--rows, --max-rows)");
  options.max_rows = 3;
  CHECK(in_file_order(text, options).rows == Rows{2, 1, 2, 0});
}

TEST_CASE("hashed categories are equal where their texts are, and numbers beside them scaled") {
  const ClickOptions options{.columns = "p:number", .ids = "hash", .hash_rows = 50};
  ClickData data(TextFile("click,a,p\n0,x,1\n1,y,3\n0,x,5\n").path(), options);
  CHECK(data.encoder().field_rows(0) == 50);
  data.start_epoch(0, 0);
  const ClickBatch batch = rest_of(data);
  CHECK(std::set<std::uint32_t>(batch.rows.begin(), batch.rows.end()).size() == 2);
  float sum = 0;
  for (const float x : batch.numbers) sum += x;
  CHECK(std::abs(sum) < 1e-6);
}

TEST_CASE("parts of the data are chosen before anything is learnt from them") {
  const std::string text = "click,day,a\n0,1,x\n1,2,y\n0,3,z\n1,4,z\n";
  CHECK(in_file_order(text, {.lines = "1:3"}).labels == std::vector<float>{1, 0});
  CHECK(in_file_order(text, {.lines = "0:1/2"}).labels == std::vector<float>{0, 1});
  CHECK(in_file_order(text, {.lines = "1/2:1"}).labels == std::vector<float>{0, 1});
  ClickData some(TextFile(text).path(), {.lines = "2:"});
  CHECK(some.encoder().field_rows(1) == 2);
  ClickData days(TextFile(text).path(), {.columns = "day:ignore", .days = "day=2..3"});
  CHECK(days.size() == 2);
  CHECK(days.encoder().num_fields() == 1);
  CHECK(refusal(text, {.lines = "9:"}) ==
        "65 f: has no samples to train on where --lines and --days look");
  const PipedStdin input(text);
  CHECK(error_of([] { ClickData data("-", {.lines = "0:1/2"}); }) ==
        "2 stdin: shares in --lines need the number of samples, expected a file, not a pipe");
}

TEST_CASE("a range beyond the first piece of text is the same as that of the whole") {
  ClickOptions options{.ids = "hash", .hash_rows = 1000, .shuffle = false};
  ClickData all(generated().path(), options);
  options.lines = "9500:19000";
  ClickData part(generated().path(), options);
  all.start_epoch(0, 0);
  part.start_epoch(0, 0);
  all.skip(9500);
  ClickBatch expected, found;
  all.next(expected, 9500);
  part.next(found, 20000);
  CHECK(found.size == 9500);
  CHECK(found.rows == expected.rows);
  CHECK(found.numbers == expected.numbers);
}

TEST_CASE("inputs without samples are refused") {
  CHECK(refusal("") == "65 f: is empty, expected samples");
  CHECK(refusal("\n\n") == "65 f: is empty, expected samples");
  CHECK(refusal("click,a\n") == "65 f: has no samples to train on");
  CHECK(error_of([] { ClickData data("/does/not/exist", {}); }) ==
        "66 /does/not/exist: cannot open: No such file or directory");
}

TEST_CASE("every truncation of a file is read or refused with a line") {
  const std::string text = "click,p,a\n0,1.5,\"x\"\n1,2,y\n";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string error = refusal(text.substr(0, size));
    CHECK((error == "no error" || error.starts_with("65 f") || error.starts_with("2 f")));
  }
}
