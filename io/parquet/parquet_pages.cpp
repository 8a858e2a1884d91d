#include "io/parquet/parquet_pages.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "io/files/refuse.hpp"
#include "io/parquet/compact_reader.hpp"
#include "io/parquet/hybrid_reader.hpp"
#include "io/parquet/page_codec.hpp"
#include "io/tables/table_room.hpp"

namespace srcextract {

struct ParquetPages::Header {
  std::int32_t type = -1, unpacked = -1, packed = -1;
  std::int64_t values = -1;
  std::int32_t encoding = -1, definition_encoding = 3, repetition_encoding = 3;
  std::int64_t definition_bytes = 0, repetition_bytes = 0;  ///< bytes of the levels in a version 2 page
  bool compressed = true;
};

namespace {

/// Reads the part of a page header that describes the values. `kind` is the field number of this part in PageHeader: 5
/// for a data page, 7 for a dictionary page, 8 for a data page of version 2. Field 1 of each part is the number of
/// values.
template <class Header>
void read_data_header(CompactReader& reader, Header& header, int kind) {
  const bool second_version = kind == 8;
  reader.for_each_field([&](int number) {
    if (kind == 7 && number > 2) return false;  // the other fields of a dictionary page are not needed
    switch (number) {
      case 1:
        header.values = reader.int32();
        return true;
      case 2:
        if (second_version) return false;
        header.encoding = reader.int32();
        return true;
      case 3:
        if (second_version) return false;
        header.definition_encoding = reader.int32();
        return true;
      case 4:
        (second_version ? header.encoding : header.repetition_encoding) = reader.int32();
        return true;
      case 5:
        if (!second_version) return false;
        header.definition_bytes = reader.int32();
        return true;
      case 6:
        if (!second_version) return false;
        header.repetition_bytes = reader.int32();
        return true;
      case 7:
        if (!second_version) return false;
        header.compressed = reader.boolean();
        return true;
      default:
        return false;
    }
  });
}

int bits_of(int largest) {
  return std::bit_width(static_cast<unsigned>(largest));
}

}  // namespace

void ParquetBudget::take(std::int64_t count, std::int64_t size) {
  if (count < 0 || size < 0 || (size > 0 && count > left_ / size))
    refuse(file_.path, "it asks for more than " + std::to_string(factor) +
                           " times the bytes that it has; the file is damaged, or made to do harm");
  left_ -= count * size;
}

void ParquetBudget::hold(std::int64_t bytes) {
  held_ += bytes;
  require_room(file_, rows_, 0, held_);
}

void ParquetPages::fail(const std::string& problem) const {
  refuse(where_, problem + "; the file is damaged");
}

void ParquetPages::refuse_encoding(std::int32_t encoding) const {
  constexpr std::array names = {"PLAIN",
                                "number 1",
                                "PLAIN_DICTIONARY",
                                "RLE",
                                "BIT_PACKED",
                                "DELTA_BINARY_PACKED",
                                "DELTA_LENGTH_BYTE_ARRAY",
                                "DELTA_BYTE_ARRAY",
                                "RLE_DICTIONARY",
                                "BYTE_STREAM_SPLIT"};
  const bool named = encoding >= 0 && encoding < std::ssize(names);
  refuse(where_,
         std::string("the values are in the encoding ") +
             (named ? std::string(names[static_cast<std::size_t>(encoding)]) : "number " + std::to_string(encoding)) +
             ", which is not read; write the file with PLAIN or dictionaries");
}

void ParquetPages::refuse_lists() const {
  refuse(where_, "a list is missing or of another length than the others; srcextract reads vectors of one length");
}

ParquetPages::Header ParquetPages::read_header() {
  Header header;
  CompactReader reader(rest_, where_ + ", header of a page");
  reader.for_each_field([&](int number) {
    switch (number) {
      case 1:
        header.type = reader.int32();
        return true;
      case 2:
        header.unpacked = reader.int32();
        return true;
      case 3:
        header.packed = reader.int32();
        return true;
      case 5:
      case 7:
      case 8:
        read_data_header(reader, header, number);
        return true;
      default:
        return false;
    }
  });
  rest_ = rest_.subspan(reader.position());
  return header;
}

std::span<const std::byte> ParquetPages::take(std::int64_t bytes) {
  if (bytes < 0 || bytes > std::ssize(rest_)) fail("a page reaches beyond the end of its column");
  const auto taken = rest_.first(static_cast<std::size_t>(bytes));
  rest_ = rest_.subspan(static_cast<std::size_t>(bytes));
  return taken;
}

std::span<const std::byte> ParquetPages::unpack(std::span<const std::byte> packed, std::int64_t bytes) {
  if (stored_.codec == static_cast<std::int32_t>(ParquetCodec::none)) {
    if (bytes != std::ssize(packed)) fail("a page is said to have another size than it has");
    return packed;
  }
  if (bytes < 0) fail("a page has no possible size");
  budget_.take(bytes, 1);
  unpacked_.resize(static_cast<std::size_t>(bytes));
  if (!unpack_page(stored_.codec, packed, unpacked_))
    fail("a page compressed by " + codec_name(stored_.codec) + " cannot be unpacked");
  return unpacked_;
}

std::vector<std::uint32_t> ParquetPages::levels(std::span<const std::byte> bytes, int largest,
                                                std::int64_t values) const {
  if (largest == 0) return {};
  std::vector<std::uint32_t> out(static_cast<std::size_t>(values));
  if (!read_hybrid(bytes, bits_of(largest), out)) fail("a page ends within its levels");
  for (const std::uint32_t level : out)
    if (level > static_cast<std::uint32_t>(largest)) fail("a level is beyond those that the schema has");
  return out;
}

void ParquetPages::read_levels_v1(ParquetPageContent& page) const {
  const auto next = [&](int largest) -> std::vector<std::uint32_t> {
    if (largest == 0) return {};
    std::uint32_t size = 0;
    if (page.encoded.size() < sizeof(size)) fail("a page ends within its levels");
    std::memcpy(&size, page.encoded.data(), sizeof(size));
    page.encoded = page.encoded.subspan(sizeof(size));
    if (size > page.encoded.size()) fail("a page ends within its levels");
    const auto bytes = page.encoded.first(size);
    page.encoded = page.encoded.subspan(size);
    return levels(bytes, largest, page.values);
  };
  page.repetition = next(leaf_.repetition);
  page.definition = next(leaf_.definition);
}

ParquetPageContent ParquetPages::next() {
  for (;;) {
    if (rest_.empty()) fail("a column has fewer values than it says");
    const Header header = read_header();
    const auto packed = take(header.packed);
    const auto type = static_cast<ParquetPage>(header.type);
    if (type != ParquetPage::data && type != ParquetPage::data_v2 && type != ParquetPage::dictionary) continue;
    const bool is_dictionary = type == ParquetPage::dictionary;
    if (header.values < 0 || (!is_dictionary && header.values > stored_.values))
      fail("a page has more values than its column");
    ParquetPageContent page;
    page.values = header.values;
    page.encoding = header.encoding;
    page.dictionary = is_dictionary;
    const std::int64_t of_levels = (leaf_.repetition > 0 ? 4 : 0) + (leaf_.definition > 0 ? 4 : 0);
    if (!page.dictionary) budget_.take(page.values, of_levels);
    if (type == ParquetPage::data_v2) {
      const std::int64_t of_both = header.repetition_bytes + header.definition_bytes;
      if (header.repetition_bytes < 0 || header.definition_bytes < 0 || of_both > std::ssize(packed))
        fail("a page ends within its levels");
      const auto repetition = static_cast<std::size_t>(header.repetition_bytes),
                 both = static_cast<std::size_t>(of_both);
      page.repetition = levels(packed.first(repetition), leaf_.repetition, page.values);
      page.definition = levels(packed.subspan(repetition, both - repetition), leaf_.definition, page.values);
      const auto values = packed.subspan(both);
      page.encoded = header.compressed && !values.empty() ? unpack(values, header.unpacked - of_both) : values;
      return page;
    }
    page.encoded = unpack(packed, header.unpacked);
    if (page.dictionary) return page;
    const auto rle = static_cast<std::int32_t>(ParquetEncoding::rle);
    if ((leaf_.definition > 0 && header.definition_encoding != rle) ||
        (leaf_.repetition > 0 && header.repetition_encoding != rle))
      refuse(where_, "its levels are in the old encoding BIT_PACKED, which is not read; write the file again");
    read_levels_v1(page);
    return page;
  }
}

}  // namespace srcextract
