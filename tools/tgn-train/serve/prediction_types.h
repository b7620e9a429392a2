#pragma once
#include <cstdint>

#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/model/model_file.h"

namespace frugal::tgn {

/// Makes a layout read the columns of the model: source, destination and time by the names in its
/// training, the column of edge types if it has types and no such column otherwise.
void read_columns_of(const TgnModelFile& stored, EventLayoutOptions& layout);
/// Fails (bad_input) with `path`, the text's name, if the columns do not fit the model. The layout
/// must have a column of types if the model has types, and as many features as the model takes.
/// query: features are not read. model: name of the model.
void check_columns(const TgnModelFile& stored, const EventLayout& layout, const std::string& path,
                   const std::string& model, bool query);
/// Number of the event's type; 0 if the model has none. Fails (bad_input), without the place, if
/// the model does not know it.
std::uint16_t type_of(const TextEvent& event, const TgnModelFile& stored);

}  // namespace frugal::tgn
