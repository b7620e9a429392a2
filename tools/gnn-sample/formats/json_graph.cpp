#include <algorithm>
#include <nlohmann/json.hpp>
#include <streambuf>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/text_kind.h"
#include "tools/gnn-sample/formats/named_graph.h"

namespace frugal::gnn {
namespace {

using nlohmann::json;

/// The bytes of a source for the parser. Long values are refused before they fill the memory.
class SourceBuffer : public std::streambuf {
 public:
  explicit SourceBuffer(GraphSource& source) : source_(source), bytes_(std::size_t{1} << 16) {}

  /// A value has ended here.
  void value_ended() { since_value_ = 0; }
  /// Whether there is anything but white space.
  bool has_more() {
    for (;;) {
      const int c = sgetc();
      if (c == traits_type::eof()) return false;
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return true;
      sbumpc();
    }
  }
  std::uint64_t bytes() const { return read_ - static_cast<std::uint64_t>(egptr() - gptr()); }

 private:
  int_type underflow() override {
    if (since_value_ > kMostValueBytes + bytes_.size()) {
      fail(ExitStatus::bad_input, source_.name(), ": byte ", bytes(), ": a value is longer than ",
           format_bytes(kMostValueBytes));
    }
    const std::size_t size = source_.read(bytes_.data(), bytes_.size());
    setg(bytes_.data(), bytes_.data(), bytes_.data() + size);
    read_ += size;
    since_value_ += size;
    return size == 0 ? traits_type::eof() : traits_type::to_int_type(bytes_[0]);
  }

  GraphSource& source_;
  std::vector<char> bytes_;
  std::uint64_t read_ = 0, since_value_ = 0;
};

/// Place of a value in the document.
enum class Place { top, nodes, edges, node, edge, graph, other };

/// The events of the parser, which has no recursion.
class JsonGraphReader : public json::json_sax_t {
 public:
  JsonGraphReader(GraphSource& source, const GraphReadOptions& options, GraphInput& input)
      : source_(source),
        options_(options),
        input_(input),
        buffer_(source),
        graph_(source.name(), options, input) {}

  void read() {
    std::istream stream(&buffer_);
    while (buffer_.has_more()) {
      // One value after the other: JSON Lines have several.
      json::sax_parse(stream, this, json::input_format_t::json, /*strict=*/false);
      ++num_values_;
      if (options_.progress) options_.progress(source_.bytes_read());
    }
    if (num_values_ == 0) fail(ExitStatus::bad_input, source_.name(), ": is empty, expected JSON");
    graph_.finish();
    if (!has_lists_ || directed_ == true) return;
    input_.listed_once = true;
    if (directed_) return;
    log_info(source_.name(), ": does not say whether it is directed, each edge is there in both ",
             "directions, as in NetworkX");
  }

