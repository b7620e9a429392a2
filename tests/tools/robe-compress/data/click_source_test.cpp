#include "tools/robe-compress/data/click_source.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/text_file.h"
#include "tools/robe-compress/data/click_data.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

using Rows = std::vector<std::uint32_t>;

/// Ten thousand samples, so that there are several pieces of text.
std::string many_samples() {
  std::string text = "click,a,b,price\n";
  for (int i = 0; i < 10000; ++i) {
    text += std::to_string(i % 3 == 0) + ",user number " + std::to_string(i % 97) +
            ",item number " + std::to_string(i % 389) + "," + std::to_string(i % 7) + ".5\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a stream gives the samples that are stored, in batches of any size") {
  const TextFile file(many_samples());
  ClickData data(file.path(), {.shuffle = false});
  for (const std::size_t size : {7u, 999u, 20000u}) {
    ClickSource source(file.path(), {}, data.encoder(), Labels::required);
    data.start_epoch(0, 0);
    ClickBatch expected, found;
    while (data.next(expected, size)) {
      REQUIRE(source.next(found, size));
      CHECK(found.size == expected.size);
      CHECK(found.rows == expected.rows);
      CHECK(found.numbers == expected.numbers);
      CHECK(found.labels == expected.labels);
    }
    CHECK(!source.next(found, size));
  }
}

TEST_CASE("a stream can be skipped into and cut") {
  const TextFile file(many_samples());
  const ClickData data(file.path(), {});
  ClickBatch expected, found;
  ClickSource skipped(file.path(), {}, data.encoder(), Labels::required);
  CHECK(skipped.skip(8000) == 8000);
  skipped.next(expected, 500);
  ClickSource cut(file.path(), {.lines = "8000:8500"}, data.encoder(), Labels::required);
  cut.next(found, 1000);
  CHECK(found.size == 500);
  CHECK(found.rows == expected.rows);
  CHECK(skipped.skip(1 << 30) == 1500);
}

TEST_CASE("labels may be missing or anything where they are not needed, header or not") {
  const TextFile train("1,a,b\n0,c,d\n"), with("?,c,b\n"), without("c,b\n"), odd("c\n");
  const ClickData data(train.path(), {});
  ClickBatch batch;
  ClickSource labelled(with.path(), {}, data.encoder(), Labels::ignored);
  CHECK(labelled.next(batch, 9));
  CHECK(batch.rows == Rows{2, 1});
  CHECK(batch.labels.empty());
  ClickSource bare(without.path(), {}, data.encoder(), Labels::ignored);
  CHECK(bare.next(batch, 9));
  CHECK(batch.rows == Rows{2, 1});
  CHECK(batch.labels.empty());
  const auto error = [&](const TextFile& file, Labels labels) {
    return error_of([&] { ClickSource(file.path(), {}, data.encoder(), labels); });
  };
  CHECK(error(without, Labels::required) ==
        "65 " + without.path() + ":1: found 2 columns, expected 3");
  CHECK(error(odd, Labels::ignored) == "65 " + odd.path() + ":1: found 1 column, expected 3");
  const TextFile blank("\n0,c,b\n");
  CHECK(error(blank, Labels::ignored) ==
        "65 " + blank.path() + ":1: the first line is empty, expected a record");
  const TextFile named("u,click\na,1\n"), unlabelled("x,u\n7,a\n"), alien("v,click\na,1\n");
  const ClickData by_name(named.path(), {});
  ClickSource source(unlabelled.path(), {}, by_name.encoder(), Labels::ignored);
  CHECK(source.next(batch, 9));
  CHECK(batch.rows == Rows{1});
}

TEST_CASE("pairs may come without labels, but not without fields") {
  const TextFile train("1 7:1 8:1\n0 9:1 6:1\n"), with("0 9:1 8:1\n"), without("9:1 8:1\n");
  const ClickData data(train.path(), {});
  ClickBatch batch;
  ClickSource labelled(with.path(), {}, data.encoder(), Labels::ignored);
  CHECK(labelled.next(batch, 9));
  CHECK(batch.rows == Rows{2, 1});
  ClickSource bare(without.path(), {}, data.encoder(), Labels::ignored);
  CHECK(bare.next(batch, 9));
  CHECK(batch.rows == Rows{2, 1});
  const auto error = [&](const std::string& text, Labels labels) {
    const TextFile file(text);
    const std::string error =
        error_of([&] { ClickSource(file.path(), {}, data.encoder(), labels); });
    return error.substr(error.find(":1: "));
  };
  CHECK(error("1 7:1\n", Labels::required) == ":1: found 2 columns, expected 3");
  CHECK(error("1 7:1 8:1 9:1\n", Labels::ignored) == ":1: found 4 columns, expected 3");
  CHECK(error("7:1\n", Labels::ignored) == ":1: found 1 column, expected 2");
}

TEST_CASE("days are found in columns without labels, but not in the label that is missing") {
  const TextFile train("a,1,1\nb,2,0\n"), bare("a,1\nb,2\n");
  const ClickData data(train.path(), {.label_column = "3"});
  ClickSource source(bare.path(), {.days = "2=2..2"}, data.encoder(), Labels::ignored);
  ClickBatch batch;
  CHECK(source.next(batch, 9));
  CHECK(batch.rows == Rows{2, 2});
  CHECK(error_of([&] {
          ClickSource(bare.path(), {.days = "3=0..1"}, data.encoder(), Labels::ignored);
        }).starts_with("2 --days: no column '3'"));
}

TEST_CASE("names may stand in quotes, doubled ones too") {
  const TextFile file("\"a \"\"big\"\" name that is long\",click\nx,1\n");
  const ClickData data(file.path(), {});
  CHECK(data.encoder().field_name(0) == "a \"big\" name that is long");
  ClickSource source(file.path(), {}, data.encoder(), Labels::required);
  ClickBatch batch;
  CHECK(source.next(batch, 9));
  CHECK(batch.size == 1);
}

TEST_CASE("a model of named columns reads the same columns without their names") {
  const TextFile train("u,click,v\na,1,b\nc,0,d\n"), plain("c,1,b\n");
  const ClickData data(train.path(), {});
  ClickSource source(plain.path(), {}, data.encoder(), Labels::required);
  ClickBatch batch;
  CHECK(source.next(batch, 9));
  CHECK(batch.rows == Rows{2, 1});
}

TEST_CASE("a prompt stream gives all samples of a file or a pipe") {
  const std::string text = many_samples();
  const TextFile file(text);
  const ClickData data(file.path(), {});
  ClickSource steady(file.path(), {}, data.encoder(), Labels::required);
  ClickBatch all, batch;
  steady.next(all, 10000);
  const PipedStdin input(text);
  for (const std::string& path : {file.path(), std::string("-")}) {
    ClickSource prompt(path, {}, data.encoder(), Labels::required, Pace::prompt);
    Rows rows;
    while (prompt.next(batch, 999)) rows.insert(rows.end(), batch.rows.begin(), batch.rows.end());
    CHECK(rows == all.rows);
  }
}

TEST_CASE("training takes a stream as it comes where categories need no counting") {
  const std::string text = many_samples();
  const TextFile file(text);
  const ClickOptions options{.ids = "hash", .hash_rows = 300};
  ClickSource from_file(file.path(), options);
  ClickBatch a, b;
  from_file.next(a, 10000);
  const PipedStdin input(text);
  ClickSource from_pipe("-", options);
  from_pipe.next(b, 10000);
  CHECK(a.size == 10000);
  CHECK(a.rows == b.rows);
  CHECK(a.numbers == b.numbers);
  CHECK(from_pipe.encoder().field_rows(1) == 300);
  float sum = 0;
  for (const float x : a.numbers) sum += x;
  CHECK(std::abs(sum / 10000) < 0.1);
  const auto error = [&](const ClickOptions& wrong) {
    return error_of([&] { ClickSource(file.path(), wrong); });
  };
  CHECK(error({}).find("expected --ids hash, or --ids number with --rows") != std::string::npos);
  CHECK(error({.ids = "number"}).starts_with("2 "));
  CHECK(error({.ids = "hash", .held_out = "every:5"}).starts_with("2 "));
}

TEST_CASE("a stream takes its scales from whole records, whatever their quotes hold") {
  std::string text = "click,price,query\n";
  for (int i = 0; i < 1000; ++i) {
    text += "1," + std::to_string(i % 2) + ".5,\"" + std::string(500, '\n') + "\"\n";
  }
  const TextFile file(text);
  ClickSource source(file.path(), {.ids = "hash"});
  ClickBatch batch;
  source.next(batch, 2);
  CHECK(batch.numbers[0] == doctest::Approx(-1).epsilon(0.01));
  CHECK(batch.numbers[1] == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("a bad record in a stream is refused after the good ones before it") {
  const TextFile train("1,a\n0,c\n"), bad("0,c\n" + std::string(500000, '\n') + "1,a,z\n");
  const ClickData data(train.path(), {});
  ClickSource source(bad.path(), {}, data.encoder(), Labels::required);
  ClickBatch batch;
  CHECK(error_of([&] {
          while (source.next(batch, 1)) {
          }
        }) == "65 " + bad.path() + ":500002: found 3 columns, expected 2");
}
