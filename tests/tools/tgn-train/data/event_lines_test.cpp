#include <doctest/doctest.h>
#include <unistd.h>

#include <thread>

#include "tests/support/text_file.h"
#include "tools/tgn-train/data/event_parser.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// A pipe that is written to by and by.
class Pipe {
 public:
  Pipe() { REQUIRE(pipe(ends_) == 0); }
  ~Pipe() {
    close_writer();
    close(ends_[0]);
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  void put(std::string_view text) {
    CHECK(write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

/// All lines of a text: "source>destination@time[features]", then the error if there is one.
std::string lines_of(const std::string& text, bool names = false,
                     const EventLayoutOptions& options = {}) {
  const TextFile file(text, ".csv");
  std::string out;
  const std::string error = error_of([&] {
    PieceReader reader(file.path());
    reader.set_pace(Pace::prompt);
    EventLayoutOptions layout_options = options;
    layout_options.ids = names ? EventIds::any : EventIds::number;
    const EventLayout layout = event_layout(reader, layout_options);
    EventTextOptions text_options;
    text_options.names = names;
    text_options.order_hint = "";
    EventLines lines(reader, layout, text_options);
    for (TextEvent event; lines.next(event, true);) {
      out += std::string(event.source) + ">" + std::string(event.destination) + "@" +
             event.time.text() + "[";
      for (const float x : event.features) out += format_number(static_cast<double>(x)) + " ";
      out += "] ";
    }
    CHECK(lines.at_end());
  });
  const std::size_t at = error.find(file.path());
  return out + (at == std::string::npos ? error : error.substr(at + file.path().size()));
}

}  // namespace

TEST_CASE("lines are read as import reads them, up to the first that is wrong") {
  CHECK(lines_of("src,dst,time,w\n007,1,5,0.5\n# no event\n\n1,2,5.5,1\n") ==
        "7>1@5[0.5 ] 1>2@5.5[1 ] no error");
  CHECK(lines_of("a b,\"c,d\",1\n", true) == "a b>c,d@1[] no error");
  CHECK(lines_of("0,1,5\n1,2,6\nx,2,7\n") ==
        "0>1@5[] 1>2@6[] :3: found 'x' as source, expected a number from 0 on (--ids any takes all "
        "names)");
  CHECK(lines_of("0,1,5\n\n1,2,4\n") ==
        "0>1@5[] :3: time 4 is before 5 of line 1, expected events in the order of time");
  CHECK(lines_of("0,1,5\n1,2\n") == "0>1@5[] :2: found 2 columns, expected 3 as in line 1");
}

TEST_CASE("ids are names where the first event has an id that is no number") {
  const auto has_names = [](const std::string& text, const std::string& format = "auto") {
    const TextFile file(text, ".csv");
    PieceReader reader(file.path());
    return event_layout(reader, {.format = format, .columns = {}, .ids = EventIds::automatic})
        .names;
  };
  CHECK(has_names("ann,7,1\n"));
  CHECK(has_names("7,bob smith,1\n"));
  CHECK(has_names("time,source,destination\n1,7,bob\n"));
  CHECK(!has_names("source,destination,time\n7,8,1\nann,bob,2\n"));
  CHECK(!has_names("-7,8.5,1\n"));  // an error, not names
  CHECK(has_names("user_id,item_id,timestamp,state_label,features\nann,0,1,0\n", "jodie"));
  CHECK(!has_names(",u,i,ts,label,idx\n0,ann,2,3,0,1\n", "tgn"));
}

TEST_CASE("a line of a pipe is there before the next is written") {
  Pipe pipe;
  PieceReader reader(pipe.path());
  reader.set_pace(Pace::prompt);
  CHECK(!reader.wait(0));
  pipe.put("src,dst,time\n");
  CHECK(reader.wait(5));
  pipe.put("1,2,");
  std::thread late([&] { pipe.put("3\n"); });
  const EventLayout layout = event_layout(reader, {});
  late.join();
  CHECK(layout.form.header_line == 1);
  const EventTextOptions options;
  EventLines lines(reader, layout, options);
  TextEvent event;
  REQUIRE(lines.next(event, true));
  CHECK(event.destination == "2");
  CHECK(!lines.next(event, false));
  CHECK(!lines.at_end());
  pipe.put("4,5,6\n7");
  REQUIRE(lines.next(event, false));
  CHECK(event.source == "4");
  CHECK(!lines.next(event, false));
  pipe.put(",8,9");
  pipe.close_writer();
  REQUIRE(lines.next(event, false));
  CHECK(event.source == "7");
  CHECK(!lines.next(event, false));
  CHECK(lines.at_end());
}

TEST_CASE("columns behind the time are a label and features, or as many features as asked for") {
  const auto features_of = [](const std::string& line, std::size_t wanted,
                              const EventLayoutOptions& options = {}) {
    const TextFile file(line, ".csv");
    PieceReader reader(file.path());
    EventLayout layout = event_layout(reader, options);
    layout.leave_out_label(wanted);
    CHECK(!layout.label);
    return layout.features;
  };
  using Columns = std::vector<std::size_t>;
  CHECK(features_of("0,1,5,7,8\n", 2) == Columns{3, 4});
  CHECK(features_of("0,1,5,1,7,8\n", 2) == Columns{4, 5});
  CHECK(features_of("0,1,5,1\n", 0) == Columns{});
  CHECK(features_of("0,1,5\n", 0) == Columns{});
  CHECK(features_of("src,dst,time,label,w\n0,1,5,1,7\n", 2) == Columns{4});
  CHECK(features_of("user_id,item_id,timestamp,state_label,features\n0,1,5,0,7\n", 2) ==
        Columns{4});
  CHECK(features_of("0,1,5,1,7\n", 2, {.columns = "3:time,5:feature"}) == Columns{4});
}
