#include "io/catalog/ldac_head.hpp"

#include <algorithm>

#include "io/catalog/header_cards.hpp"
#include "io/fits/card.hpp"
#include "io/fits/header.hpp"

namespace srcextract {
namespace {

/// Returns true for NAXIS3 and above.
bool of_further_axis(std::string_view name) {
  return name.starts_with("NAXIS") && name.size() > 5 && name != "NAXIS1" && name != "NAXIS2";
}

}  // namespace

std::string ldac_head(std::string_view header, std::string_view primary, const std::vector<HeadCard>& added) {
  const Header own(header);
  const auto is_added = [&](std::string_view name) {
    return std::ranges::any_of(added, [&](const HeadCard& card) { return card.value.keyword == name; });
  };
  std::string head = format_card({"SIMPLE", true}, "this is a FITS header");
  const auto keeps = [&](std::string_view, std::string_view name) {
    return !is_of_file(name) && !of_further_axis(name) && !is_added(name);
  };
  for_each_kept_card(header, primary, keeps, [&](std::string_view card, std::string_view name) {
    const auto axes = name == "NAXIS" ? own.integer("NAXIS") : std::nullopt;
    head += axes.value_or(0) > 2 ? format_card({"NAXIS", std::int64_t{2}}, "of the plane that was looked at")
                                 : std::string(card);
  });
  for (const HeadCard& card : added) head += format_card(card.value, card.comment);
  head += "END";
  head.resize((head.size() + card_length - 1) / card_length * card_length, ' ');
  return printable_ascii(std::move(head));
}

}  // namespace srcextract
