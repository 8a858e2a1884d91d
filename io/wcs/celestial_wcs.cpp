#include "io/wcs/celestial_wcs.hpp"

#include <wcslib/wcsfix.h>
#include <wcslib/wcshdr.h>
#include <wcslib/wcsmath.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "io/wcs/celestial_cards.hpp"
#include "io/wcs/wcs.hpp"
#include "io/wcs/wcslib_lock.hpp"

namespace srcextract {

namespace {

/// SCAMP before version 2 wrote its distortion polynomial as PV cards of a plain TAN projection. TAN has no parameter
/// on the latitude axis: where there is one, it is the projection that is called TPV today.
void name_tpv(std::string& cards) {
  const std::string_view tan[] = {"CTYPE1  = 'RA---TAN", "CTYPE2  = 'DEC--TAN"};
  const std::size_t projection = tan[0].size() - 3;
  std::vector<std::size_t> found;
  bool parameter = false;
  for (std::size_t i = 0; i < cards.size(); i += 80) {
    const std::string_view card = std::string_view(cards).substr(i, 80);
    parameter = parameter || card.starts_with("PV2_");
    const bool plain = card.find_first_not_of(' ', tan[0].size()) == card.find('\'', tan[0].size());
    if (plain && (card.starts_with(tan[0]) || card.starts_with(tan[1]))) found.push_back(i + projection);
  }
  if (!parameter || found.size() != 2) return;
  for (std::size_t at : found) cards.replace(at, 3, "TPV");
}

std::string text(const char* quoted, std::size_t size) {
  std::string out(quoted, strnlen(quoted, size));
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

CelestialWcs none(const std::string& reason) {
  return {nullptr, reason};
}

/// The part of the primary description (no alternative letter) that belongs to the axes of the image. A cube's other
/// axes have no say in the sky position.
CelestialWcs image_axes(wcsprm* descriptions, int count) {
  wcsprm* primary = std::find_if(descriptions, descriptions + count, [](const wcsprm& w) { return w.alt[0] == ' '; });
  if (primary == descriptions + count || primary->naxis < 2) return none(no_celestial_wcs);
  int naxis = 2;
  int axes[] = {1, 2};
  decltype(CelestialWcs::wcs) wcs(new wcsprm{});
  wcs->flag = -1;
  const int status = wcssub(1, primary, &naxis, axes, wcs.get());
  if (status == WCSERR_NON_SEPARABLE) return none("the WCS mixes the first two axes with others");
  if (status != 0) return none(std::string("the WCS cannot be used: wcslib says ") + wcs_errmsg[status]);
  return {std::move(wcs), ""};
}

/// Reads and sets up the WCS. Coordinates looked up in a table (-TAB) are not supported: the table is in another HDU,
/// and it is spectral and time axes that use it, not the sky.
CelestialWcs parse(const std::string& header) {
  // Any other card is kept from wcslib: what is wrong with a further axis of a cube, for instance, does not matter.
  auto [cards, ties, problem] = celestial_cards(header);
  if (!problem.empty()) return none("the WCS cannot be used: " + problem);
  name_tpv(cards);
  cards += ties;

  std::scoped_lock lock(wcslib_parsers);
  int rejected = 0;  // counts cards without effect, too: of no use
  int count = 0;
  wcsprm* descriptions = nullptr;
  const int quiet = 0;
  if (wcspih(cards.data(), static_cast<int>(cards.size() / 80), WCSHDR_all, quiet, &rejected, &count, &descriptions)) {
    return none("wcslib cannot read the WCS");
  }
  CelestialWcs found = image_axes(descriptions, count);
  wcsvfree(&count, &descriptions);
  if (!found.wcs) return found;

  // Old names of units and projections. Not all of wcsfix: it would replace a zero matrix. celfix sets the struct up,
  // and a second attempt after one that failed leaks.
  unitfix(0, found.wcs.get());
  int status = celfix(found.wcs.get());
  if (status <= 0) status = wcsset(found.wcs.get());
  if (status != 0) return none(std::string("the WCS cannot be used: wcslib says ") + wcs_errmsg[status]);
  return found;
}

/// Why positions in this system are neither J2000 nor galactic; empty if they are.
std::string unsupported(const wcsprm& wcs) {
  if (wcs.lng < 0 || wcs.lat < 0) return no_celestial_wcs;
  const std::string axes = text(wcs.lngtyp, sizeof(wcs.lngtyp)) + ", " + text(wcs.lattyp, sizeof(wcs.lattyp));
  if (axes == "GLON, GLAT") return "";
  const char* wanted = "; ICRS, FK5 of equinox 2000 and galactic coordinates are supported";
  if (axes != "RA, DEC") return "the WCS gives " + axes + wanted;

  const bool has_equinox = !undefined(wcs.equinox);
  std::string frame = text(wcs.radesys, sizeof(wcs.radesys));
  // FITS Standard 4.0, 8.3: the defaults of RADESYS and EQUINOX.
  if (frame.empty()) frame = !has_equinox ? "ICRS" : wcs.equinox < 1984 ? "FK4" : "FK5";
  if (frame == "ICRS") return "";
  if (frame == "FK5" && (!has_equinox || wcs.equinox == 2000)) return "";
  std::string equinox;
  if (has_equinox) equinox = " of equinox " + std::to_string(wcs.equinox).substr(0, 6);
  return "the WCS is in " + frame + equinox + wanted;
}

using Direction = std::array<double, 3>;

/// The rows are the galactic axes in ICRS, from the definition in The Hipparcos and Tycho Catalogues (ESA 1997, vol. 1,
/// 1.5.3): pole at 192.85948, +27.12825, node at l = 32.93192.
constexpr double galactic_axis[3][3] = {{-0.054875560416215368, -0.873437090234885049, -0.483835015548713227},
                                        {+0.494109427875583674, -0.444829629960011178, +0.746982244497218891},
                                        {-0.867666149019004701, -0.198076373431201528, +0.455983776175066922}};

constexpr double degree = std::numbers::pi / 180;

Direction direction_of(double longitude, double latitude) {
  const double l = longitude * degree;
  const double b = latitude * degree;
  return {std::cos(b) * std::cos(l), std::cos(b) * std::sin(l), std::sin(b)};
}

void angles_of(const Direction& direction, double& longitude, double& latitude) {
  longitude = std::atan2(direction[1], direction[0]) / degree;
  latitude = std::atan2(direction[2], std::hypot(direction[0], direction[1])) / degree;
}

}  // namespace

CelestialWcs parse_celestial_wcs(const std::string& header) {
  CelestialWcs found = parse(header);
  if (!found.wcs) return found;
  const std::string reason = unsupported(*found.wcs);
  return reason.empty() ? std::move(found) : none(reason);
}

bool CelestialWcs::galactic() const {
  return text(wcs->lngtyp, sizeof(wcs->lngtyp)) == "GLON";
}

void galactic_to_icrs(double& longitude, double& latitude) {
  const Direction galactic = direction_of(longitude, latitude);
  Direction icrs{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) icrs[j] += galactic_axis[i][j] * galactic[i];
  }
  angles_of(icrs, longitude, latitude);
}

void icrs_to_galactic(double& longitude, double& latitude) {
  const Direction icrs = direction_of(longitude, latitude);
  Direction galactic{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) galactic[i] += galactic_axis[i][j] * icrs[j];
  }
  angles_of(galactic, longitude, latitude);
}

}  // namespace srcextract
