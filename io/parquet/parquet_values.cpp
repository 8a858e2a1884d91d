#include "io/parquet/parquet_values.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "io/files/refuse.hpp"
#include "io/parquet/hybrid_reader.hpp"
#include "io/parquet/page_codec.hpp"
#include "io/tables/column_builder.hpp"

namespace srcextract {
namespace {

/// Values of a column; the elements of a vector are consecutive.
template <class T>
struct LeafValues {
  std::vector<T> values;
  std::vector<bool> missing;  ///< true for each missing value; empty as long as none is missing
};

/// Decodes the values of the pages of a chunk. Missing values are not stored in pages.
template <class T>
class ValueDecoder {
 public:
  ValueDecoder(ParquetPages& pages, ParquetType type, ParquetBudget& budget)
      : pages_(pages), type_(type), budget_(budget) {}

  void read_dictionary(const ParquetPageContent& page) {
    dictionary_.clear();
    append_plain(page.encoded, page.values, dictionary_);
    has_dictionary_ = true;
  }

  void append(const ParquetPageContent& page, std::int64_t count, std::vector<T>& out) {
    switch (static_cast<ParquetEncoding>(page.encoding)) {
      case ParquetEncoding::plain:
        return append_plain(page.encoded, count, out);
      case ParquetEncoding::plain_dictionary:
      case ParquetEncoding::rle_dictionary:
        return append_from_dictionary(page.encoded, count, out);
      case ParquetEncoding::rle:
        if (type_ == ParquetType::boolean) return append_runs(page.encoded, count, out);
        [[fallthrough]];
      default:
        unread_encoding(page.encoding);
    }
  }

 private:
  [[noreturn]] void unread_encoding(std::int32_t encoding) const { pages_.refuse_encoding(encoding); }

  void append_plain(std::span<const std::byte> bytes, std::int64_t count, std::vector<T>& out) {
    const auto size = static_cast<std::size_t>(count);
    if constexpr (std::is_same_v<T, std::string>) {
      for (std::size_t i = 0; i < size; ++i) {
        std::uint32_t length = 0;
        if (bytes.size() < sizeof(length)) pages_.fail("a page ends before its last value");
        std::memcpy(&length, bytes.data(), sizeof(length));
        bytes = bytes.subspan(sizeof(length));
        if (bytes.size() < length) pages_.fail("a page ends within a text");
        budget_.take(1, static_cast<std::int64_t>(sizeof(T) + length));
        budget_.hold(static_cast<std::int64_t>(length));
        out.emplace_back(reinterpret_cast<const char*>(bytes.data()), length);
        bytes = bytes.subspan(length);
      }
    } else if (type_ == ParquetType::boolean) {
      if (bytes.size() < (size + 7) / 8) pages_.fail("a page ends before its last value");
      budget_.take(count, sizeof(T));
      for (std::size_t i = 0; i < size; ++i)
        out.push_back(static_cast<T>(std::to_integer<unsigned>(bytes[i / 8]) >> (i % 8) & 1U));
    } else {
      if (bytes.size() / sizeof(T) < size) pages_.fail("a page ends before its last value");
      budget_.take(count, sizeof(T));
      const std::size_t begin = out.size();
      out.resize(begin + size);
      if (size > 0) std::memcpy(out.data() + begin, bytes.data(), size * sizeof(T));
    }
  }

  std::vector<std::uint32_t> numbers(std::span<const std::byte> bytes, int width, std::int64_t count) {
    budget_.take(count, sizeof(std::uint32_t));
    std::vector<std::uint32_t> out(static_cast<std::size_t>(count));
    if (!read_hybrid(bytes, width, out)) pages_.fail("a page ends before its last value");
    return out;
  }

  void append_from_dictionary(std::span<const std::byte> bytes, std::int64_t count, std::vector<T>& out) {
    if (count == 0) return;
    if (!has_dictionary_) pages_.fail("a page is in a dictionary that there is not");
    if (bytes.empty()) pages_.fail("a page ends before its first value");
    const int width = std::to_integer<int>(bytes[0]);
    if (width > 32) pages_.fail("a page has numbers of more than 32 bits");
    for (const std::uint32_t index : numbers(bytes.subspan(1), width, count)) {
      if (index >= dictionary_.size()) pages_.fail("a value is beyond the end of its dictionary");
      if constexpr (std::is_same_v<T, std::string>) {
        budget_.take(1, std::ssize(dictionary_[index]));
        budget_.hold(std::ssize(dictionary_[index]));
      }
      out.push_back(dictionary_[index]);
    }
    budget_.take(count, sizeof(T));
  }

