#include "tools/robe-compress/data/click_encoder.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

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
