#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "io/fits/card.hpp"
#include "io/fits/header.hpp"
#include "io/wcs/celestial_keywords.hpp"

namespace srcextract {

/// Returns the characters in columns 1 to 8 of a card, without trailing blanks.
inline std::string_view name_of(std::string_view card) {
  const std::string_view name = card.substr(0, keyword_length);
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

/// Returns true if the keyword describes the layout of the file rather than the image.
inline bool is_of_file(std::string_view name) {
  constexpr std::string_view names[] = {"SIMPLE",   "XTENSION", "EXTEND",  "PCOUNT",  "GCOUNT", "GROUPS",
                                        "CHECKSUM", "DATASUM",  "INHERIT", "NEXTEND", "END"};
  return std::ranges::find(names, name) != std::end(names);
}

/// Returns true if a keyword of the primary header describes only the primary image, so that extensions do not inherit
/// it.
inline bool is_of_one_image(std::string_view name) {
  constexpr std::string_view names[] = {"BITPIX", "NAXIS",   "BSCALE",  "BZERO",    "BLANK",    "BUNIT", "EXTNAME",
                                        "EXTVER", "HISTORY", "COMMENT", "CONTINUE", "HIERARCH", ""};
  return name.starts_with("NAXIS") || std::ranges::find(names, name) != std::end(names);
}

/// Calls f(card, name) for each card before END.
template <class F>
void for_each_card(std::string_view cards, F&& f) {
  for (; cards.size() >= card_length && !is_end(cards.substr(0, card_length)); cards.remove_prefix(card_length))
    f(cards.substr(0, card_length), name_of(cards));
}

/// Calls f(card, name) for each card of an image for which keeps(card, name) returns true. Cards of `header` come
/// first, then those that the image inherits from `primary`, the primary header. The WCS of the primary header is
/// not inherited: positions on the sky do not use it either. A CONTINUE card is treated like the card that it
/// continues.
template <class Keeps, class F>
void for_each_kept_card(std::string_view header, std::string_view primary, Keeps&& keeps, F&& f) {
  const Header own(header);
  bool kept = false;
  for_each_card(header, [&](std::string_view card, std::string_view name) {
    if (name != "CONTINUE") kept = keeps(card, name);
    if (kept) f(card, name);
  });
  if (own.find("INHERIT").value == KeywordValue(false)) return;
  kept = false;
  for_each_card(primary, [&](std::string_view card, std::string_view name) {
    if (name != "CONTINUE")
      kept = !is_of_one_image(name) && !is_celestial_keyword(std::string(name)) && !own.has(name) && keeps(card, name);
    if (kept) f(card, name);
  });
}

}  // namespace srcextract
