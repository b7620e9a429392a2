#include "tools/gnn-sample/batches/link_file.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/json_head.h"
#include "tools/gnn-sample/formats/edge_columns.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kRowsTogether = std::size_t{1} << 16;

}  // namespace

LinkFile::LinkFile(const std::string& path, const NodeSet& sources, const NodeSet& targets)
    : reader_(path), source_set_(sources), target_set_(targets), sources_(sources) {
  if (&sources != &targets) others_.emplace(targets);
  names_ = sources_.by_name() || (others_ && others_->by_name());
}

void LinkFile::split() {
  std::string_view line = line_;
  if (!names_) {
    copy_ = line;
    std::replace(copy_.begin(), copy_.end(), ',', ' ');
    line = copy_;
  }
  const bool tabs = names_ && line.find('\t') != std::string_view::npos;
  const bool commas = line.find(',') != std::string_view::npos;
  FieldSplitter& splitter = tabs ? at_tabs_ : commas ? at_commas_ : at_blanks_;
  splitter.split(line, fields_);
}

/// True if the fields name the columns, and none is a node.
bool LinkFile::take_header() {
  const TableRow names(fields_.begin(), fields_.end());
  const auto ends = named_ends(names);
  const auto is_node = [&](const std::string& name) {
    return sources_.find(name) || (others_ && others_->find(name));
  };
  if (!ends || std::any_of(names.begin(), names.end(), is_node)) return false;
  columns_ = {ends->source, ends->target, 3 - ends->source - ends->target, true};
  return true;
}

bool LinkFile::next(LinkLine& line) {
  while (reader_.next(line_)) {
    split();
    const bool fits = fields_.size() == 2 || fields_.size() == 3;
    if (fits && reader_.line_number() == 1 && take_header()) continue;
    if (!fits || std::max(columns_.source, columns_.target) >= fields_.size()) refuse("");
    const auto source = sources_.find(fields_[columns_.source]);
    const auto target = (others_ ? *others_ : sources_).find(fields_[columns_.target]);
    if (!source || !target) refuse("");
    line.link = {*source, *target};
    line.has_third = fields_.size() == 3;
    line.third = line.has_third ? fields_[columns_.third] : std::string_view();
    return true;
  }
  return false;
}

void LinkFile::refuse(const std::string& third) const {
  const std::string ends =
      others_ ? sources_.expected() + " of type " + printable(source_set_.type) + " and " +
                    others_->expected() + " of type " + printable(target_set_.type)
              : sources_.expected(true);
  fail(ExitStatus::bad_input, reader_.place(), ": expected ", ends,
       third.empty() ? "" : " and " + third, ", found '", printable(line_), "'");
}

LinkFileWriter::LinkFileWriter(const std::string& path, const NodeSet& sources,
                               const NodeSet& targets, const std::string& third)
    : output_(path, {.binary = false}),
      sources_(sources),
      targets_(targets),
      rows_{{"source", "target", third}} {}

void LinkFileWriter::add(const Link& link, std::string third) {
  rows_.push_back(
      {node_text(sources_, link.source), node_text(targets_, link.target), std::move(third)});
  if (rows_.size() == kRowsTogether) write_rows();
}

void LinkFileWriter::write_rows() {
  const std::string text = csv_text(rows_);
  output_.write(text.data(), text.size());
  rows_.clear();
}

void LinkFileWriter::commit() {
  write_rows();
  output_.commit();
}

}  // namespace frugal::gnn
