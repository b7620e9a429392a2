#include "tools/robe-compress/data/click_encoder.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "libcore/base/hash.h"
#include "tests/support/text_file.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/click_source.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

const char* const kText = "click,a,p,t\n0,x,1.5,14102100\n1,y,2.5,14102101\n0,x,4,14102101\n";
const ClickOptions kOptions{.columns = "t:hour,t:weekday,p:log"};

Document document_of(const ClickEncoder& encoder) {
  Document document;
  encoder.save(document);
  return document;
}

std::string load_error(const Document& document) {
  return error_of([&] { ClickEncoder::load(document, "m"); });
}

Document with_json(const std::function<void(nlohmann::json&)>& change) {
  const TextFile file(kText);
  Document document = document_of(ClickData(file.path(), kOptions).encoder());
  nlohmann::json json = nlohmann::json::parse(document.metadata["data.encoder"]);
  change(json);
  document.metadata["data.encoder"] = json.dump();
  return document;
}

}  // namespace

TEST_CASE("a saved encoder reads as the one that was fitted") {
  const TextFile file(kText);
  const ClickData data(file.path(), kOptions);
  const ClickEncoder loaded = ClickEncoder::load(document_of(data.encoder()), "m");
  CHECK(loaded.describe().size() == 3);
  for (std::size_t f = 0; f < 3; ++f) {
    CHECK(loaded.field_name(f) == data.encoder().field_name(f));
    CHECK(loaded.field_rows(f) == data.encoder().field_rows(f));
    CHECK(loaded.counts(f).size() == loaded.field_rows(f));
  }
  ClickSource a(file.path(), {}, data.encoder(), Labels::required);
  ClickSource b(file.path(), {}, loaded, Labels::required);
  ClickBatch expected, found;
  a.next(expected, 10);
  b.next(found, 10);
  CHECK(found.rows == expected.rows);
  CHECK(found.numbers == expected.numbers);
}

TEST_CASE("encoders without a vocabulary are a line of metadata") {
  const TextFile file("label,a\n1,7\n");
  const ClickData data(file.path(), {.ids = "number", .rows = "9", .max_rows = 5});
  const Document document = document_of(data.encoder());
  CHECK(document.tensors.empty());
  const ClickEncoder loaded = ClickEncoder::load(document, "m");
  CHECK(loaded.field_rows(0) == 5);
  ClickSource source(file.path(), {}, loaded, Labels::required);
  ClickBatch batch;
  source.next(batch, 1);
  CHECK(batch.rows[0] == 2);
}

TEST_CASE("an encoder grows behind all rows, and known categories keep theirs") {
  const TextFile first("click,a,b\n0,x,p\n1,x,q\n0,y,p\n"),
      second("click,a,b\n0,z,p\n1,z,r\n0,w,r\n"), third("click,a,b\n1,v,s\n0,x,p\n");
  const ClickData data(first.path(), {});
  const ClickData more(second.path(), {.grows = true}, data.encoder());
  const ClickEncoder& grown = more.encoder();
  const auto row = [](const ClickEncoder& encoder, std::size_t field, std::string_view text) {
    return encoder.find_row(field, hash_bytes(text));
  };
  CHECK(data.encoder().field_rows(0) == 3);
  // Rows 0 to 2 of a are 0 to 2 of all, those of b 3 to 5; z and w are 6 and 7, r is 8.
  CHECK(row(grown, 0, "x") == 1U);
  CHECK(row(grown, 0, "z") == 6U);
  CHECK(row(grown, 0, "w") == 7U);
  CHECK(row(grown, 1, "q") == 2U);
  CHECK(row(grown, 1, "r") == 8U - 3U);
  CHECK(grown.field_rows(0) == 8);
  CHECK(grown.gaps(0) == std::vector<RowGap>{{3, 3}});
  CHECK(grown.first_row(1) == 3U);
  CHECK(grown.counts(0).size() == 5);
  CHECK(grown.row_of(0, 3) == 6);
  CHECK(grown.describe().back() == "new categories, with rows of their own: a (2), b (1)");

  const ClickData last(third.path(), {.grows = true}, grown);
  const ClickEncoder loaded = ClickEncoder::load(document_of(last.encoder()), "m");
  CHECK(row(loaded, 0, "v") == 9U);
  CHECK(row(loaded, 1, "s") == 10U - 3U);
  CHECK(row(loaded, 0, "w") == 7U);
  CHECK(loaded.gaps(0) == std::vector<RowGap>{{3, 3}, {8, 1}});
  CHECK(loaded.counts(0)[5] == 1);

  const ClickData rare(second.path(), {.min_count = 2, .grows = true}, data.encoder());
  CHECK(rare.encoder().field_rows(0) == 7);
  CHECK(!row(rare.encoder(), 0, "w"));
  const ClickData held(second.path(), {.grows = true, .held_out = "last:0.4"}, data.encoder());
  CHECK(!row(held.encoder(), 0, "w"));  // it is unknown to the training
  const ClickData same(second.path(), {}, data.encoder());
  CHECK(same.encoder().field_rows(0) == 3);
  REQUIRE(same.unknown_values().size() == 2);
  CHECK(same.unknown_values()[1].column == "b");
  CHECK(same.unknown_values()[1].unknown == 2);
  CHECK(same.unknown_values()[1].samples == 3);
}

