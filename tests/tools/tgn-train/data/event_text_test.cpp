#include "tools/tgn-train/data/event_text.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tools/tgn-train/data/node_kinds.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

EventTable read(const std::string& path, const EventTextOptions& options = {},
                const EventLayoutOptions& layout = {}) {
  PieceReader reader(path);
  return read_event_text(reader, event_layout(reader, layout), options);
}

/// Lines of several megabytes, so that several pieces are parsed.
constexpr std::size_t kLines = 300000;
std::string long_text(std::size_t odd_line = 0, const std::string& odd = "") {
  std::string text = "src,dst,time,weight\n";
  for (std::size_t i = 2; i <= kLines + 1; ++i) {
    text += i == odd_line ? odd
                          : std::to_string(i % 977) + "," + std::to_string(i % 31) + "," +
                                std::to_string(i / 3) + ",0.5";
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("Long texts are read in order, by any number of threads") {
  const TextFile file(long_text(), ".csv");
  const int before = num_threads();
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    const EventTable table = read(file.path());
    REQUIRE(table.size() == kLines);
    CHECK(table.in_order);
    CHECK(table.labels.empty());  // the fourth column has another name
    std::size_t wrong = 0;
    for (std::size_t e = 0; e < kLines; ++e) {
      const std::size_t i = e + 2;
      wrong += table.sources[e] != i % 977 || table.destinations[e] != i % 31 ||
               table.whole[e] != static_cast<std::int64_t>(i / 3) ||
               std::as_const(table.features).as<float>()[e] != 0.5F;
    }
    CHECK(wrong == 0);
  }
  set_num_threads(before);
}

TEST_CASE("Errors of any piece name their line") {
  for (const std::size_t line : {2U, 5000U, 123456U, 300001U}) {
    const TextFile bad(long_text(line, "1,2,x,0"), ".csv");
    CHECK(error_of([&] { read(bad.path()); }) ==
          "65 " + bad.path() + ":" + std::to_string(line) +
              ": found 'x' as time, expected a number or a date as 2024-02-29");
  }
  const TextFile late(long_text(200000, "1,2,7,0"), ".csv");
  CHECK(error_of([&] { read(late.path()); }) ==
        "65 " + late.path() +
            ":200000: time 7 is before 66666 of line 199999, expected events in the order of "
            "time; --sort sorts them");
}

TEST_CASE("Events out of order are found between pieces, too") {
  // Every piece begins with one of these lines or not; all are out of order.
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "1,2," + std::to_string(900000 - i) + "\n";
  const TextFile file(text, ".csv");
  const EventTable table = read(file.path(), {.any_order = true});
  CHECK_FALSE(table.in_order);
  CHECK(table.whole[199999] == 700001);
}

TEST_CASE("One fraction makes all times doubles") {
  const TextFile file(long_text(250001, "1,2,83333.25,0"), ".csv");
  const EventTable table = read(file.path());
  REQUIRE(table.real.size() == kLines);
  CHECK(table.whole.empty());
  CHECK(table.real[0] == 0);
  CHECK(table.real[249999] == 83333.25);
  CHECK(table.times().between(249998, 249999) == 0.25);
}

TEST_CASE("Two kinds of nodes are told by ids, formats and options") {
  const auto kinds = [](const std::string& text, TwoKinds told, bool own) {
    const TextFile file(text, ".csv");
    EventTable table = read(file.path());
    const NodeKinds found = number_kinds(table, {told, own, 0}, "f");
    return std::vector<std::size_t>{found.num_nodes, found.num_sources, std::size_t{found.shifted},
                                    table.destinations[0]};
  };
  const std::string apart = "0,5,1\n2,3,2\n", shared = "0,2,1\n2,0,2\n";
  using Found = std::vector<std::size_t>;
  CHECK(kinds(apart, TwoKinds::automatic, true) == Found{6, 3, 0, 5});
  CHECK(kinds(apart, TwoKinds::automatic, false) == Found{6, 3, 0, 5});
  CHECK(kinds(apart, TwoKinds::yes, false) == Found{6, 3, 0, 5});
  CHECK(kinds(apart, TwoKinds::no, true) == Found{6, 0, 0, 5});
  CHECK(kinds(shared, TwoKinds::automatic, true) == Found{6, 3, 1, 5});
  CHECK(kinds(shared, TwoKinds::automatic, false) == Found{3, 0, 0, 2});
  CHECK(kinds(shared, TwoKinds::yes, false) == Found{6, 3, 1, 5});
  CHECK(kinds(shared, TwoKinds::no, true) == Found{3, 0, 0, 2});
}

TEST_CASE("Labels are classes by name or numbers, and may be missing") {
  const auto read_labels = [](const std::string& labels, LabelType type) {
    std::string text = "src,dst,time,label\n";
    for (std::size_t begin = 0; begin < labels.size();) {
      const std::size_t end = labels.find(';', begin);
      text += "1,2,3," + labels.substr(begin, end - begin) + '\n';
      begin = end + 1;
    }
    EventLayoutOptions layout;
    layout.labels = type;
    return read(TextFile(text, ".csv").path(), {}, layout);
  };
  const EventTable names = read_labels("b;\"a \"\"x\"\"\";;b;NA;", LabelType::classes);
  CHECK(names.classes == HeaderNames{"a \"x\"", "b"});
  CHECK(names.labels.empty());
  CHECK(names.targets[0] == 1);
  CHECK(names.targets[1] == 0);
  CHECK(std::isnan(names.targets[2]));
  CHECK(names.targets[3] == 1);
  CHECK(std::isnan(names.targets[4]));
  // Names that are numbers go by these.
  CHECK(read_labels("10;9;-1;", LabelType::classes).classes == HeaderNames{"-1", "9", "10"});
  const EventTable numbers = read_labels("-2.5;;10;", LabelType::numbers);
  CHECK(numbers.targets[0] == -2.5F);
  CHECK(std::isnan(numbers.targets[1]));
  CHECK(error_of([&] { read_labels("1;x;", LabelType::numbers); }).find(":3: found 'x' as label") !=
        std::string::npos);
  std::string many;
  for (int i = 0; i < 1001; ++i) many += std::to_string(i) + ';';
  CHECK(error_of([&] { read_labels(many, LabelType::classes); }).find("have 1001 classes") !=
        std::string::npos);
}
