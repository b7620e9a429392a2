#include "tools/gnn-sample/data/class_numbers.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "libcore/base/error.h"
#include "libcore/base/float_loss.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/field_numbers.h"

namespace frugal::gnn {
namespace {

/// "3" and "3.0".
std::optional<std::int64_t> class_number(std::string_view text) {
  const auto number = parse_finite<double>(text);
  const bool whole = number && *number == std::floor(*number) && *number >= -1 &&
                     *number <= static_cast<double>(kMostClasses);
  if (!whole) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// "01" and "007" are codes: as numbers, some of them would be one.
bool is_code(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_unknown(std::string_view text) {
  for (const char* word : {"unknown", "Unknown", "UNKNOWN", "unlabeled", "unlabelled"}) {
    if (text == word) return true;
  }
  return false;
}

/// The texts of classes of one file.
class ClassTexts {
 public:
  ClassTexts(const NodeNames& texts, const std::vector<NodeId>& text_of, const std::string& path)
      : texts_(texts), text_of_(text_of), path_(path) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!is_missing(text(i))) named_.push_back(i);
    }
    const auto unknown = std::find_if(named_.begin(), named_.end(),
                                      [&](std::size_t i) { return is_unknown(text(i)); });
    if (unknown == named_.end()) return;
    std::vector<std::size_t> others(named_);
    others.erase(others.begin() + (unknown - named_.begin()));
    if (others.empty() || !are_numbers(others)) return;
    log_info(path, ": '", text(*unknown), "' beside numbers of classes is taken as no class");
    named_ = std::move(others);
  }

  bool are_numbers() const {
    return are_numbers(named_) && std::none_of(named_.begin(), named_.end(),
                                               [&](std::size_t i) { return is_code(text(i)); });
  }

  /// Number of the class of each node.
  std::vector<std::int32_t> numbers() const {
    std::vector<std::int32_t> classes(texts_.size(), -1);
    for (const std::size_t i : named_) {
      const auto number = class_number(text(i));
      if (!number) {
        fail(ExitStatus::bad_input, path_, ": label ", printable(text(i), 40), " of node ",
             std::find(text_of_.begin(), text_of_.end(), i) - text_of_.begin(),
             ", expected classes from 0 to ", kMostClasses, ", or -1");
      }
      classes[i] = static_cast<std::int32_t>(*number);
    }
    return of_nodes(classes);
  }

  std::vector<std::int32_t> names(NodeLabels& labels) {
    check_first();
    std::vector<std::int32_t> classes(texts_.size(), -1);
    std::erase_if(named_, [&](std::size_t i) { return text(i) == "-1" || text(i) == "-1.0"; });
    std::sort(named_.begin(), named_.end(),
              [&](std::size_t a, std::size_t b) { return text(a) < text(b); });
    for (const std::size_t i : named_) {
      classes[i] = static_cast<std::int32_t>(labels.class_names.size());
      labels.class_names.emplace_back(text(i));
    }
    labels.num_classes = named_.size();
    return of_nodes(classes);
  }

 private:
  std::string_view text(std::size_t i) const { return texts_.name(static_cast<NodeId>(i)); }
  bool is_number(std::size_t i) const { return parse_finite<double>(text(i)).has_value(); }
  bool are_numbers(std::span<const std::size_t> some) const {
    return std::all_of(some.begin(), some.end(), [this](std::size_t i) { return is_number(i); });
  }

  std::vector<std::int32_t> of_nodes(const std::vector<std::int32_t>& classes) const {
    std::vector<std::int32_t> of;
    of.reserve(text_of_.size());
    for (const NodeId i : text_of_) of.push_back(classes[i]);
    return of;
  }

  /// A name before nothing but numbers is no class: as one it would move all others by a node.
  void check_first() const {
    if (named_.size() < 2 || named_[0] != text_of_[0] || is_number(named_[0]) ||
        !are_numbers(std::span(named_).subspan(1))) {
      return;
    }
    const std::string name = printable(text(named_[0]), 40);
    fail(ExitStatus::bad_input, path_, ": the first label is '", name,
         "', the others are numbers; expected --columns ", name, ":label if it names the column");
  }

  const NodeNames& texts_;
  const std::vector<NodeId>& text_of_;
  const std::string& path_;
  std::vector<std::size_t> named_;  ///< texts that are of a class
};

}  // namespace

bool take_value_texts(const NodeNames& texts, const std::vector<NodeId>& text_of, LabelType type,
                      char separator, const std::string& path, NodeLabels& labels) {
  if (type == LabelType::classes) return false;
  std::vector<float> values(texts.size(), std::nanf(""));
  std::size_t fractions = 0, others = 0, other = 0;
  FloatLoss loss;
  for (std::size_t i = texts.size(); i-- > 0;) {
    const std::string_view text = texts.name(static_cast<NodeId>(i));
    if (is_missing_number(text)) continue;
    const auto number = parse_number_between<float>(text, separator);
    if (number) {
      values[i] = *number;
      add_field(text, separator, *number, loss);
      fractions += *number != std::floor(*number);
    } else {
      ++others;
      other = i;
    }
  }
  const bool are_values = type == LabelType::values || 2 * fractions > texts.size();
  if (others != 0 && are_values) {
    fail(ExitStatus::bad_input, path, ": label ",
         printable(texts.name(static_cast<NodeId>(other)), 40), " of node ",
         std::find(text_of.begin(), text_of.end(), other) - text_of.begin(),
         ", expected a finite number that F32 holds, or a missing value",
         type == LabelType::values ? "" : " (--label-type class makes classes of all)");
  }
  if (others != 0 || (type == LabelType::automatic && fractions == 0)) return false;
  if (loss.lost()) {
    fail(ExitStatus::bad_input, path, ": labels would lose their differences: ", loss.text());
  }
  for (const NodeId text : text_of) labels.values.push_back(values[text]);
  return true;
}

void take_class_numbers(std::vector<std::int32_t> classes, NodeLabels& labels) {
  std::vector<std::int32_t> distinct(classes);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const bool signs = distinct == std::vector<std::int32_t>{-1, 1};
  if (!signs && !distinct.empty() && distinct[0] == -1) distinct.erase(distinct.begin());
  if (signs || (distinct.size() > 1 && distinct[0] > 0)) {
    for (const std::int32_t number : distinct) labels.class_names.push_back(std::to_string(number));
    for (std::int32_t& c : classes) {
      const auto at = std::lower_bound(distinct.begin(), distinct.end(), c);
      c = at != distinct.end() && *at == c ? static_cast<std::int32_t>(at - distinct.begin()) : -1;
    }
    labels.num_classes = distinct.size();
  } else {
    labels.num_classes = distinct.empty() ? 0 : static_cast<std::size_t>(distinct.back()) + 1;
  }
  labels.classes = std::move(classes);
}

void take_class_texts(const NodeNames& texts, const std::vector<NodeId>& text_of,
                      const std::string& path, NodeLabels& labels) {
  ClassTexts classes(texts, text_of, path);
  if (classes.are_numbers()) return take_class_numbers(classes.numbers(), labels);
  labels.classes = classes.names(labels);
  for (const std::string& name : labels.class_names) {
    if (name.find('\n') == std::string::npos) continue;
    fail(ExitStatus::bad_input, path, ": class '", printable(name),
         "' has a line end, expected names in one line");
  }
}

}  // namespace frugal::gnn