TEST_CASE("a gap that is none is refused") {
  const auto with_gap = [](std::uint64_t gap_row, std::uint64_t count) {
    return load_error(with_json([&](auto& j) {
      j["categories"][0]["gaps"] = nlohmann::json::array();
      j["categories"][0]["gaps"].push_back({{"row", gap_row}, {"count", count}});
      j["categories"][0]["rows"] = 3 + 4;
    }));
  };
  CHECK(with_gap(2, 4) == "no error");
  for (const auto& [gap_row, count] : {std::pair{0, 4}, {7, 4}, {2, 5}, {2, 0}}) {
    CHECK(with_gap(gap_row, count).find("' passes over rows ") != std::string::npos);
  }
}

TEST_CASE("damaged encoders are refused") {
  CHECK(load_error({}) == "65 m: no metadata 'data.encoder', expected a model's");
  CHECK(load_error(with_json([](auto& j) { j = nlohmann::json::array(); })).starts_with("65 m: "));
  const auto changed = [](const auto& change) { return load_error(with_json(change)); };
  CHECK(changed([](auto&) {}) == "no error");
  CHECK(changed([](auto& j) { j.erase("ids"); }).starts_with("65 m: metadata 'data.encoder': "));
  CHECK(changed([](auto& j) { j["ids"] = "some"; }).find("expected count") != std::string::npos);
  CHECK(changed([](auto& j) { j["format"] = "tea"; }).find("is not known") != std::string::npos);
  CHECK(changed([](auto& j) { j["label"]["index"] = 4; }).find("below 4") != std::string::npos);
  for (const char* columns : {"numbers", "categories"}) {
    CHECK(changed([&](auto& j) { j[columns][0]["index"] = 0; }).find("number 0, the label's") !=
          std::string::npos);
  }
  CHECK(changed([](auto& j) { j["categories"][0]["rows"] = 0; }).find("expected 1 to") !=
        std::string::npos);
  CHECK(changed([](auto& j) { j["categories"][0]["rows"] = 4; }) ==
        "65 m: tensor 'data.vocabulary' is [5], expected [6]");
  CHECK(changed([](auto& j) {
          j["categories"][0]["type"] = "x";
        }).find("type of column 'x' is not known") != std::string::npos);
  CHECK(changed([](auto& j) { j["categories"] = nlohmann::json::array(); }) ==
        "65 m: tensor 'data.vocabulary' is [5], expected [0]");
  CHECK(changed([](auto& j) { j["categories"] = j["numbers"] = nlohmann::json::array(); }) ==
        "65 m: no column is a category or a number, expected one");
  CHECK(changed([](auto& j) { j["numbers"][0]["scale"] = 1e300; }).find("a scale is") !=
        std::string::npos);
  Document document = with_json([](auto&) {});
  document.tensors.pop_back();
  CHECK(load_error(document).starts_with("65 m: no tensor 'data.counts'"));
  document.tensors.clear();
  CHECK(load_error(document).starts_with("65 m: no tensor 'data.vocabulary'"));
}
