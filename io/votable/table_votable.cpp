#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "io/tables/table_room.hpp"
#include "io/votable/votable_binary.hpp"
#include "io/votable/votable_cells.hpp"
#include "io/votable/votable_header.hpp"
#include "io/votable/xml_reader.hpp"

namespace srcextract {
namespace {

/// Reads the rows of the first TABLE, and then to the end of the file. A file that is cut short after the TABLE is an
/// error too.
class DataHandler : public XmlHandler {
 public:
  DataHandler(const TableFile& file, XmlReader& xml, std::vector<VotableCells>& cells, bool has_data)
      : file_(file), xml_(xml), cells_(cells), place_(has_data ? Place::data : Place::behind) {}

  std::int64_t rows() const { return rows_; }

  void start_element(std::string_view name, const XmlAttributes& attributes) override {
    if (place_ == Place::behind) return;
    if (place_ == Place::row && name == "TD") {
      begin_cell(attributes);
    } else if (place_ == Place::tabledata && name == "TR") {
      place_ = Place::row;
      cell_ = 0;
    } else if (place_ == Place::data) {
      begin_data(name);
    } else if (place_ == Place::binary && name == "STREAM") {
      begin_stream(attributes);
    } else {
      xml_.fail("<" + std::string(name) + "> cannot stand here, within <DATA>");
    }
  }

  void end_element() override {
    switch (place_) {
      case Place::cell:
        end_cell();
        place_ = Place::row;
        return;
      case Place::row:
        end_row();
        place_ = Place::tabledata;
        return;
      case Place::stream:
        rows_ = binary_->finish();
        place_ = Place::binary;
        return;
      case Place::tabledata:
      case Place::binary:
      case Place::data:
        place_ = Place::behind;
        return;
      case Place::behind:
        return;
    }
  }

  void characters(std::string_view text) override {
    if (place_ == Place::cell) {
      if (cells_[cell_].kept()) text_ += text;
      if (text_.size() > longest_cell) fail_in_row("a TD has more than " + std::to_string(longest_cell) + " bytes");
    } else if (place_ == Place::stream) {
      binary_->add(text);
      look_for_room(binary_->rows());
    }
  }

 private:
  enum class Place { data, tabledata, row, cell, binary, stream, behind };

  void begin_data(std::string_view name) {
    if (name == "TABLEDATA") {
      place_ = Place::tabledata;
    } else if (name == "BINARY" || name == "BINARY2") {
      binary_.emplace(cells_, name == "BINARY2", xml_);
      place_ = Place::binary;
    } else if (name == "FITS") {
      xml_.fail("the rows are a FITS file within the VOTable, which is not read; save that file and name it instead");
    } else if (name == "INFO") {  // the end of an empty DATA element before it was not reported
      place_ = Place::behind;
    } else {
      xml_.fail("<" + std::string(name) + "> holds the rows; TABLEDATA, BINARY and BINARY2 are read");
    }
  }

  void begin_stream(const XmlAttributes& attributes) {
    if (attributes.find("href")) {
      xml_.fail("the rows are in another file, " + std::string(*attributes.find("href")) +
                ", which is not read; save the table with its data inside");
    }
    const std::string_view encoding = attributes.find("encoding").value_or("none");
    if (encoding != "base64") xml_.fail("the STREAM has the encoding '" + std::string(encoding) + "'; base64 is read");
    place_ = Place::stream;
  }

  void begin_cell(const XmlAttributes& attributes) {
    if (cell_ == cells_.size()) {
      fail_in_row("it has more TD than the TABLE has FIELDs, which is " + std::to_string(cells_.size()));
    }
    if (attributes.find("encoding")) fail_in_row("a TD is encoded, which is not read");
    text_.clear();
    place_ = Place::cell;
  }

  void end_cell() {
    VotableCells& cells = cells_[cell_++];
    if (cells.kept() && !cells.add_text(text_)) {
      fail_in_row("the FIELD '" + cells.field().head.name + "' has '" + text_.substr(0, 80) + "', and is to have " +
                  cells.field().declaration());
    }
  }

  void end_row() {
    if (cell_ < cells_.size()) {
      fail_in_row("it has " + std::to_string(cell_) + " TD, and the TABLE has " + std::to_string(cells_.size()) +
                  " FIELDs");
    }
    look_for_room(++rows_);
  }

  void look_for_room(std::int64_t rows) {
    if (rows < next_look_) return;
    require_room_for_more(file_, rows, cells_, rows_between_looks);
    next_look_ = rows + rows_between_looks;
  }

  [[noreturn]] void fail_in_row(const std::string& problem) const {
    xml_.fail("row " + std::to_string(rows_ + 1) + " of the TABLE: " + problem);
  }

  const TableFile& file_;
  XmlReader& xml_;
  std::vector<VotableCells>& cells_;
  std::int64_t next_look_ = rows_between_looks;  ///< number of rows at which memory is checked next
  Place place_;
  std::size_t cell_ = 0;  ///< index of the next cell in the row
  std::string text_;      ///< text of the current cell
  std::optional<VotableBinary> binary_;
  std::int64_t rows_ = 0;
};

/// Returns the cells of each field, set to keep the elements that are the columns `columns`.
std::vector<VotableCells> choose_cells(const std::vector<VotableField>& fields,
                                       const std::vector<std::size_t>& columns) {
  std::vector<std::size_t> places(columns.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
  std::vector<VotableCells> cells;
  cells.reserve(fields.size());
  auto place = places.begin();
  std::size_t first = 0;  // index of the field's first column
  for (const VotableField& field : fields) {
    cells.emplace_back(field);
    const std::size_t end = first + static_cast<std::size_t>(field.columns());
    for (; place != places.end() && columns[*place] < end; ++place) {
      cells.back().keep(static_cast<std::int64_t>(columns[*place] - first), *place);
    }
    first = end;
  }
  return cells;
}

}  // namespace

std::vector<ColumnHead> votable_columns(const std::string& path) {
  return read_votable_header(path).heads();
}

Table read_votable(const TableFile& file, const std::vector<std::size_t>& columns) {
  const VotableHeader header = read_votable_header(file.path);
  XmlReader xml(file.path);
  skip_votable_header(xml);
  if (!std::ranges::equal(header.heads(), file.columns, {}, &ColumnHead::name, &ColumnHead::name))
    xml.fail("the file was changed after it was opened");
  std::vector<VotableCells> cells = choose_cells(header.fields, columns);
  DataHandler data(file, xml, cells, header.has_data);
  xml.read(data);
  Table table = table_of(file, columns, data.rows());
  for (VotableCells& field : cells) field.finish(table.columns);
  return table;
}

}  // namespace srcextract
