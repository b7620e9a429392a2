#include "tools/sparse-train/data/layout_finder.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/svmlight.h"
#include "libcore/tables/text_kind.h"
#include "tools/sparse-train/data/table_layout.h"

namespace frugal::sparse {
namespace {

/// Fails (bad_input) on numbers of features or labels beyond kAnyId. The number of points may be
/// larger.
void check_counts(const std::string& name, std::string_view line) {
  const auto words = split(trim(line), ' ');
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool digits = words[i].find_first_not_of("0123456789") == std::string_view::npos;
    if (words[i].empty() || !digits || parse_number<std::uint32_t>(words[i])) continue;
    fail(ExitStatus::bad_input, name, ":1: ", printable(words[i], 40),
         " is too large for the header 'points features labels', expected at most ", kAnyId);
  }
}

void lay_out_counts(const std::string& name, std::string_view head, InputLayout& layout) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const auto header = parse_xmc_header(line);
  if (!header) check_counts(name, line);
  if (!header) {
    fail(ExitStatus::bad_input, name, ":1: found '", printable(line),
         "', expected the header 'points features labels'");
  }
  layout.has_header = true;
  layout.num_points = header->points;
  layout.feature_limit = header->features;
  layout.label_limit = header->labels;
}

/// Fails (bad_input) where a text has no lines.
void refuse_other_texts(const std::string& name, std::string_view head) {
  if (trim(head).empty()) fail(ExitStatus::bad_input, name, ": is empty, expected examples");
  refuse_documents(name, head);
}

const ExampleFormat& format_of(const FeatureOptions& options, const std::string& name,
                               std::string_view head) {
  if (options.format != "auto") return example_formats().by_name(options.format);
  const bool own_prefix = options.label_prefix != FeatureOptions().label_prefix;
  if (own_prefix && trim(head).starts_with(options.label_prefix)) {
    return *example_formats().find("fasttext");
  }
  return example_formats().detect({name, head});
}

}  // namespace

void refuse_documents(const std::string& name, std::string_view head) {
  const TextKind kind = text_kind(head);
  if (kind == TextKind::table || kind == TextKind::json_lines) return;
  fail(ExitStatus::bad_input, name, ": is ", description(kind).name,
       ", expected lines of examples; make a table of it with: ", description(kind).way_in);
}

InputLayout find_layout(const FeatureOptions& options, const std::string& name,
                        std::string_view head) {
  InputLayout layout;
  refuse_other_texts(name, head);
  layout.format = &format_of(options, name, head);
  layout.style = layout.format->style;
  layout.label_separator = layout.format->label_separator;
  if (layout.format->columns) lay_out_table(options, name, head, layout);
  if (layout.format->feature_ids) layout.feature_limit = kAnyId;
  if (layout.format->counts) lay_out_counts(name, head, layout);
  return layout;
}

void check_format_options(const FeatureOptions& options, const ExampleFormat& format,
                          const std::string& name) {
  const FeatureOptions usual;
  const std::string columns = format_names(has_columns, "and");
  const auto check = [&](const std::string& option, bool given, bool applies,
                         const std::string& formats) {
    if (!given || applies) return;
    fail(ExitStatus::usage, name, ": the format is ", format.name, ", but ", option, " goes with ",
         formats);
  };
  check("--columns", !options.columns.empty(), format.columns, columns);
  check("--text-columns", !options.text_columns.empty(), format.columns, columns);
  check("--label-column", !options.label_column.empty(), format.columns, columns);
  check("--label-separator", !options.label_separator.empty(), format.columns, columns);
  check("--header", options.header == "yes", format.columns, columns);
  check("--separator", options.separator != usual.separator, format.columns, columns);
  check("--label-prefix", options.label_prefix != usual.label_prefix, format.label_words,
        format_names(has_label_words, "and"));
  check("--tokenizer", options.tokenizer != usual.tokenizer, format.has_text(), "text");
  check("--encoding", options.encoding != usual.encoding, format.has_text(), "text");
  for (const std::string& option : options.for_text) check(option, true, format.has_text(), "text");
}

}  // namespace frugal::sparse
