#include "io/parquet/parquet_column.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <variant>

#include "io/files/utf8.hpp"
#include "io/parquet/compact_writer.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Size in bytes of a page. A page of text ends with the row that reaches this size. A page of numbers has as many rows
/// as fit into this size, at least one.
constexpr std::size_t page_bytes = std::size_t{1} << 20;

/// Longest text, in bytes, that is written as least or largest value of a column.
constexpr std::size_t longest_bound = 64;

constexpr int zstd_level = 3;

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, std::int16_t>, std::int32_t, T>;

template <class T>
ParquetField field_of() {
  if constexpr (std::is_same_v<T, std::int16_t>) return {"", ParquetType::int32, ConvertedType::int16, 4};
  if constexpr (std::is_same_v<T, std::int32_t>) return {"", ParquetType::int32, std::nullopt, 4};
  if constexpr (std::is_same_v<T, std::int64_t>) return {"", ParquetType::int64, std::nullopt, 8};
  if constexpr (std::is_same_v<T, float>) return {"", ParquetType::float32, std::nullopt, 4};
  if constexpr (std::is_same_v<T, double>) return {"", ParquetType::float64, std::nullopt, 8};
  if constexpr (std::is_same_v<T, std::string>) return {"", ParquetType::byte_array, ConvertedType::utf8, 0};
}

template <class T>
std::string bytes_of(T value) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  return {bytes.data(), bytes.size()};
}

/// Returns least and largest of the numbers. Returns nothing if any float is NaN, since programs disagree on how NaN
/// compares with numbers.
template <class T>
std::optional<ParquetRange> range_of_numbers(std::span<const std::byte> values) {
  constexpr std::size_t lanes = 8;  // separate bounds per lane, so that the loop is vectorised
  constexpr T lowest =
                  std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min(),
              highest =
                  std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  std::array<T, lanes> least, largest, block;
  least.fill(highest);
  largest.fill(lowest);
  bool missing = false;
  const std::size_t count = values.size() / sizeof(T);
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const std::size_t size = std::min(lanes, count - begin);
    std::memcpy(block.data(), values.data() + begin * sizeof(T), size * sizeof(T));
    std::fill(block.begin() + static_cast<std::ptrdiff_t>(size), block.end(), block[0]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      least[lane] = block[lane] < least[lane] ? block[lane] : least[lane];
      largest[lane] = block[lane] > largest[lane] ? block[lane] : largest[lane];
      missing |= block[lane] != block[lane];
    }
  }
  if (missing || count == 0) return std::nullopt;
  T first = *std::ranges::min_element(least), last = *std::ranges::max_element(largest);
  if constexpr (std::is_floating_point_v<T>) {  // -0 and +0 are equal; the bounds must include both
    if (first == 0) first = T{-0.0};
    if (last == 0) last = T{0};
  }
  return ParquetRange{bytes_of(first), bytes_of(last)};
}

std::optional<ParquetRange> range_of_text(std::span<const std::byte> values) {
  std::string_view least, largest;
  for (bool first = true; !values.empty(); first = false) {
    std::uint32_t size = 0;
    std::memcpy(&size, values.data(), sizeof(size));
    const std::string_view text(reinterpret_cast<const char*>(values.data()) + sizeof(size), size);
    if (first || text < least) least = text;
    if (first || text > largest) largest = text;
    values = values.subspan(sizeof(size) + size);
  }
  if (std::max(least.size(), largest.size()) > longest_bound) return std::nullopt;
  return ParquetRange{std::string(least), std::string(largest)};
}

std::optional<ParquetRange> range_of(ParquetType type, std::span<const std::byte> values) {
  if (values.empty()) return std::nullopt;
  switch (type) {
    case ParquetType::int32:
      return range_of_numbers<std::int32_t>(values);
    case ParquetType::int64:
      return range_of_numbers<std::int64_t>(values);
    case ParquetType::float32:
      return range_of_numbers<float>(values);
    case ParquetType::float64:
      return range_of_numbers<double>(values);
    default:
      return range_of_text(values);
  }
}

/// Returns the repetition levels of a page, bit-packed: 0 for the first element of a vector, 1 for every other element.
std::string repetition_levels(std::size_t rows, std::size_t elements) {
  const std::size_t groups = (rows * elements + 7) / 8;
  std::string levels;
  append_varint(levels, groups * 2 + 1);
  const std::size_t begin = levels.size();
  levels.resize(begin + groups, '\xff');
  for (std::size_t row = 0; row < rows; ++row) {
    char& byte = levels[begin + row * elements / 8];
    byte = static_cast<char>(static_cast<unsigned char>(byte) & ~(1U << (row * elements % 8)));
  }
  return bytes_of(static_cast<std::uint32_t>(levels.size())) + levels;
}

/// Returns the definition levels of a page, which are all 1, since no value is missing.
std::string definition_levels(std::size_t count) {
  std::string levels;
  append_varint(levels, count * 2);
  levels += '\1';
  return bytes_of(static_cast<std::uint32_t>(levels.size())) + levels;
}

