#include <string>

#include "io/files/refuse.hpp"
#include "io/fits/header.hpp"
#include "io/wcs/distortion.hpp"

namespace srcextract {
namespace {

constexpr int highest_order = 9;

/// Returns the order of the polynomial of one axis; nothing if the keyword is absent.
std::optional<int> order_of(const CelestialKeywords& keywords, const std::string& stem) {
  const std::optional<double> order = keywords.real(stem + "_ORDER");
  if (!order) return std::nullopt;
  for (int whole = 0; whole <= highest_order; ++whole)
    if (*order == whole) return whole;
  refuse(stem + "_ORDER is none of SIP's orders, 0 to " + std::to_string(highest_order));
}

std::vector<DistortionTerm> terms_of(const CelestialKeywords& keywords, const std::string& stem, int order) {
  std::vector<DistortionTerm> terms;
  for (const HeaderValue& value : keywords.values) {
    // Keywords with the stem have the form A_2_0, since read_celestial_keywords() stores no others.
    const std::string& name = value.keyword;
    if (name.size() != stem.size() + 4 || !name.starts_with(stem + "_")) continue;
    const int p = name[stem.size() + 1] - '0', q = name[stem.size() + 3] - '0';
    if (p + q <= order) terms.push_back({p, q, as_real(value.value).value_or(0)});
  }
  return terms;
}

/// Returns the polynomials of both axes. Returns empty ones unless both orders are 2 or more, since SIP has no terms of
/// lower degree.
std::array<std::vector<DistortionTerm>, 2> read_pair(const CelestialKeywords& keywords, const std::string& first,
                                                     const std::string& second) {
  const std::optional<int> a = order_of(keywords, first), b = order_of(keywords, second);
  if (a.value_or(0) > 1 && !b) refuse("SIP needs both axes: there is " + first + "_ORDER without " + second + "_ORDER");
  if (b.value_or(0) > 1 && !a) refuse("SIP needs both axes: there is " + second + "_ORDER without " + first + "_ORDER");
  if (a.value_or(0) < 2 || b.value_or(0) < 2) return {};
  return {terms_of(keywords, first, *a), terms_of(keywords, second, *b)};
}

}  // namespace

std::optional<SipPolynomials> read_sip(const CelestialKeywords& keywords) {
  SipPolynomials sip{read_pair(keywords, "A", "B"), read_pair(keywords, "AP", "BP")};
  if (sip.forward[0].empty() && sip.forward[1].empty()) return std::nullopt;
  if (!keywords.real("CRPIX1") || !keywords.real("CRPIX2")) refuse("SIP needs CRPIX1 and CRPIX2");
  return sip;
}

}  // namespace srcextract
