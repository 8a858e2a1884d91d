#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "io/fits/card.hpp"
#include "io/fits/header.hpp"

namespace srcextract {

/// The keyword in columns 1 to 8 of a card, without trailing blanks.
inline std::string_view name_of(std::string_view card) {
  const std::string_view name = card.substr(0, keyword_length);
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

/// Whether the keyword describes the layout of the file rather than the image.
inline bool is_of_file(std::string_view name) {
  constexpr std::string_view names[] = {"SIMPLE",   "XTENSION", "EXTEND",  "PCOUNT",  "GCOUNT", "GROUPS",
                                        "CHECKSUM", "DATASUM",  "INHERIT", "NEXTEND", "END"};
  return std::ranges::find(names, name) != std::end(names);
}

/// Whether the keyword describes one image, so that no other image inherits it from the primary HDU.
inline bool is_of_one_image(std::string_view name) {
  constexpr std::string_view names[] = {"BITPIX", "NAXIS",   "BSCALE",  "BZERO",    "BLANK",    "BUNIT", "EXTNAME",
                                        "EXTVER", "HISTORY", "COMMENT", "CONTINUE", "HIERARCH", ""};
  return name.starts_with("NAXIS") || std::ranges::find(names, name) != std::end(names);
}

/// Calls f(card, name) for the cards before END.
template <class F>
void for_each_card(std::string_view cards, F&& f) {
  for (; cards.size() >= card_length && !is_end(cards.substr(0, card_length)); cards.remove_prefix(card_length))
    f(cards.substr(0, card_length), name_of(cards));
}

/// Calls f(card, name) for each card of the image that keeps(card, name) accepts: the cards of its header, then those
/// inherited from `primary`, the primary header. A CONTINUE card is kept if the card that it continues is.
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
    if (name != "CONTINUE") kept = !is_of_one_image(name) && !own.has(name) && keeps(card, name);
    if (kept) f(card, name);
  });
}

}  // namespace srcextract
