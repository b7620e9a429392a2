#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/io/text_lines.h"

namespace frugal::tgn {

enum class EventFormat : std::uint8_t { jodie, tgn, csv, snap };

struct EventFormatInfo {
  EventFormat format;
  std::string_view name, description;
};
inline constexpr std::array kEventFormats{
    EventFormatInfo{EventFormat::jodie, "jodie",
                    "user_id,item_id,timestamp,state_label,features below such a header"},
    EventFormatInfo{EventFormat::tgn, "tgn",
                    "ml_NAME.csv of the TGN and DGB programs, ids from 1, with ml_NAME.npy and "
                    "ml_NAME_node.npy where they lie beside it"},
    EventFormatInfo{EventFormat::csv, "csv",
                    "source,destination,time[,label,features] between commas, semicolons or tabs, "
                    "or as a header or --columns name them"},
    EventFormatInfo{EventFormat::snap, "snap", "the same between blanks, as SNAP has it"},
};
std::string_view format_name(EventFormat format);

struct EventLayoutOptions {
  std::string format = "auto";
  std::string header = "auto";  ///< whether the first line names columns: yes, no
  std::string columns;          ///< "source=from,destination=to,time=4,features=weight", or ""
  bool names = false;           ///< ids are any text
};

/// What the columns of a text are, numbered from 0.
struct EventLayout {
  EventFormat format = EventFormat::csv;
  char separator = ',';
  std::size_t source = 0, destination = 1, time = 2;
  std::optional<std::size_t> label;
  std::optional<std::size_t> row;  ///< the event's row in the file of edge features
  std::vector<std::size_t> features;
  std::size_t num_columns = 0;    ///< of each line
  std::uint64_t header_line = 0;  ///< events stand behind this line
  std::uint64_t model_line = 0;   ///< that says how many columns there are
  NodeId first_id = 0;            ///< the lowest

  /// For events without labels: takes the label to be none, and, where columns go by their places
  /// and as many stand behind the time as events have features, these to be the features.
  void leave_out_label(std::size_t num_features);
  bool by_places = false;  ///< neither a header nor options named the columns
};

/// Of the text that `reader` is about to give, by its first lines. Fails: bad_input with the file
/// where there are no events or too few columns, usage for columns that are not there.
EventLayout event_layout(PieceReader& reader, const EventLayoutOptions& options);

}  // namespace frugal::tgn
