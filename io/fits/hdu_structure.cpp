#include "io/fits/hdu_structure.hpp"

#include <cstdlib>
#include <limits>

#include "io/files/refuse.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_axes = 999, most_columns = 999;

std::int64_t required(const Header& header, const std::string& keyword, std::int64_t least, std::int64_t most,
                      const std::string& where) {
  const std::optional<std::int64_t> value = header.integer(keyword, least, most);
  if (!value) refuse_header(where, "the header has no " + keyword);
  return *value;
}

std::vector<std::int64_t> read_axes(const Header& header, const std::string& prefix, std::int64_t shortest,
                                    const std::string& where) {
  const std::int64_t count = required(header, prefix + "NAXIS", 0, most_axes, where);
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 1; axis <= count; ++axis)
    axes.push_back(required(header, prefix + "NAXIS" + std::to_string(axis), shortest, any, where));
  return axes;
}

HduKind kind_of_extension(const Header& header) {
  const std::string name = header.first_text("XTENSION");
  if (name == "IMAGE" || name == "IUEIMAGE") return HduKind::image;
  if (name == "TABLE") return HduKind::ascii_table;
  if (name == "BINTABLE" || name == "A3DTABLE") return HduKind::binary_table;
  return HduKind::other;
}

/// Returns true if the HDU has random groups (FITS Standard 4.0, 6): an image whose first axis has length 0, and GROUPS
/// = T.
bool is_random_groups(const Header& header, const HduStructure& structure) {
  if (structure.kind != HduKind::image || structure.axes.empty() || structure.axes[0] != 0) return false;
  return header.logical("GROUPS").value_or(false);
}

/// Throws Error{input} if an image without random groups has a PCOUNT other than 0 or a GCOUNT other than 1 (FITS
/// Standard 4.0, 4.4.1.2 and 7.1.1). With other values, the data unit would be longer than the pixels.
void check_groups(const Header& header, const HduStructure& structure) {
  if (structure.kind != HduKind::image || structure.axes.empty()) return;
  header.integer("PCOUNT", 0, 0);
  header.integer("GCOUNT", 1, 1);
}

std::int64_t count_bytes(const Header& header, const std::vector<std::int64_t>& axes, std::int64_t bitpix,
                         bool random_groups, const std::string& where) {
  const std::int64_t parameters = header.integer("PCOUNT", 0).value_or(0);
  const std::int64_t groups = header.integer("GCOUNT", 0).value_or(1);
  std::int64_t bytes = axes.empty() ? 0 : 1;
  bool impossible = false;
  for (std::size_t axis = random_groups ? 1 : 0; axis < axes.size(); ++axis)
    impossible |= __builtin_mul_overflow(bytes, axes[axis], &bytes);
  impossible |= __builtin_add_overflow(bytes, parameters, &bytes) || __builtin_mul_overflow(bytes, groups, &bytes);
  impossible |= __builtin_mul_overflow(bytes, std::abs(bitpix) / 8, &bytes) || bytes > any / 2;
  if (impossible) refuse_header(where, "BITPIX and NAXISn tell a size of the data that no file can have");
  return bytes;
}

}  // namespace

HduStructure read_structure(const Header& header, bool primary, const std::string& where) {
  HduStructure structure;
  structure.kind = primary ? HduKind::image : kind_of_extension(header);
  const bool table = structure.kind == HduKind::ascii_table || structure.kind == HduKind::binary_table;
  const std::int64_t bitpix =
      table ? required(header, "BITPIX", 8, 8, where) : required(header, "BITPIX", -64, 64, where);
  structure.bitpix = static_cast<int>(bitpix);
  structure.axes = read_axes(header, "", 0, where);
  if (table) {
    if (structure.axes.size() != 2)
      refuse_header(where, "NAXIS = " + std::to_string(structure.axes.size()) + " of a table");
    required(header, "PCOUNT", 0, any, where);
    required(header, "GCOUNT", 1, 1, where);
    required(header, "TFIELDS", 0, most_columns, where);
  }
  const bool random_groups = is_random_groups(header, structure);
  if (!random_groups) check_groups(header, structure);
  structure.data_bytes = count_bytes(header, structure.axes, bitpix, random_groups, where);
  if (random_groups) structure.kind = HduKind::random_groups;
  if (structure.kind == HduKind::binary_table && header.logical("ZIMAGE").value_or(false)) {
    structure.kind = HduKind::compressed_image;
    structure.bitpix = static_cast<int>(required(header, "ZBITPIX", -64, 64, where));
    structure.axes = read_axes(header, "Z", 1, where);
  } else if (table) {
    structure.axes.clear();
    structure.bitpix = 0;
  }
  return structure;
}

bool begins_as_hdu(std::string_view text, bool primary) {
  return text.starts_with(primary ? "SIMPLE  " : "XTENSION");
}

}  // namespace srcextract
