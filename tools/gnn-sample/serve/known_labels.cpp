#include "tools/gnn-sample/serve/known_labels.h"

#include <unordered_map>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

std::string labels_text(std::size_t count, bool several) {
  return several ? format_count(count, "label") + ", several a node"
                 : std::to_string(count) + (count == 1 ? " class" : " classes");
}

/// Names of classes, a line each, or their numbers from 0 on.
std::vector<std::string> name_list(const std::string& lines, std::size_t count) {
  std::vector<std::string> names;
  if (lines.empty()) {
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
    return names;
  }
  for (const std::string_view name : split(lines, '\n')) names.emplace_back(name);
  return names;
}

std::string names_text(const std::string& lines, std::size_t count) {
  return lines.empty() ? "0 to " + std::to_string(count - 1) : joined(name_list(lines, count));
}

bool are_words(const std::string& names) { return !names.empty() && class_numbers(names).empty(); }

/// Fails unless the labels are of the model's kind.
void check_kind(const ModelOnGraph& work, const std::string& model_path) {
  const StoredGraph& graph = work.graph();
  if (work.is_of_links()) {
    fail(ExitStatus::usage, model_path,
         " makes embeddings of nodes and knows no labels; train tests such a model with the edges "
         "that it holds out");
  }
  const NodeSet& set = work.node_set();
  if (!set.has_labels()) {
    fail(ExitStatus::bad_input, graph.path(),
         ": the graph has no labels; give import some (--labels)");
  }
  const ModelGoal& stored = work.goal();
  if (set.values.empty() == stored.value_scale.has_value()) {
    const auto kind = [](bool numbers) { return numbers ? "numbers to predict" : "classes"; };
    fail(ExitStatus::bad_input, graph.path(), ": labels are ", kind(!set.values.empty()),
         ", expected ", kind(stored.value_scale.has_value()), ", those of ", model_path,
         " (import --label-type)");
  }
}

}  // namespace

std::vector<std::int32_t> class_numbers(const std::string& names) {
  std::vector<std::int32_t> numbers;
  for (const std::string_view name : split(names, '\n')) {
    const auto number = parse_number<int>(name);
    if (!number || std::to_string(*number) != name) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

KnownLabels::KnownLabels(const ModelOnGraph& work, const std::string& model_path)
    : set_(work.node_set()) {
  check_kind(work, model_path);
  const ModelGoal& stored = work.goal();
  if (stored.value_scale) return;
  const std::string& path = work.graph().path();
  const bool several = !set_.label_matrix.empty();
  const std::size_t num_known = work.num_outputs();
  const std::string names = work.graph().text_of(typed_key(kClassNamesKey, set_.type));
  const bool same_size = set_.num_classes == num_known;
  if (same_size && several == stored.several_labels && names == stored.class_names) return;
  const bool by_order = several || are_words(names) != are_words(stored.class_names);
  if (several != stored.several_labels || (by_order && !same_size)) {
    fail(ExitStatus::bad_input, path, " has ", labels_text(set_.num_classes, several),
         ", expected ", labels_text(num_known, stored.several_labels), ", those of ", model_path);
  }
  const std::string own = names_text(names, set_.num_classes);
  const std::string known = names_text(stored.class_names, num_known);
  if (by_order && (names.empty() || stored.class_names.empty())) {
    log_warning(path, ": the classes are ", own, ", those of ", model_path, " are ", known,
                ": they are compared in this order");
    return;
  }
  if (!by_order && match_names(names, stored.class_names, num_known)) {
    log_info(path, ": the classes are ", own, ", among those of ", model_path, ", ", known);
    return;
  }
  fail(ExitStatus::bad_input, path, " has the classes ", own, ", expected ", known, ", those of ",
       model_path);
}

/// False if a node has a class that is not among the known ones.
bool KnownLabels::match_names(const std::string& names, const std::string& known,
                              std::size_t num_known) {
  std::unordered_map<std::string, std::int32_t> place_of;
  for (const std::string& name : name_list(known, num_known)) {
    place_of.emplace(name, static_cast<std::int32_t>(place_of.size()));
  }
  std::vector<std::int32_t> places;
  for (const std::string& name : name_list(names, set_.num_classes)) {
    const auto found = place_of.find(name);
    places.push_back(found == place_of.end() ? -1 : found->second);
  }
  labels_.assign(set_.labels.begin(), set_.labels.end());
  for (std::int32_t& label : labels_) {
    if (label < 0) continue;
    label = places[static_cast<std::size_t>(label)];
    if (label < 0) return false;
  }
  set_.labels = labels_;
  set_.num_classes = num_known;
  return true;
}

}  // namespace frugal::gnn