  bool null() override { return scalar(""); }
  bool boolean(bool value) override {
    if (is_inside(Place::top, Place::graph) && key_ == "directed") directed_ = value;
    return scalar(value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override {
    const auto whole = parse_whole(text);
    return scalar(whole ? std::to_string(*whole) : text);
  }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    Place place = Place::other;
    if (places_.empty()) place = Place::top;
    if (is_inside(Place::nodes)) place = Place::node;
    if (is_inside(Place::edges)) place = Place::edge;
    if (is_inside(Place::top) && key_ == "graph") place = Place::graph;
    note_value();
    if (place == Place::top || place == Place::node || place == Place::edge) fields_.clear();
    return enter(place);
  }
  bool start_array(std::size_t) override {
    Place place = Place::other;
    if (places_.empty()) place = Place::edges;
    if (is_inside(Place::top, Place::graph)) {
      if (key_ == "nodes") place = Place::nodes;
      if (key_ == "links" || key_ == "edges") place = Place::edges;
      if (place == Place::edges) has_lists_ = true;
    }
    note_value();
    return enter(place);
  }
  bool end_array() override { return leave(); }
  bool end_object() override {
    const Place place = places_.back();
    leave();
    if (place == Place::node) end_node();
    if (place == Place::edge) end_edge();
    // A line of JSON Lines is an edge.
    if (place == Place::top && !has_lists_) end_edge();
    return true;
  }
  bool key(string_t& value) override {
    buffer_.value_ended();
    key_ = value;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    const std::string_view what(error.what());
    const std::size_t at = what.find("parse error");
    bad("is no JSON: " + printable(at == std::string_view::npos ? what : what.substr(at), 200));
  }

 private:
  template <class... Places>
  bool is_inside(Places... places) const {
    return !places_.empty() && ((places_.back() == places) || ...);
  }
  [[noreturn]] void bad(const std::string& finding) const {
    fail(ExitStatus::bad_input, source_.name(), ": byte ", buffer_.bytes(), ": ", finding);
  }

  bool enter(Place place) {
    if (places_.size() >= kMostNesting) {
      bad("has values in more than " + std::to_string(kMostNesting) + " others");
    }
    places_.push_back(place);
    return true;
  }
  bool leave() {
    buffer_.value_ended();
    places_.pop_back();
    return true;
  }
  /// Objects and lists inside a record are no fields.
  void note_value() {
    buffer_.value_ended();
    if (is_inside(Place::node, Place::edge)) fields_.emplace_back(key_, "");
  }
  bool scalar(std::string value) {
    buffer_.value_ended();
    if (is_inside(Place::nodes, Place::edges) || places_.empty()) {
      bad("found '" + printable(value, 40) + "', expected an object");
    }
    if (!is_inside(Place::node, Place::edge, Place::top)) return true;
    if (fields_.size() > kMostColumns) bad("an object has more than 65536 values");
    fields_.emplace_back(key_, std::move(value));
    return true;
  }

  /// The value of a field, which is taken out.
  std::optional<std::string> take(const std::string& name) {
    const auto found = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const auto& field) { return field.first == name; });
    if (found == fields_.end()) return std::nullopt;
    std::string value = std::move(found->second);
    fields_.erase(found);
    return value;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& field : fields_) names.push_back(field.first);
    return names;
  }

  void end_node() {
    const auto id = take("id");
    if (!id || id->empty()) bad("a node has no id");
    graph_.add_node(*id);
    graph_.leave_out("nodes", fields_);
  }

  /// The first edge says what the ends are called.
  void find_ends() {
    const TableRow known = names();
    const auto ends = named_ends(known);
    const EdgeTextOptions& text = options_.text;
    source_key_ = !text.source_column.empty() ? text.source_column
                  : ends                      ? known[ends->source]
                                              : "";
    target_key_ = !text.target_column.empty() ? text.target_column
                  : ends                      ? known[ends->target]
                                              : "";
    if (!source_key_.empty() && !target_key_.empty()) return;
    bad("an edge has " + (known.empty() ? "no values" : joined(known)) +
        ", expected source and target, or --columns NAME:source,NAME:target");
  }

  void end_edge() {
    if (source_key_.empty()) find_ends();
    const auto source = take(source_key_), target = take(target_key_);
    if (!source || !target) {
      bad("an edge has no '" + printable(source ? target_key_ : source_key_) + "'");
    }
    graph_.add_edge(*source, *target, fields_);
  }

  GraphSource& source_;
  const GraphReadOptions& options_;
  GraphInput& input_;
  SourceBuffer buffer_;
  NamedGraph graph_;
  std::vector<Place> places_;
  std::string key_;
  Attributes fields_;  ///< of the record
  std::string source_key_, target_key_;
  std::optional<bool> directed_;
  bool has_lists_ = false;
  std::uint64_t num_values_ = 0;
};

}  // namespace

void read_json_graph(GraphSource& source, const GraphReadOptions& options, GraphInput& input) {
  if (text_kind(source.head()) == TextKind::json_lists) {
    fail(ExitStatus::bad_input, source.name(), ": is ", description(TextKind::json_lists).name,
         ", expected an object with nodes and links; make a table of edges with: ",
         description(TextKind::json_lists).way_in);
  }
  check_attribute_options(source.name(), options.text, /*ends=*/true);
  JsonGraphReader(source, options, input).read();
}

}  // namespace frugal::gnn
