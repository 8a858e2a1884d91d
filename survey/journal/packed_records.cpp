#include "survey/journal/packed_records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace srcextract {
namespace {

/// The first bytes of every packed record: the place of the next record in the list of its file, and the HDU. Both have
/// fixed sizes and can be read alone.
struct Head {
  PackedRecords::Place next;
  std::int32_t hdu;
};
constexpr std::size_t head_bytes = sizeof(Head::next) + sizeof(Head::hdu);

enum Flag : unsigned { done = 1, has_hdu = 2, has_crc32 = 4, ends_with_name = 8, has_floats = 16 };

/// Whether a float represents the value exactly. Sky values of float32 pixels mostly are floats.
bool fits_float(double value) {
  return std::bit_cast<std::uint64_t>(double{static_cast<float>(value)}) == std::bit_cast<std::uint64_t>(value);
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

PackedRecords::Place PackedRecords::add(const ImageRecord& record) {
  PackedBytes::Writer out(bytes_);
  out.put(nowhere);
  out.put(std::int32_t{record.hdu.value_or(-1)});
  out.text(record.name);
  const bool named = record.path.ends_with(record.name);
  const bool floats = fits_float(record.background) && fits_float(record.sigma);
  out.number((record.done ? done : 0U) | (record.hdu ? has_hdu : 0U) | (record.catalog_crc32 ? has_crc32 : 0U) |
             (named ? ends_with_name : 0U) | (floats ? has_floats : 0U));
  const std::size_t file_name = named ? record.path.size() - record.name.size() : record.path.rfind('/') + 1;
  out.shared(std::string_view(record.path).substr(0, file_name));
  if (!named) out.text(std::string_view(record.path).substr(file_name));
  out.number(static_cast<std::uint64_t>(record.images));
  out.number(static_cast<std::uint64_t>(record.bytes));
  out.put(record.modified);
  out.shared(record.config);
  out.shared(record.program);
  out.put(record.datasum);
  for (const std::int64_t value : {record.width, record.height, record.sources})
    out.number(static_cast<std::uint64_t>(value));
  for (const double value : {record.background, record.sigma})
    if (floats)
      out.put(static_cast<float>(value));
    else
      out.put(value);
  out.number(record.outputs.size());
  for (const auto& [path, bytes] : record.outputs) {
    const std::size_t common = common_prefix(path, record.name);
    out.number(common);
    out.shared(std::string_view(path).substr(common));
    out.number(static_cast<std::uint64_t>(bytes));
  }
  if (record.catalog_crc32) out.put(*record.catalog_crc32);
  out.shared(record.kind);
  out.text(record.reason);
  return bytes_.add(out);
}

ImageRecord PackedRecords::at(Place place) const {
  PackedBytes::Reader in(bytes_, bytes_.at(place) + sizeof(Head::next));
  ImageRecord record;
  const auto hdu = in.get<std::int32_t>();
  record.name = in.text();
  const std::uint64_t flags = in.number();
  record.done = (flags & done) != 0;
  if ((flags & has_hdu) != 0) record.hdu = hdu;
  record.path = in.shared();
  record.path += (flags & ends_with_name) != 0 ? std::string_view(record.name) : in.text();
  record.images = static_cast<int>(in.number());
  record.bytes = in.size();
  record.modified = in.get<std::int64_t>();
  record.config = in.shared();
  record.program = in.shared();
  record.datasum = in.get<std::uint32_t>();
  record.width = in.size();
  record.height = in.size();
  record.sources = in.size();
  for (double* const value : {&record.background, &record.sigma})
    *value = (flags & has_floats) != 0 ? in.get<float>() : in.get<double>();
  record.outputs.resize(in.number());
  for (auto& [path, bytes] : record.outputs) {
    path = std::string_view(record.name).substr(0, in.number());
    path += in.shared();
    bytes = in.size();
  }
  if ((flags & has_crc32) != 0) record.catalog_crc32 = in.get<std::uint32_t>();
  record.kind = in.shared();
  record.reason = in.text();
  return record;
}

std::string_view PackedRecords::name_at(Place place) const {
  return PackedBytes::Reader(bytes_, bytes_.at(place) + head_bytes).text();
}

int PackedRecords::hdu_at(Place place) const {
  return PackedBytes::Reader(bytes_, bytes_.at(place) + sizeof(Head::next)).get<std::int32_t>();
}

PackedRecords::Place PackedRecords::next_of(Place place) const {
  return PackedBytes::Reader(bytes_, place).get<Place>();
}

void PackedRecords::set_next(Place place, Place next) {
  std::memcpy(bytes_.at(place), &next, sizeof(next));
}

}  // namespace srcextract
