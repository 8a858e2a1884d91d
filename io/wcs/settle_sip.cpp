#include "io/wcs/settle_sip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "io/fits/header.hpp"
#include "io/fits/header_values.hpp"
#include "io/wcs/celestial_keywords.hpp"
#include "io/wcs/direction.hpp"
#include "io/wcs/distortion.hpp"
#include "io/wcs/fill_wcsprm.hpp"
#include "io/wcs/wcs.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Returns the header with f(card) in place of each card before END. An incomplete last card stays.
template <class F>
std::string with_cards(const std::string& header, F&& f) {
  std::string changed;
  std::size_t at = 0;
  for (; at + card_length <= header.size(); at += card_length) {
    const std::string card = header.substr(at, card_length);
    if (is_end(card)) break;
    changed += f(card);
  }
  return changed + header.substr(at);
}

std::string with_suffix(const std::string& header) {
  return with_cards(header, [](const std::string& card) {
    const std::string_view keyword = keyword_of(card);
    if (keyword != "CTYPE1" && keyword != "CTYPE2") return card;
    const CardValue type = read_value(card);
    if (!type.readable() || !std::holds_alternative<std::string>(*type.value)) return card;
    const std::string written = std::string(std::get<std::string>(*type.value)).append(sip_suffix);
    return format_card({std::string(keyword), written});
  });
}

bool is_sip_card(const std::string& card) {
  return is_sip_keyword(std::string(keyword_of(card))) || is_sip_keyword(meant_keyword(card));
}

std::string without_sip(const std::string& header) {
  return with_cards(header, [](const std::string& card) { return is_sip_card(card) ? std::string() : card; });
}

/// Whether the keywords, of a header with the suffix, have SIP that changes positions, or that cannot be read.
bool has_sip(const CelestialKeywords& keywords) {
  if (!keywords.problem.empty()) return true;
  try {
    return read_sip(keywords).has_value();
  } catch (const Error&) {
    return true;
  }
}

/// Names of the terms that are not 0, such as "A_0_2, A_1_1 and 7 others".
std::string terms_of(const CelestialKeywords& keywords) {
  std::vector<std::string> names;
  for (const HeaderValue& value : keywords.values) {
    const bool forward = value.keyword.size() == 5 && is_sip_keyword(value.keyword);
    if (forward && as_real(value.value).value_or(0) != 0) names.push_back(value.keyword);
  }
  return names.empty() ? "" : first_few(names.size(), [&](std::size_t i) { return names[i]; });
}

/// Says how far the positions of both headers are apart at the corners of the image.
std::string distance_between(const std::string& applied, const std::string& plain, const Shape& shape) {
  const auto right = static_cast<double>(shape.width) + 0.5, top = static_cast<double>(shape.height) + 0.5;
  const std::vector<double> x = {0.5, right, right, 0.5}, y = {0.5, 0.5, top, top};
  std::vector<SkyPosition> with, without;
  if (const std::string reason = find_on_sky(applied, x, y, with); !reason.empty())
    return "with them there would be no positions (" + reason + ")";
  if (!find_on_sky(plain, x, y, without).empty()) return "with them there would be positions on the sky";
  double least = INFINITY, most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Direction a = direction_of(with[i].alpha, with[i].delta),
                    b = direction_of(without[i].alpha, without[i].delta);
    const double chord = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    if (!std::isfinite(chord)) continue;
    const double apart = 2 * std::asin(std::min(chord / 2, 1.0)) / degree * arcseconds;
    least = std::min(least, apart);
    most = std::max(most, apart);
  }
  if (!(least <= most)) return "with them the corners of the image are off the sky";
  char text[128];
  std::snprintf(text, sizeof(text), "they would move the corners of the image by %.3g to %.3g arcseconds", least, most);
  return text;
}

}  // namespace

SettledHeader settle_sip(const std::string& header, const Shape& shape, SipTerms terms) {
  const Header cards(header);
  const CelestialKeywords keywords = read_celestial_keywords(header);
  const std::string type = keywords.text("CTYPE1");
  const bool declared = type.ends_with(sip_suffix) || keywords.text("CTYPE2").ends_with(sip_suffix);
  if (declared || !is_celestial(keywords)) return {header, ""};
  bool any = false;
  with_cards(header, [&](const std::string& card) {
    any = any || is_sip_card(card);
    return std::string();
  });
  if (!any) return {header, ""};
  const std::string applied = with_suffix(header);
  const CelestialKeywords with_terms = read_celestial_keywords(applied);
  if (!has_sip(with_terms)) return {header, ""};
  if (terms == SipTerms::apply) return {applied, ""};
  std::string plain = without_sip(header);
  const std::string names = terms_of(with_terms);
  if (terms == SipTerms::ctype || names.empty()) return {plain, ""};
  if (!keywords.problem.empty())
    return {plain, ""};  // there are no positions in either reading, and a warning says why
  return {plain, "the header has SIP terms (" + names + "), and CTYPE1 = '" + type +
                     "' does not end with -SIP: they are left out, as SExtractor and the FITS convention do, and "
                     "astropy applies them; " +
                     distance_between(applied, plain, shape) +
                     "; --set wcs.sip=apply applies them, --set wcs.sip=ctype leaves them out without a word"};
}

}  // namespace srcextract
