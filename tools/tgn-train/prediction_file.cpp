#include "tools/tgn-train/prediction_file.h"

#include <string_view>

#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/prediction_answers.h"

namespace frugal::tgn {
namespace {

std::string time_text(const EventTimes& times, EventId event) {
  const EventTime time = times.at(event);
  return TextTime{times.is_whole(), time.whole, time.real}.text();
}

}  // namespace

PredictionFile::PredictionFile(const std::string& path, const LinkData& data)
    : data_(data),
      naming_(naming_of(data.stream())),
      output_(path, {.binary = false, .if_changed = false}) {
  constexpr std::string_view kHeader = "part,source,destination,time,label,score\n";
  output_.write(kHeader.data(), kHeader.size());
}

void PredictionFile::add_link(EventId event, float link, NodeId negative, float negative_logit) {
  add(event, data_.stream().destinations()[event], 1, link);
  add(event, negative, 0, negative_logit);
}

void PredictionFile::add_label(EventId event, float logit) {
  add(event, data_.stream().destinations()[event], data_.stream().labels()[event], logit);
}

void PredictionFile::add(EventId event, NodeId destination, int label, float logit) {
  const EventStream& stream = data_.stream();
  const bool tests = event >= data_.split().begin(EventPart::test);
  const std::string line = std::string(tests ? "test," : "validation,") +
                           csv_field(node_name(stream, naming_, stream.sources()[event])) + ',' +
                           csv_field(node_name(stream, naming_, destination)) + ',' +
                           time_text(stream.times(), event) + ',' + std::to_string(label) + ',' +
                           probability_text(logit) + '\n';
  output_.write(line.data(), line.size());
}

}  // namespace frugal::tgn
