#include "io/image/image_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "io/files/refuse.hpp"
#include "io/fits/card.hpp"
#include "stages/core/shortest_number.hpp"

namespace srcextract {
namespace {

/// Throws Error{input} unless `bytes` bytes of the HDU's data unit are in the file.
void require_bytes(const Hdu& hdu, const InputFile& file, std::int64_t bytes) {
  const std::int64_t there = std::clamp<std::int64_t>(file.size() - hdu.data_begin, 0, bytes);
  if (there == bytes) return;
  refuse(describe(hdu, file.path()) + " is truncated: its data need " + std::to_string(bytes) +
         " bytes, the file holds " + std::to_string(there) + " of them; fetch or copy the file again");
}

void check_size(const Hdu& hdu, const InputFile& file) {
  const std::string where = describe(hdu, file.path());
  // Longest side of an image in pixels. Column numbers have 32 bits, which must also be enough for the two numbers
  // after the last column.
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max() - 1;
  for (std::size_t axis = 0; axis < std::min<std::size_t>(hdu.axes.size(), 2); ++axis) {
    if (hdu.axes[axis] <= longest) continue;
    refuse(where + ": NAXIS" + std::to_string(axis + 1) + " = " + std::to_string(hdu.axes[axis]) +
           " pixels; a side of an image can have 1 to " + std::to_string(longest) + "; correct the header");
  }
  require_bytes(hdu, file, hdu.data_bytes);
  if (!has_pixels(hdu)) {
    refuse(where + " has no pixels (" + (hdu.axes.empty() ? "NAXIS = 0" : "an axis has length 0") +
           "); set input.hdu to an HDU with an image");
  }
  std::int64_t pixels = 1;
  bool possible = true;
  for (std::int64_t length : hdu.axes) possible &= length > 0 && !__builtin_mul_overflow(pixels, length, &pixels);
  if (!possible || pixels > std::numeric_limits<std::int64_t>::max() / 8) {
    refuse(where + ": NAXISn tell more pixels than any file can have; correct the header, or make the file again");
  }
  if (hdu.kind == HduKind::image) require_bytes(hdu, file, pixels * (std::abs(hdu.bitpix) / 8));
}

void check_bitpix(const Hdu& hdu, const InputFile& file) {
  constexpr std::array<int, 6> known{8, 16, 32, 64, -32, -64};
  if (std::ranges::find(known, hdu.bitpix) == known.end()) {
    refuse(describe(hdu, file.path()) + ": BITPIX = " + std::to_string(hdu.bitpix) +
           "; FITS has 8, 16, 32, 64, -32 and -64; correct the header, or make the file again");
  }
  if (hdu.kind == HduKind::compressed_image && hdu.bitpix == 64) {
    refuse(describe(hdu, file.path()) +
           ": tiles of 64-bit integers cannot be read; decompress the image with another program");
  }
}

/// Returns the cards of a compressed image without the keywords of the table that stores the tiles. ZNAXISn and ZBITPIX
/// become NAXISn and BITPIX.
std::string image_cards(std::string_view cards) {
  constexpr std::array<std::string_view, 18> of_the_table{
      "NAXIS",    "BITPIX ",  "PCOUNT ",  "GCOUNT ", "TFIELDS ", "TTYPE", "TFORM",    "THEAP ",   "ZIMAGE ",
      "ZTENSION", "ZSIMPLE ", "ZCMPTYPE", "ZTILE",   "ZNAME",    "ZVAL",  "ZQUANTIZ", "ZDITHER0", "ZBLANK "};
  std::string structure, rest;
  for (; !cards.empty(); cards.remove_prefix(card_length)) {
    std::string card(cards.substr(0, card_length));
    const std::string_view keyword(card.data(), 8);
    const auto begins = [&](std::string_view text) { return keyword.starts_with(text); };
    if (begins("XTENSION")) {
      card.replace(keyword_length, card_length - keyword_length, "= 'IMAGE   '");
      card.resize(card_length, ' ');
      structure += card;
    } else if (begins("ZNAXIS") || begins("ZBITPIX ") || begins("ZPCOUNT ") || begins("ZGCOUNT ")) {
      structure += card.erase(0, 1).insert(7, " ");
    } else if (std::ranges::none_of(of_the_table, begins)) {
      rest += card;
    }
  }
  return structure + rest;
}

/// Returns true if the keyword is optional and changes the values of the HDU's pixels.
bool scales_pixels(const std::string& keyword, const Hdu& hdu) {
  constexpr std::array<std::string_view, 5> of_any{"BSCALE", "BZERO", "BLANK", "BSOFTEN", "BOFFSET"};
  constexpr std::array<std::string_view, 8> of_tiles{"ZSCALE",   "ZZERO", "ZBLANK", "ZQUANTIZ",
                                                     "ZDITHER0", "ZTILE", "ZNAME",  "ZVAL"};
  if (keyword == "BLANK" && hdu.bitpix < 0) return false;
  if (std::ranges::find(of_any, keyword) != of_any.end()) return true;
  return hdu.kind == HduKind::compressed_image &&
         std::ranges::any_of(of_tiles, [&](std::string_view begin) { return keyword.starts_with(begin); });
}

/// Throws Error{input} if a scaling keyword is misspelt: ignoring the card would change the value of every pixel.
void check_spelling(const Hdu& hdu, const InputFile& file) {
  for (const Header::Misspelt& found : hdu.header->misspelt()) {
    if (!scales_pixels(found.keyword, hdu)) continue;
    refuse(describe(hdu, file.path()) + ": the values of its pixels hang on " + found.keyword + ", and the card '" +
           printable_ascii(std::string(found.card.substr(0, 30))) + "' " + misspelt_reason + "; correct the card");
  }
}

}  // namespace

void check_image(const Hdu& hdu, const InputFile& file) {
  check_size(hdu, file);
  check_bitpix(hdu, file);
}

PixelFormat read_pixel_format(const Hdu& hdu, const InputFile& file) {
  check_spelling(hdu, file);
  PixelFormat format;
  format.bitpix = hdu.bitpix;
  format.big_endian = hdu.kind == HduKind::image;
  format.bscale = hdu.header->real("BSCALE").value_or(1.0);
  format.bzero = hdu.header->real("BZERO").value_or(0.0);
  if (format.bscale == 0 || !std::isfinite(format.bscale) || !std::isfinite(format.bzero)) {
    refuse(describe(hdu, file.path()) + ": BSCALE = " + shortest(format.bscale) +
           ", BZERO = " + shortest(format.bzero) + " give no pixel a value; correct the header");
  }
  if (hdu.bitpix > 0) {
    format.blank = hdu.header->integer("BLANK");
    if (!format.blank && hdu.kind == HduKind::compressed_image) format.blank = hdu.header->integer("ZBLANK");
  }
  return format;
}

std::string without_asinh_scale(std::string_view cards) {
  std::string rest;
  for (; !cards.empty(); cards.remove_prefix(std::min(card_length, cards.size()))) {
    const std::string_view card = cards.substr(0, card_length);
    if (!card.starts_with("BSOFTEN =") && !card.starts_with("BOFFSET =")) rest += card;
  }
  return rest;
}

std::string image_header(const Hdu& hdu) {
  return hdu.kind == HduKind::compressed_image ? image_cards(hdu.cards) : std::string(hdu.cards);
}

}  // namespace srcextract
