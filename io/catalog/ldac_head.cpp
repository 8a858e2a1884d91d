#include "io/catalog/ldac_head.hpp"

#include <algorithm>

#include "io/fits/card.hpp"
#include "io/fits/header.hpp"

namespace srcextract {
namespace {

std::string_view name_of(std::string_view card) {
  const std::string_view name = card.substr(0, keyword_length);
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

/// Whether the card says how the file is built that the image stands in, and not what the image is.
bool of_file(std::string_view name) {
  constexpr std::string_view names[] = {"SIMPLE",   "XTENSION", "EXTEND",  "PCOUNT",  "GCOUNT", "GROUPS",
                                        "CHECKSUM", "DATASUM",  "INHERIT", "NEXTEND", "END"};
  return std::ranges::find(names, name) != std::end(names);
}

/// NAXIS3 and above.
bool of_further_axis(std::string_view name) {
  return name.starts_with("NAXIS") && name.size() > 5 && name != "NAXIS1" && name != "NAXIS2";
}

/// Says what an image is, and that of the primary HDU is another.
bool of_one_image(std::string_view name) {
  constexpr std::string_view names[] = {"BITPIX", "NAXIS",   "BSCALE",  "BZERO",    "BLANK",    "BUNIT", "EXTNAME",
                                        "EXTVER", "HISTORY", "COMMENT", "CONTINUE", "HIERARCH", ""};
  return name.starts_with("NAXIS") || std::ranges::find(names, name) != std::end(names);
}

template <class F>
void for_each_card(std::string_view cards, F&& f) {
  for (; cards.size() >= card_length && !is_end(cards.substr(0, card_length)); cards.remove_prefix(card_length))
    f(cards.substr(0, card_length), name_of(cards));
}

}  // namespace

std::string ldac_head(std::string_view header, std::string_view primary, const std::vector<HeadCard>& added) {
  const Header own(header);
  const auto is_added = [&](std::string_view name) {
    return std::ranges::any_of(added, [&](const HeadCard& card) { return card.value.keyword == name; });
  };
  std::string head = format_card({"SIMPLE", true}, "this is a FITS header");
  bool last_kept = true;  // a CONTINUE card goes with the one that it continues
  for_each_card(header, [&](std::string_view card, std::string_view name) {
    if (name != "CONTINUE") last_kept = !of_file(name) && !of_further_axis(name) && !is_added(name);
    if (!last_kept) return;
    const auto axes = name == "NAXIS" ? own.integer("NAXIS") : std::nullopt;
    head += axes.value_or(0) > 2 ? format_card({"NAXIS", std::int64_t{2}}, "of the plane that was looked at")
                                 : std::string(card);
  });
  if (own.find("INHERIT").value != KeywordValue(false))
    for_each_card(primary, [&](std::string_view card, std::string_view name) {
      if (name != "CONTINUE") last_kept = !of_file(name) && !of_one_image(name) && !own.has(name) && !is_added(name);
      if (last_kept) head += card;
    });
  for (const HeadCard& card : added) head += format_card(card.value, card.comment);
  head += "END";
  head.resize((head.size() + card_length - 1) / card_length * card_length, ' ');
  return printable_ascii(std::move(head));
}

}  // namespace srcextract
