#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/tables/column_checks.h"
#include "libcore/tables/table_rows.h"
#include "tools/tgn-train/data/event_formats.h"
#include "tools/tgn-train/data/event_places.h"
#include "tools/tgn-train/data/header_names.h"

namespace frugal::tgn {

/// Form of node ids. number: numbers only. any: any text. automatic: any if the first event has an
/// id that is not a number and the format allows text; otherwise number.
enum class EventIds { number, any, automatic };
/// Converts a name: number, any or auto. Fails (usage) for another.
EventIds event_ids(const std::string& name);

/// Says how a column of edge types is found. automatic: if a header or --columns names one.
/// needed: the text must have one. none: a column called edge_type is read like any other.
enum class TypeColumn : std::uint8_t { automatic, needed, none };

struct EventLayoutOptions {
  std::string format = "auto";
  std::string separator = "auto";  ///< between columns: "tab" or a character
  std::string header = "auto";     ///< whether the first line names the columns: yes, no or auto
  std::string columns;             ///< "from:source,to:destination,4:time,weight:feature", or ""
  EventIds ids = EventIds::number;
  TimeForm times = TimeForm::automatic;
  LabelType labels = LabelType::binary;
  HeaderNames roles = {};  ///< names of source, destination and time in an earlier header, or empty
  TypeColumn types = TypeColumn::automatic;
  std::string type_column = {};  ///< name of the column of types in an earlier header, or ""
  bool features_follow = false;  ///< take_features() chooses them, whatever their values are
};

/// Meaning of the columns of a text, which are numbered from 0.
struct EventLayout {
  const EventFormat* format = nullptr;
  TableForm form;
  std::size_t source = 0, destination = 1, time = 2;
  std::optional<std::size_t> label;
  bool names_label = false;              ///< options name the column `label`
  LabelType labels = LabelType::binary;  ///< of the column `label`
  std::optional<std::size_t> type;       ///< column of edge types
  std::optional<std::size_t> row;        ///< the event's row in the file of edge features
  std::vector<std::size_t> features;
  std::vector<std::string> header;  ///< names of the columns, or empty
  DecimalMarks decimal_marks;
  std::vector<std::string> notes;  ///< assumptions to tell the user
  TimeForm times = TimeForm::number;
  NodeId first_id = 0;  ///< lowest id
  bool names = false;   ///< ids are any text
  /// Ids are any text, and that of the first event's source, or destination, is a whole number.
  bool whole_sources = false, whole_destinations = false;
  bool own_ids = false;  ///< a destination is another node than the source with the same id

  EventPlaces places() const { return {source, destination, time}; }
  /// Names of the features in the header; empty unless it names all.
  HeaderNames feature_names() const;
  /// Names of source, destination and time; empty unless the header names all.
  HeaderNames role_names() const;
  /// Sets the features to the columns with these names, at any position; does nothing if columns
  /// have no names. In JSON Lines, a name that no object has yet becomes a column of missing
  /// values. Fails (bad_input) with the name of a missing column.
  void take_features(const HeaderNames& names, const std::string& input);
  /// Removes the label column, unless `keeps` is true. If columns go by position and exactly
  /// `num_features` columns follow the time, these become the features, and no label is left.
  void leave_out_label(std::size_t num_features, bool keeps = false);
  bool features_follow = false;  ///< as in EventLayoutOptions
  bool by_places = false;        ///< neither a header nor options named the columns
  /// Sets the columns that a JSON Lines parser must read. Must be called after columns change.
  void read_used_columns();
};

/// Determines the layout of the reader's text from its first lines. Fails (bad_input) with the file
/// if there are no events or too few columns, and (usage) for columns that do not exist.
EventLayout event_layout(PieceReader& reader, const EventLayoutOptions& options);

}  // namespace frugal::tgn