  /// Decodes booleans in the hybrid encoding, after a field of four bytes with the length.
  void append_runs(std::span<const std::byte> bytes, std::int64_t count, std::vector<T>& out) {
    if constexpr (std::is_integral_v<T>) {
      if (bytes.size() < sizeof(std::uint32_t)) pages_.fail("a page ends before its first value");
      for (const std::uint32_t value : numbers(bytes.subspan(sizeof(std::uint32_t)), 1, count))
        out.push_back(static_cast<T>(value));
    }
  }

  ParquetPages& pages_;
  ParquetType type_;
  ParquetBudget& budget_;
  std::vector<T> dictionary_;
  bool has_dictionary_ = false;
};

/// Moves the last `present` values of `out`, those that a page holds, to their positions among all values of the page.
/// Marks the values between as missing.
template <class T>
void spread(const ParquetPageContent& page, std::size_t present, const ParquetLeaf& leaf, LeafValues<T>& out) {
  const auto count = static_cast<std::size_t>(page.values);
  const std::size_t begin = out.values.size() - present;
  if (present < count || !out.missing.empty()) out.missing.resize(begin + count, false);
  if (present == count) return;
  out.values.resize(begin + count);
  std::size_t from = begin + present;
  for (std::size_t i = count; i-- > 0;) {
    const bool there = page.definition[i] == static_cast<std::uint32_t>(leaf.definition);
    if (there) {
      --from;
      if (from != begin + i) out.values[begin + i] = std::move(out.values[from]);
    } else {
      out.values[begin + i] = T{};
    }
    out.missing[begin + i] = !there;
  }
}

/// Returns the number of values in a page that are not missing; `first` is the number of values in earlier pages.
/// Throws Error{input} if a list is missing or differs in length from the other lists of the column.
std::int64_t check_levels(const ParquetPageContent& page, const ParquetLeaf& leaf, std::int64_t first,
                          const ParquetPages& pages) {
  for (std::size_t i = 0; i < page.repetition.size(); ++i) {
    const bool begins = (first + static_cast<std::int64_t>(i)) % leaf.elements == 0;
    if ((page.repetition[i] == 0) != begins) pages.refuse_lists();
  }
  if (leaf.definition == 0) return page.values;
  std::int64_t present = 0;
  for (const std::uint32_t level : page.definition) {
    const auto largest = static_cast<std::uint32_t>(leaf.definition);
    if (level == largest) ++present;
    if (level < (leaf.optional ? largest - 1 : largest)) pages.refuse_lists();
  }
  return present;
}

template <class T>
void read_chunk(ParquetPages& pages, const StoredChunk& stored, const ParquetLeaf& leaf, ParquetBudget& budget,
                LeafValues<T>& out) {
  ValueDecoder<T> decoder(pages, leaf.type, budget);
  for (std::int64_t done = 0; done < stored.values;) {
    const ParquetPageContent page = pages.next();
    if (page.dictionary) {
      decoder.read_dictionary(page);
      continue;
    }
    if (page.values > stored.values - done) pages.fail("the pages of a column have more values than it says");
    const std::int64_t present = check_levels(page, leaf, done, pages);
    budget.take(page.values - present, sizeof(T));
    decoder.append(page, present, out.values);
    spread(page, static_cast<std::size_t>(present), leaf, out);
    done += page.values;
  }
}

template <class T>
LeafValues<T> read_leaf(const InputFile& file, const ParquetFile& parquet, const ParquetLeaf& leaf,
                        ParquetBudget& budget) {
  LeafValues<T> out;
  std::int64_t bytes = 0;
  // Memory is reserved to avoid copies, but not if the stated number of rows exceeds what the file can hold.
  if (parquet.rows <= budget.left() / static_cast<std::int64_t>(sizeof(T)) / std::max<std::int64_t>(leaf.elements, 1))
    out.values.reserve(static_cast<std::size_t>(parquet.rows * leaf.elements));
  for (std::size_t number = 0; number < parquet.groups.size(); ++number) {
    const StoredGroup& group = parquet.groups[number];
    const StoredChunk& chunk = group.chunks[leaf.place];
    const std::string where = file.path() + ", column " + leaf.head.name + ", row group " + std::to_string(number);
    if (chunk.elsewhere) refuse(where, "the values are in another file, which is not read; join the files");
    if (chunk.encrypted) refuse(where, "the values are encrypted, which is not read; write them without encryption");
    if (!can_unpack(chunk.codec))
      refuse(where, "the values are compressed by " + codec_name(chunk.codec) +
                        ", which is not read; write the file with zstd, snappy, gzip or nothing");
    if (chunk.type != leaf.type) refuse(where, "the values are not of the type of the schema; the file is damaged");
    if (leaf.elements == 0 || chunk.values % leaf.elements != 0 || chunk.values / leaf.elements != group.rows) {
      if (leaf.repetition > 0)
        refuse(where, "the lists have different lengths; srcextract reads vectors of one length");
      refuse(where, "there are not as many values as rows; the file is damaged");
    }
    bytes += chunk.bytes;
    if (bytes > file.size()) refuse(where, "the row groups are larger than the file; the file is damaged");
    if (chunk.values == 0) continue;
    std::vector<std::byte> stored(static_cast<std::size_t>(chunk.bytes));
    if (!stored.empty()) file.read(chunk.begin, chunk.bytes, stored.data());
    ParquetPages pages(stored, chunk, leaf, budget, where);
    read_chunk(pages, chunk, leaf, budget, out);
  }
  if (!out.missing.empty()) out.missing.resize(out.values.size(), false);
  return out;
}

/// Returns integers in the narrowest type that holds all of them exactly. If any is missing, the type is double, or
/// text if another integer exceeds 2^53.
ColumnValues integers(std::vector<std::int64_t> values, const std::vector<bool>& missing) {
  const auto is_short = [](std::int64_t value) { return std::in_range<std::int32_t>(value); };
  if (missing.empty() && !std::ranges::all_of(values, is_short)) return values;
  if (missing.empty()) return std::vector<std::int32_t>(values.begin(), values.end());
  return narrowest_integers(values, [&](std::size_t i) { return missing[i]; });
}

/// Returns unsigned integers, which were stored as signed. Integers beyond the signed range make the column one of
/// text, the only type that holds them exactly.
ColumnValues unsigned_integers(std::vector<std::int64_t> values, const std::vector<bool>& missing) {
  if (std::ranges::none_of(values, [](std::int64_t value) { return value < 0; }))
    return integers(std::move(values), missing);
  return spelt_unsigned(values, [&](std::size_t i) { return !missing.empty() && missing[i]; });
}

template <class T>
ColumnValues column_of(std::vector<T> values, const std::vector<bool>& missing, ParquetMeaning meaning) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    if (meaning == ParquetMeaning::unsigned32) {
      std::vector<std::int64_t> wide;
      wide.reserve(values.size());
      for (const std::int32_t value : values) wide.push_back(static_cast<std::uint32_t>(value));
      return integers(std::move(wide), missing);
    }
    if (missing.empty()) return values;
    return integers({values.begin(), values.end()}, missing);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return meaning == ParquetMeaning::unsigned64 ? unsigned_integers(std::move(values), missing)
                                                 : integers(std::move(values), missing);
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t i = 0; i < missing.size(); ++i)
        if (missing[i]) values[i] = std::numeric_limits<T>::quiet_NaN();
    }
    return values;
  }
}

