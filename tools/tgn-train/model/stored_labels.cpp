#include "tools/tgn-train/model/stored_labels.h"

#include "libcore/base/error.h"
#include "libcore/options/option_fields.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {
namespace {

constexpr char kLabels[] = "tgn.label_", kTask[] = "tgn.label_task_";

OptionFields described_labels(std::size_t& batch, float& dropout) {
  OptionFields f;
  f.add("batch", batch).range(1, kMostBatch);
  f.add("dropout", dropout).range(0.0, 1.0);
  return f;
}

/// Files of labels 0 and 1 that follow from the source alone have none of these.
OptionFields described(LabelTask& task) {
  OptionFields f;
  f.add("of_event", task.of_event);
  f.add("features", task.reads_features);
  f.add("history", task.reads_history);
  f.add("type", task.type, kLabelTypeNames);
  f.add("mean", task.scale.mean).finite();
  f.add("deviation", task.scale.deviation).finite().positive();
  return f;
}

/// Files whose decoder reads no ages of labels have none of these.
OptionFields described_ages(bool& reads_ages) {
  OptionFields f;
  f.add("ages", reads_ages);
  return f;
}

void check_classes(const LabelTask& task, const std::string& path) {
  const std::size_t classes = task.classes.size();
  if (task.type == LabelType::classes ? classes >= 2 && classes <= kMostClasses : classes == 0) {
    return;
  }
  fail(ExitStatus::bad_input, path, ": metadata ", kClassesKey, " names ", classes,
       " classes, expected 2 to ", kMostClasses, " for labels of type class, and none for others");
}

}  // namespace

void save_labels(const LabelDecoder& decoder, LabelTask& task, std::size_t batch,
                 Document& document) {
  Metadata& m = document.metadata;
  float dropout = decoder.dropout();
  write_metadata(described_labels(batch, dropout), kLabels, m);
  decoder.save(document);
  if (!task.of_event && !task.reads_history && task.type == LabelType::binary) return;
  write_metadata(described(task), kTask, m);
  if (task.reads_ages) write_metadata(described_ages(task.reads_ages), kTask, m);
  add_header_names(kClassesKey, task.classes, m);
}

std::unique_ptr<LabelDecoder> load_labels(const Document& document, const std::string& path,
                                          const TgnModel& model, LabelTask& task,
                                          std::size_t& batch) {
  float dropout = 0;
  read_metadata(described_labels(batch, dropout), kLabels, document.metadata, path);
  if (document.metadata.contains("tgn.label_task_type")) {
    read_metadata(described(task), kTask, document.metadata, path);
    task.classes = header_names_of(kClassesKey, document.metadata, path);
  }
  if (document.metadata.contains(std::string(kTask) + "ages")) {
    read_metadata(described_ages(task.reads_ages), kTask, document.metadata, path);
    if (task.reads_ages && !task.reads_history) {
      fail(ExitStatus::bad_input, path,
           ": metadata tgn.label_task_ages is true without tgn.label_task_history, expected both");
    }
  }
  check_classes(task, path);
  const std::size_t dim = task.inputs(model);
  if (dim == 0) {
    fail(ExitStatus::bad_input, path,
         ": labels without a network are predicted from nothing, expected tgn.label_task_history");
  }
  LabelDecoder::check(document, path, dim, task.type, task.classes.size());
  auto decoder = std::make_unique<LabelDecoder>(dim, dropout, task.type, task.classes.size());
  decoder->load(document, path);
  return decoder;
}

}  // namespace frugal::tgn
