#include "io/parquet/parquet_schema.hpp"

#include "io/files/refuse.hpp"

namespace srcextract {
namespace {

constexpr int deepest_schema = 32;

/// Values of ConvertedType that occur with numbers or text.
enum Converted : std::int32_t {
  utf8 = 0,
  enumeration = 4,
  decimal = 5,
  date = 6,
  timestamp_micros = 10,
  uint8 = 11,
  uint16 = 12,
  uint32 = 13,
  uint64 = 14,
  int64 = 18,
  json = 19,
  none = -1
};

bool is_number(const SchemaNode& node) {
  const std::int32_t converted = node.converted.value_or(none);
  const int logical = node.logical;
  if (logical != 0)
    return logical == logical_integer || logical == logical_unknown ||
           (logical >= logical_date && logical <= logical_timestamp);
  return converted == none || (converted >= date && converted <= int64);
}

bool is_unsigned(const SchemaNode& node) {
  if (node.logical == logical_integer) return !node.has_sign;
  return node.converted && *node.converted >= uint8 && *node.converted <= uint64;
}

/// Returns the type in which the values of a node are read, or nothing if the values are neither numbers nor text.
std::optional<ParquetMeaning> meaning_of(const SchemaNode& node) {
  switch (*node.type) {
    case ParquetType::boolean:
      return ParquetMeaning::boolean;
    case ParquetType::int32:
      if (!is_number(node)) return std::nullopt;
      return is_unsigned(node) ? ParquetMeaning::unsigned32 : ParquetMeaning::int32;
    case ParquetType::int64:
      if (!is_number(node)) return std::nullopt;
      return is_unsigned(node) ? ParquetMeaning::unsigned64 : ParquetMeaning::int64;
    case ParquetType::float32:
      return ParquetMeaning::float32;
    case ParquetType::float64:
      return ParquetMeaning::float64;
    case ParquetType::byte_array: {
      const std::int32_t converted = node.converted.value_or(utf8);
      const bool text = node.logical == 0 ? converted == utf8 || converted == enumeration || converted == json
                                          : node.logical == logical_string || node.logical == logical_enum ||
                                                node.logical == logical_json || node.logical == logical_unknown;
      return text ? std::optional(ParquetMeaning::text) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

/// Visits the nodes in order and collects the columns that can be read.
class LeafFinder {
 public:
  LeafFinder(const std::vector<SchemaNode>& nodes, ParquetFile& file, const std::string& where)
      : nodes_(nodes), file_(file), where_(where) {}

  std::size_t find() {
    if (nodes_.empty()) fail("there is no schema");
    for (std::int32_t child = 0; child < nodes_[0].children; ++child) visit({}, 1);
    if (next_ != nodes_.size()) fail("the schema is no tree: it has more parts than it says");
    return columns_;
  }

 private:
  /// Properties of the path from the root to a node.
  struct Way {
    std::string name;
    int repetition = 0, definition = 0;
    bool alone = true;  ///< true if every group on the path has only one child
  };

  [[noreturn]] void fail(const std::string& problem) const { refuse(where_, problem + "; the file is damaged"); }

  void visit(Way way, int depth) {
    if (next_ == nodes_.size()) fail("the schema is no tree: it ends too soon");
    if (depth > deepest_schema) fail("the schema is nested too deeply");
    const SchemaNode& node = nodes_[next_++];
    if (depth == 1) way.name = node.name;
    if (node.repetition != ParquetRepetition::required) ++way.definition;
    if (node.repetition == ParquetRepetition::repeated) ++way.repetition;
    if (node.type) return add(node, way, depth);
    way.alone = way.alone && node.children == 1;
    for (std::int32_t child = 0; child < node.children; ++child) visit(way, depth + 1);
  }

  void add(const SchemaNode& node, const Way& way, int depth) {
    const std::size_t place = columns_++;
    const std::optional<ParquetMeaning> meaning = meaning_of(node);
    const bool nested = way.repetition == 0 ? depth > 1 : way.repetition > 1 || !way.alone;
    if (!meaning || nested) {
      if (file_.left_out.empty())
        file_.left_out = "column " + way.name + (nested ? " is nested" : " holds neither numbers nor text");
      return;
    }
    file_.leaves.push_back({{way.name, "", "", ""},
                            place,
                            *node.type,
                            *meaning,
                            1,
                            way.repetition,
                            way.definition,
                            node.repetition == ParquetRepetition::optional});
  }

  const std::vector<SchemaNode>& nodes_;
  ParquetFile& file_;
  const std::string& where_;
  std::size_t next_ = 1, columns_ = 0;
};

void read_logical_type(CompactReader& reader, SchemaNode& node) {
  reader.for_each_field([&](int number) {
    node.logical = number;
    if (number != logical_integer) return false;
    reader.for_each_field([&](int field) {
      if (field == 2) node.has_sign = reader.boolean();
      return field == 2;
    });
    return true;
  });
}

}  // namespace

SchemaNode read_schema_node(CompactReader& reader) {
  SchemaNode node;
  reader.for_each_field([&](int number) {
    switch (number) {
      case 1:
        node.type = static_cast<ParquetType>(reader.int32());
        return true;
      case 3:
        node.repetition = static_cast<ParquetRepetition>(reader.int32());
        return true;
      case 4:
        node.name = reader.text();
        return true;
      case 5:
        node.children = reader.int32();
        return true;
      case 6:
        node.converted = reader.int32();
        return true;
      case 10:
        read_logical_type(reader, node);
        return true;
      default:
        return false;
    }
  });
  if (node.children > 0) node.type.reset();  // some writers give a type to the root
  return node;
}

std::size_t find_leaves(const std::vector<SchemaNode>& nodes, ParquetFile& file, const std::string& where) {
  return LeafFinder(nodes, file, where).find();
}

}  // namespace srcextract
