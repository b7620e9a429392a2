#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sparse-train/data/label_shares.h"
#include "tools/sparse-train/predict.h"

namespace frugal::sparse {

/// Answers to records as text or JSON, as the options say.
class Answers {
 public:
  /// Both must outlive the object.
  Answers(const Model& model, const PredictOptions& options);

  /// Appends the answers to the examples of `data` to `text`. names: of each example's features, in
  /// their order, if explanations are wanted.
  void append(Dataset& data, const std::vector<std::vector<std::string>>& names,
              std::string& text) const;

 private:
  struct Part {
    std::string_view name;
    LabelShares shares;
  };
  std::vector<Part> explain(const Dataset& data, std::size_t example, std::uint32_t label) const;
  bool is_wanted(const ScoredLabel& label) const;
  void append_text(const std::vector<ScoredLabel>& best, std::string& text) const;
  void append_explanation(const Dataset& data, std::size_t example,
                          const std::vector<std::string>& names, const ScoredLabel& label,
                          std::string& text) const;
  void append_json(const Dataset& data, std::size_t example, const std::vector<std::string>& names,
                   const std::vector<ScoredLabel>& best, std::string& text) const;

  const Model& model_;
  const PredictOptions& options_;
  std::unique_ptr<Scorer> scorer_;
  const std::vector<std::string>& labels_;
};

}  // namespace frugal::sparse