template <class T>
std::vector<ColumnValues> elements_of(LeafValues<T> all, const ParquetLeaf& leaf) {
  if (leaf.elements == 1) {
    std::vector<ColumnValues> one;
    one.push_back(column_of(std::move(all.values), all.missing, leaf.meaning));
    return one;
  }
  std::vector<ColumnValues> out;
  const auto step = static_cast<std::size_t>(leaf.elements);
  for (std::size_t element = 0; element < step; ++element) {
    std::vector<T> values;
    std::vector<bool> missing;
    values.reserve(all.values.size() / step);
    for (std::size_t i = element; i < all.values.size(); i += step) {
      values.push_back(all.values[i]);
      if (!all.missing.empty()) missing.push_back(all.missing[i]);
    }
    out.push_back(column_of(std::move(values), missing, leaf.meaning));
  }
  return out;
}

}  // namespace

std::vector<ColumnValues> read_parquet_values(const InputFile& file, const ParquetFile& parquet,
                                              const ParquetLeaf& leaf, ParquetBudget& budget) {
  switch (leaf.meaning) {
    case ParquetMeaning::boolean:
    case ParquetMeaning::int32:
    case ParquetMeaning::unsigned32:
      return elements_of(read_leaf<std::int32_t>(file, parquet, leaf, budget), leaf);
    case ParquetMeaning::int64:
    case ParquetMeaning::unsigned64:
      return elements_of(read_leaf<std::int64_t>(file, parquet, leaf, budget), leaf);
    case ParquetMeaning::float32:
      return elements_of(read_leaf<float>(file, parquet, leaf, budget), leaf);
    case ParquetMeaning::float64:
      return elements_of(read_leaf<double>(file, parquet, leaf, budget), leaf);
    case ParquetMeaning::text:
      return elements_of(read_leaf<std::string>(file, parquet, leaf, budget), leaf);
  }
  throw Error(ErrorKind::internal, "a column of Parquet has no meaning; please report this");
}

}  // namespace srcextract
