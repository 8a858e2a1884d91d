#include "io/parquet/parquet_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>

#include "io/files/refuse.hpp"
#include "io/parquet/compact_reader.hpp"
#include "io/parquet/parquet_schema.hpp"
#include "io/tables/table_formats.hpp"

namespace srcextract {
namespace {

using Kind = CompactReader::Kind;

/// Bytes after the footer: the length of the footer (4 bytes) and PAR1.
constexpr std::int64_t tail = 8;

/// Largest number of columns; each element of a vector counts.
constexpr std::int64_t most_columns = 100'000;

StoredChunk read_chunk_metadata(CompactReader& reader) {
  StoredChunk chunk;
  std::optional<std::int64_t> data, dictionary;
  reader.for_each_field([&](int number) {
    switch (number) {
      case 1:
        chunk.type = static_cast<ParquetType>(reader.int32());
        return true;
      case 4:
        chunk.codec = reader.int32();
        return true;
      case 5:
        chunk.values = reader.integer();
        return true;
      case 7:
        chunk.bytes = reader.integer();
        return true;
      case 9:
        data = reader.integer();
        return true;
      case 11:
        dictionary = reader.integer();
        return true;
      default:
        return false;
    }
  });
  chunk.begin = data.value_or(-1);
  // Some writers store 0 if there is no dictionary.
  if (dictionary && *dictionary > 0) chunk.begin = std::min(chunk.begin, *dictionary);
  return chunk;
}

StoredChunk read_chunk(CompactReader& reader) {
  StoredChunk chunk;
  bool elsewhere = false, encrypted = true;
  reader.for_each_field([&](int number) {
    if (number == 1) elsewhere = !reader.text().empty();
    if (number == 3) {
      chunk = read_chunk_metadata(reader);
      encrypted = false;
    }
    return number == 1 || number == 3;
  });
  chunk.elsewhere = elsewhere;
  chunk.encrypted = encrypted;
  return chunk;
}

StoredGroup read_group(CompactReader& reader) {
  StoredGroup group;
  reader.for_each_field([&](int number) {
    if (number == 1) reader.for_each_element(Kind::structure, [&] { group.chunks.push_back(read_chunk(reader)); });
    if (number == 3) group.rows = reader.integer();
    return number == 1 || number == 3;
  });
  return group;
}

/// Reads a key and its value. Stores the value in `yaml` if the key is Astropy's key for the description of columns.
void read_key_value(CompactReader& reader, std::string& yaml) {
  std::string_view key, value;
  reader.for_each_field([&](int number) {
    if (number == 1) key = reader.text();
    if (number == 2) value = reader.text();
    return number == 1 || number == 2;
  });
  if (key == "table_meta_yaml") yaml = value;
}

/// Throws Error{input} unless the numbers of rows and columns are consistent and every chunk lies in the file before
/// `end`.
void check(const ParquetFile& parquet, std::size_t columns, std::int64_t end, const std::string& where) {
  const auto damaged = [&](const std::string& problem) { refuse(where, problem + "; the file is damaged"); };
  std::int64_t rows = 0;
  for (const StoredGroup& group : parquet.groups) {
    if (group.rows < 0 || group.rows > std::numeric_limits<std::int64_t>::max() - rows)
      damaged("a row group has a number of rows that cannot be");
    rows += group.rows;
    if (group.chunks.size() != columns) damaged("a row group has not as many columns as the schema");
    for (const StoredChunk& chunk : group.chunks) {
      if (chunk.encrypted || chunk.elsewhere) continue;
      if (chunk.begin < 0 || chunk.bytes < 0 || chunk.begin > end || chunk.bytes > end - chunk.begin ||
          chunk.values < 0)
        damaged("the values of a column are said to lie outside of it");
    }
  }
  if (rows != parquet.rows) damaged("the rows of its row groups do not add up to its number of rows");
}

using YamlColumns = std::map<std::string, YamlColumn>;

/// Returns the columns that the YAML of Astropy or srcextract describes, by name.
YamlColumns columns_by_name(const std::string& yaml) {
  YamlColumns columns;
  for (YamlColumn& column : columns_of_yaml(yaml)) columns.emplace(column.head.name, column);
  return columns;
}

/// Returns the common length of a column's lists, or 0 if the number of values is no multiple of the number of rows.
/// Returns `said`, the length that the YAML declares, if the table has no rows or `said` is 0.
std::int64_t length_of_lists(const ParquetFile& parquet, const ParquetLeaf& leaf, std::int64_t said) {
  if (parquet.rows == 0 || said == 0) return said;
  std::int64_t values = 0;
  for (const StoredGroup& group : parquet.groups) {
    const std::int64_t more = group.chunks[leaf.place].values;
    if (more > std::numeric_limits<std::int64_t>::max() - values) return 0;
    values += more;
  }
  return values % parquet.rows == 0 ? values / parquet.rows : 0;
}

/// Removes columns of lists that differ in length or hold text, and sets the length of the lists in the other columns.
void find_vectors(ParquetFile& parquet, const YamlColumns& columns) {
  std::erase_if(parquet.leaves, [&](ParquetLeaf& leaf) {
    if (leaf.repetition == 0) return false;
    const auto described = columns.find(leaf.head.name);
    leaf.elements = length_of_lists(parquet, leaf, described == columns.end() ? 1 : described->second.elements);
    const bool vector = leaf.elements >= 1 && leaf.elements <= longest_vector && leaf.meaning != ParquetMeaning::text;
    if (!vector && parquet.left_out.empty())
      parquet.left_out = "column " + leaf.head.name + " holds lists that are no vectors of numbers of one length";
    return !vector;
  });
}

void check_names(const ParquetFile& parquet, const std::string& path) {
  std::int64_t columns = 0;
  for (const ParquetLeaf& leaf : parquet.leaves) {
    columns += leaf.elements;
    if (columns > most_columns) refuse(path, "there are more than " + std::to_string(most_columns) + " columns in it");
  }
  require_distinct(heads_of(parquet.leaves), path);
  if (columns > 0) return;
  refuse(path, "there is no column of numbers or text in the table" +
                   (parquet.left_out.empty() ? std::string() : ": " + parquet.left_out));
}

/// Sets unit, UCD and description of the columns from the YAML.
void add_heads(ParquetFile& parquet, const YamlColumns& columns) {
  for (ParquetLeaf& leaf : parquet.leaves) {
    const auto found = columns.find(leaf.head.name);
    if (found != columns.end()) leaf.head = found->second.head;
  }
}

/// Returns the bytes of the footer. Throws Error{input} if the file is truncated, encrypted or damaged.
std::vector<std::byte> footer_of(const InputFile& file) {
  const std::int64_t least = static_cast<std::int64_t>(parquet_magic.size()) + tail;
  if (file.size() < least) refuse(file.path(), "the file is truncated: it is too short for Parquet");
  std::array<std::byte, tail> end{};
  file.read(file.size() - tail, tail, end.data());
  const std::string_view magic(reinterpret_cast<const char*>(end.data()) + 4, 4);
  if (magic == "PARE")
    refuse(file.path(), "the file is encrypted, which is not read; write it again without encryption");
  if (magic != parquet_magic)
    refuse(file.path(), "the file is truncated: it does not end as Parquet does (PAR1); fetch or make it again");
  std::uint32_t length = 0;
  std::memcpy(&length, end.data(), sizeof(length));
  if (length == 0) refuse(file.path(), "its footer is empty; the file is damaged");
  if (length > file.size() - least)
    refuse(file.path(), "its footer is said to be longer than the file; the file is damaged");
  std::vector<std::byte> footer(length);
  file.read(file.size() - tail - length, length, footer.data());
  return footer;
}

}  // namespace

InputFile open_parquet(const std::string& path) {
  if (gzipped_size(path) > 0) refuse(path, "Parquet that is gzipped as a whole is not read; gunzip it first");
  return InputFile(path);
}

ParquetFile read_parquet_footer(const InputFile& file) {
  const std::vector<std::byte> footer = footer_of(file);
  const std::string where = file.path() + ", footer";
  CompactReader reader(footer, where);
  ParquetFile parquet;
  std::vector<SchemaNode> nodes;
  std::string yaml;
  reader.for_each_field([&](int number) {
    switch (number) {
      case 2:
        reader.for_each_element(Kind::structure, [&] { nodes.push_back(read_schema_node(reader)); });
        return true;
      case 3:
        parquet.rows = reader.integer();
        return true;
      case 4:
        reader.for_each_element(Kind::structure, [&] { parquet.groups.push_back(read_group(reader)); });
        return true;
      case 5:
        reader.for_each_element(Kind::structure, [&] { read_key_value(reader, yaml); });
        return true;
      default:
        return false;
    }
  });
  const std::size_t columns = find_leaves(nodes, parquet, where);
  check(parquet, columns, file.size() - tail - std::ssize(footer), where);
  const YamlColumns described = columns_by_name(yaml);
  find_vectors(parquet, described);
  check_names(parquet, file.path());
  add_heads(parquet, described);
  return parquet;
}

}  // namespace srcextract
