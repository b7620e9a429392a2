// Feeds bytes to the readers of click data. The first two bytes choose the options; what an encoder
// could be fitted to is read again with it, as a stream, and the encoder is saved and loaded.
#include <string_view>

#include "libcore/base/error.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/click_source.h"

namespace {

using namespace frugal;
using namespace frugal::robe;

ClickOptions options_of(unsigned format, unsigned choice) {
  constexpr const char* formats[] = {"auto", "criteo", "avazu", "libfm", "tsv", "csv"};
  constexpr const char* ids[] = {"count", "hash", "number", "count"};
  ClickOptions options;
  options.format = formats[format % 6];
  if (format & 8) options.header = "no";
  if (format & 16) options.columns = "1:label,2:hour,2:weekday,3:number,4:log,*:category";
  if (format & 32) options.positive = ">=2";
  options.ids = ids[choice % 4];
  options.hash_rows = 100;
  options.max_rows = 1000;  // a table of 4 billion rows is no error, but takes memory to count
  options.max_memory = std::uint64_t{16} << 20;  // asking for what is left takes thirty calls
  options.min_count = choice & 4 ? 2 : 1;
  if (choice & 8) options.lines = "1:5";
  if (choice & 16) options.lines = "1/4:0.9";
  if (choice & 32) options.days = "2=1..3";
  if (choice & 64) options.held_out = "every:3";
  if (choice & 128) options.held_out = "last:0.3";
  return options;
}

std::size_t check(ClickBatches& batches, const ClickEncoder& encoder) {
  ClickBatch batch;
  std::size_t samples = 0;
  while (batches.next(batch, 7)) {
    samples += batch.size;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      require(batch.rows[i] < encoder.field_rows(i % batch.num_fields), "rows are in range");
    }
    for (const float x : batch.numbers) require(x == x, "numbers are numbers");
    for (const float y : batch.labels) require(y == 0 || y == 1, "labels are 0 or 1");
  }
  return samples;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 2);
  const ClickOptions options = options_of(input.choice(0), input.choice(1));
  reading(ExitStatus::usage, [&] {
    ClickData clicks(input.path(), options);
    clicks.start_epoch(0, 0);
    require(check(clicks, clicks.encoder()) == clicks.size(), "an epoch has all samples");
    clicks.start_held_out();
    require(check(clicks, clicks.encoder()) == clicks.num_held_out(), "so have held-out ones");
    Document document;
    clicks.encoder().save(document);
    const ClickEncoder encoder = ClickEncoder::load(document, "saved");
    ClickSource source(input.path(), options, encoder, Labels::ignored, Pace::prompt);
    check(source, encoder);
  });
  reading(ExitStatus::usage, [&] {
    ClickOptions streamed = options;
    streamed.rows = "1000";
    ClickSource source(input.path(), streamed);
    check(source, source.encoder());
  });
  return 0;
}
