#include "tools/tgn-train/serve/prediction_types.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {

void read_columns_of(const TgnModelFile& stored, EventLayoutOptions& layout) {
  layout.roles = stored.roles;
  layout.features_follow = !stored.features.empty();
  layout.types = stored.types.empty() ? TypeColumn::none : TypeColumn::needed;
  layout.type_column = stored.type_column;
}

void check_columns(const TgnModelFile& stored, const EventLayout& layout, const std::string& path,
                   const std::string& model, bool query) {
  const TgnInputs& inputs = stored.model->inputs();
  if (!stored.types.empty() && !layout.type) {
    fail(ExitStatus::bad_input, path, ":", layout.form.model_line,
         ": has no column of edge types, which the model reads, expected one called ",
         stored.type_column.empty() ? std::string(kEdgeTypeNames[0]) : stored.type_column,
         " in a header, or after the time without a header (--columns NAME:edge_type)");
  }
  const std::size_t features = inputs.edge_features - inputs.types;
  if (query || layout.features.size() == features) return;
  fail(ExitStatus::bad_input, path, ":", layout.form.model_line, ": events have ",
       format_count(layout.features.size(), "feature"), ", the model ", model, " takes ", features,
       " (--columns says what columns are)");
}

std::uint16_t type_of(const TextEvent& event, const TgnModelFile& stored) {
  const HeaderNames& types = stored.types;
  if (types.empty()) return 0;
  const auto found = std::find(types.begin(), types.end(), event.type);
  if (found != types.end()) return static_cast<std::uint16_t>(found - types.begin());
  fail(ExitStatus::bad_input, "found '", printable(event.type, 40),
       "' as edge type, expected one of the model's: ", some_of(types));
}

}  // namespace frugal::tgn
