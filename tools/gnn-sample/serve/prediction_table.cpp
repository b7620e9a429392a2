#include "tools/gnn-sample/serve/prediction_table.h"

#include <vector>

#include "libcore/base/text.h"
#include "libcore/system/output_file.h"
#include "tools/gnn-sample/data/node_lookup.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr int kDigits = 6;

/// As CSV has it (RFC 4180).
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// Columns of a tensor [nodes, width], each named "WORD CLASS".
class Numbers {
 public:
  Numbers(const Document& document, const char* name, const std::string& word,
          const std::vector<std::string>& classes)
      : tensor_(document.find(name)) {
    if (tensor_ == nullptr) return;
    for (std::size_t c = 0; c < width(); ++c) {
      header_ += "," + field(word + " " + (c < classes.size() ? classes[c] : std::to_string(c)));
    }
  }

  const std::string& header() const { return header_; }
  void add(std::size_t row, std::string& line) const {
    for (std::size_t c = 0; c < width(); ++c) {
      const std::size_t at = row * width() + c;
      line += ',';
      line += tensor_->dtype == Dtype::u8
                  ? std::to_string(tensor_->as<std::uint8_t>()[at])
                  : format_number(double{tensor_->as<float>()[at]}, kDigits);
    }
  }

 private:
  std::size_t width() const {
    return tensor_ == nullptr ? 0 : static_cast<std::size_t>(tensor_->shape[1]);
  }

  const Tensor* tensor_;
  std::string header_;
};

}  // namespace

bool is_table(const std::string& path) { return path.ends_with(".csv"); }

void write_table(const std::string& path, const NodeSet& set, std::span<const NodeId> nodes,
                 const Document& predictions, const std::string& class_names) {
  std::vector<std::string> names;
  if (!class_names.empty()) {
    for (const std::string_view name : split(class_names, '\n')) names.emplace_back(name);
  }
  const Tensor* const places = predictions.find("classes");
  const Tensor* const values = predictions.find("values");
  const Numbers labels(predictions, "labels", "label", names);
  const Numbers probabilities(predictions, "probabilities", "probability", names);
  const Numbers embeddings(predictions, "embeddings", "embedding", {});
  OutputFile output(path, {.binary = false});
  std::string text = "node" + std::string(places == nullptr ? "" : ",class") +
                     (values == nullptr ? "" : ",value") + labels.header() +
                     probabilities.header() + embeddings.header() + "\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    text += field(node_text(set, nodes[i]));
    if (places != nullptr) {
      const auto place = static_cast<std::size_t>(places->as<std::int32_t>()[i]);
      text += "," + (names.empty() ? std::to_string(place) : field(names[place]));
    }
    if (values != nullptr) text += "," + format_number(double{values->as<float>()[i]}, kDigits);
    labels.add(i, text);
    probabilities.add(i, text);
    embeddings.add(i, text);
    text += '\n';
    if (text.size() < kBlockBytes) continue;
    output.write(text.data(), text.size());
    text.clear();
  }
  output.write(text.data(), text.size());
  output.commit();
}

}  // namespace frugal::gnn
