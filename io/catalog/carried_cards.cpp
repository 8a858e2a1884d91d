#include "io/catalog/carried_cards.hpp"

#include <algorithm>
#include <iterator>

#include "io/catalog/header_cards.hpp"
#include "io/wcs/celestial_keywords.hpp"

namespace srcextract {
namespace {

bool is_name(std::string_view name) {
  return name == "EXTNAME" || name == "EXTVER" || name == "EXTLEVEL";
}

/// Returns true if the keyword describes how pixels are stored or scaled, or if a written image gets its own card of
/// that name.
bool is_of_pixels(std::string_view name) {
  constexpr std::string_view names[] = {"BITPIX",  "BSCALE",  "BZERO",   "BLANK",   "BUNIT",    "DATAMIN",
                                        "DATAMAX", "CREATOR", "TFIELDS", "THEAP",   "ZIMAGE",   "ZSCALE",
                                        "ZZERO",   "ZBLANK",  "ZEXTEND", "ZSIMPLE", "ZTENSION", "ZBLOCKED"};
  constexpr std::string_view stems[] = {"NAXIS",    "TTYPE",   "TFORM",   "TDIM",    "TNULL",    "TUNIT",
                                        "ZNAXIS",   "ZTILE",   "ZNAME",   "ZVAL",    "ZQUANT",   "ZDITHER",
                                        "ZCMPTYPE", "ZBITPIX", "ZPCOUNT", "ZGCOUNT", "ZHECKSUM", "ZDATASUM"};
  return std::ranges::find(names, name) != std::end(names) ||
         std::ranges::any_of(stems, [&](std::string_view stem) { return name.starts_with(stem); });
}

bool is_carried(std::string_view card, std::string_view name) {
  const std::string meant = meant_keyword(card);  // other programs may read a misspelt WCS card
  return !is_of_file(name) && !is_of_pixels(name) && !is_name(name) && !is_celestial_keyword(std::string(name)) &&
         !is_celestial_keyword(meant);
}

}  // namespace

std::string carried_cards(std::string_view header, std::string_view primary) {
  std::string cards;
  for_each_kept_card(header, primary, is_carried, [&](std::string_view card, std::string_view) { cards += card; });
  return printable_ascii(std::move(cards));
}

std::string name_cards(std::string_view header) {
  std::string cards;
  for_each_card(header, [&](std::string_view card, std::string_view name) {
    if (is_name(name)) cards += card;
  });
  return printable_ascii(std::move(cards));
}

}  // namespace srcextract