std::string page_header(std::size_t values, std::size_t bytes, std::size_t bytes_unpacked) {
  CompactWriter header;
  header.number(1, ParquetPage::data);
  header.int32(2, static_cast<std::int32_t>(bytes_unpacked));
  header.int32(3, static_cast<std::int32_t>(bytes));
  header.begin(5);
  header.int32(1, static_cast<std::int32_t>(values));
  header.number(2, ParquetEncoding::plain);
  header.number(3, ParquetEncoding::rle);
  header.number(4, ParquetEncoding::rle);
  header.end();
  header.end();
  return header.bytes();
}

std::string compressed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), zstd_level);
  if (ZSTD_isError(size) != 0)
    throw Error(ErrorKind::internal, std::string("zstd cannot compress a page: ") + ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

template <class T>
void append_numbers(std::vector<std::byte>& out, const FieldValues<T>& values, std::size_t begin, std::size_t end) {
  using Out = Stored<T>;
  const std::size_t at = out.size(), elements = values.size();
  out.resize(at + (end - begin) * elements * sizeof(Out));
  std::byte* to = out.data() + at;
  if (std::is_same_v<T, Out> && elements == 1 && values.step == 1) {
    std::memcpy(to, values.elements[0] + begin, (end - begin) * sizeof(T));
    return;
  }
  for (std::size_t row = begin; row < end; ++row) {
    for (std::size_t element = 0; element < elements; ++element, to += sizeof(Out)) {
      const Out value = values.at(row, element);
      std::memcpy(to, &value, sizeof(Out));
    }
  }
}

}  // namespace

ParquetField parquet_field(const CatalogField& field) {
  return std::visit(
      [&]<class T>(const FieldValues<T>& values) {
        ParquetField out = field_of<T>();
        out.name = as_utf8(field.column.name);
        out.elements = values.size();
        out.vector = values.size() > 1 || values.width > 0;
        return out;
      },
      field.values);
}

void ParquetColumn::append_text(const FieldValues<std::string>& values, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    const std::string text = as_utf8(values.at(row, 0));
    const std::size_t page_begin = cuts_.empty() ? 0 : cuts_.back().byte;
    if (values_.size() - page_begin >= page_bytes) cuts_.push_back({rows_ + row - begin, values_.size()});
    const std::string stored = bytes_of(static_cast<std::uint32_t>(text.size())) + text;
    const auto* const bytes = reinterpret_cast<const std::byte*>(stored.data());
    values_.insert(values_.end(), bytes, bytes + stored.size());
    longest_ = std::max(longest_, count_characters(text));
  }
}

void ParquetColumn::append(const CatalogField& field, std::size_t begin, std::size_t end) {
  std::visit(
      [&]<class T>(const FieldValues<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
          append_text(values, begin, end);
        } else {
          append_numbers(values_, values, begin, end);
        }
      },
      field.values);
  rows_ += end - begin;
}

ParquetChunk::Page ParquetColumn::page(std::span<const std::byte> values, std::size_t rows,
                                       ParquetCompression compression, ParquetChunk& chunk) const {
  const std::size_t count = rows * field_.elements;
  std::string levels;
  if (field_.vector) levels = repetition_levels(rows, field_.elements) + definition_levels(count);
  const std::size_t unpacked = levels.size() + values.size();
  ParquetChunk::Page page;
  std::size_t stored = unpacked;
  if (compression == ParquetCompression::none) {
    page = {page_header(count, unpacked, unpacked) + levels, values};
  } else {
    levels.append(reinterpret_cast<const char*>(values.data()), values.size());
    const std::string packed = compressed(levels);
    stored = packed.size();
    page = {page_header(count, stored, unpacked) + packed, {}};
  }
  const std::size_t bytes = page.head.size() + page.values.size();
  chunk.values += static_cast<std::int64_t>(count);
  chunk.bytes += static_cast<std::int64_t>(bytes);
  chunk.bytes_unpacked += static_cast<std::int64_t>(bytes - stored + unpacked);  // the header is not compressed
  return page;
}

ParquetChunk ParquetColumn::chunk(ParquetCompression compression) const {
  std::vector<Cut> ends = cuts_;
  if (field_.value_bytes > 0) {
    const std::size_t row_bytes = field_.value_bytes * field_.elements;
    const std::size_t page_rows = std::max<std::size_t>(1, page_bytes / row_bytes);
    for (std::size_t row = page_rows; row < rows_; row += page_rows) ends.push_back({row, row * row_bytes});
  }
  ends.push_back({rows_, values_.size()});
  ParquetChunk out;
  out.range = range_of(field_.type, values_);
  Cut begin{0, 0};
  for (const Cut& end : ends) {
    const auto values = std::span<const std::byte>(values_).subspan(begin.byte, end.byte - begin.byte);
    out.pages.push_back(page(values, end.row - begin.row, compression, out));
    begin = end;
  }
  return out;
}

void ParquetColumn::clear() {
  values_.clear();
  cuts_.clear();
  rows_ = 0;
}

}  // namespace srcextract
