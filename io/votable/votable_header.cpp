#include "io/votable/votable_header.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace srcextract {
namespace {

/// Largest number of columns; each element of an array counts.
constexpr std::int64_t most_columns = 200'000;
constexpr std::size_t longest_description = 1 << 16;

std::int64_t count_words(std::string_view text) {
  std::int64_t words = 0;
  for (text = without_xml_space(text); !text.empty(); ++words) {
    text = without_xml_space(text.substr(std::min(text.find_first_of(xml_space), text.size())));
  }
  return words;
}

class HeaderHandler : public XmlHandler {
 public:
  explicit HeaderHandler(XmlReader& xml) : xml_(xml) {}

  VotableHeader take() {
    if (place_ != Place::behind) xml_.fail("the VOTable has no TABLE");
    return std::move(header_);
  }

  void start_element(std::string_view name, const XmlAttributes& attributes) override {
    if (ignored_ > 0) {
      ++ignored_;
      return;
    }
    switch (place_) {
      case Place::start:
        if (name != "VOTABLE") xml_.fail("this is no VOTable: its root is <" + std::string(name) + ">");
        place_ = Place::votable;
        return;
      case Place::votable:
        if (name == "TABLE") place_ = Place::table;
        return;
      case Place::table:
        start_in_table(name, attributes);
        return;
      case Place::field:
        start_in_field(name, attributes);
        return;
      case Place::description:
      case Place::behind:
        ignored_ = 1;
        return;
    }
  }

  void end_element() override {
    if (ignored_ > 0) {
      --ignored_;
    } else if (place_ == Place::description) {
      std::string& description = header_.fields.back().head.description;
      description = std::string(without_xml_space(description));
      place_ = Place::field;
    } else if (place_ == Place::field) {
      place_ = Place::table;
    } else if (place_ == Place::table) {
      finish();
    }
  }

  void characters(std::string_view text) override {
    if (place_ != Place::description || ignored_ > 0) return;
    std::string& description = header_.fields.back().head.description;
    if (description.size() + text.size() > longest_description) xml_.fail("the DESCRIPTION of a FIELD is over 64 KiB");
    description += text;
  }

 private:
  enum class Place { start, votable, table, field, description, behind };

  void start_in_table(std::string_view name, const XmlAttributes& attributes) {
    if (name == "FIELD") {
      if (std::ssize(header_.fields) == most_columns)
        xml_.fail("the TABLE has more than " + std::to_string(most_columns) +
                  " FIELDs, which is the most that is read");
      header_.fields.push_back(parse_field(attributes, xml_));
      place_ = Place::field;
    } else if (name == "DATA") {
      header_.has_data = true;
      finish();
    } else {
      ignored_ = 1;
    }
  }

  void start_in_field(std::string_view name, const XmlAttributes& attributes) {
    VotableField& field = header_.fields.back();
    if (name == "DESCRIPTION") {
      field.head.description.clear();
      place_ = Place::description;
      return;
    }
    if (name == "VALUES" && !field.null) field.null = parse_null(attributes);
    ignored_ = 1;
  }

  void finish() {
    place_ = Place::behind;
    xml_.stop();
  }

  XmlReader& xml_;
  VotableHeader header_;
  Place place_ = Place::start;
  std::int64_t ignored_ = 0;  ///< number of open elements inside an ignored element, itself included
};

/// Finds fields that are declared as a single number but have several numbers in the first row, and makes them arrays.
class FirstRowHandler : public XmlHandler {
 public:
  FirstRowHandler(XmlReader& xml, std::vector<VotableField>& fields) : xml_(xml), fields_(fields) {}

  void start_element(std::string_view name, const XmlAttributes&) override {
    text_.clear();
    if (name != "TABLEDATA" && name != "TR" && name != "TD") xml_.stop();
    in_cell_ = name == "TD";
  }

  void end_element() override {
    if (!in_cell_ || next_ == fields_.size()) {
      xml_.stop();
      return;
    }
    VotableField& field = fields_[next_++];
    const std::int64_t numbers = count_words(text_);
    if (field.dimensions == 0 && !field.is_text() && !field.is_complex() && numbers > 1) {
      field.dimensions = 1;
      field.elements = numbers;
    }
    in_cell_ = false;
  }

  void characters(std::string_view text) override {
    text_ += text;
    if (text_.size() > longest_cell)
      xml_.fail("row 1 of the TABLE: a TD has more than " + std::to_string(longest_cell) + " bytes");
  }

 private:
  XmlReader& xml_;
  std::vector<VotableField>& fields_;
  std::size_t next_ = 0;
  std::string text_;
  bool in_cell_ = false;
};

void check_fields(const std::vector<VotableField>& fields, const XmlReader& xml) {
  if (fields.empty()) xml.fail("the TABLE has no FIELD: there is no column to read");
  std::int64_t columns = 0;
  for (const VotableField& field : fields) columns += field.columns();
  if (columns == 0) {
    xml.fail(
        "the TABLE has no column to read: all FIELDs are complex numbers, or arrays of variable size, of more than one "
        "dimension, or of more than " +
        std::to_string(VotableField::largest_array) + " numbers");
  }
  if (columns > most_columns) {
    xml.fail("the TABLE has " + std::to_string(columns) + " columns, each element of an array counted; at most " +
             std::to_string(most_columns) + " are read");
  }
}

}  // namespace

std::vector<ColumnHead> VotableHeader::heads() const {
  std::vector<ColumnHead> heads;
  for (const VotableField& field : fields) field.append_heads(heads);
  return heads;
}

VotableHeader read_votable_header(const std::string& path) {
  XmlReader xml(path);
  HeaderHandler handler(xml);
  xml.read(handler);
  VotableHeader header = handler.take();
  if (header.has_data) {
    FirstRowHandler first_row(xml, header.fields);
    xml.read(first_row);
  }
  check_fields(header.fields, xml);
  const std::vector<ColumnHead> heads = header.heads();
  std::unordered_set<std::string_view> names;
  for (const ColumnHead& head : heads) {
    if (!names.insert(head.name).second) xml.fail("the TABLE has two columns named '" + head.name + "'; rename one");
  }
  return header;
}

void skip_votable_header(XmlReader& xml) {
  HeaderHandler handler(xml);
  xml.read(handler);
  handler.take();
}

}  // namespace srcextract
