#include "io/wcs/celestial_wcs.hpp"

#include <wcslib/wcsfix.h>
#include <wcslib/wcsmath.h>

#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "io/wcs/celestial_keywords.hpp"
#include "io/wcs/direction.hpp"
#include "io/wcs/wcs.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Held while wcslib sets up a wcsprm, which includes parsing units. In some versions the parser stores data in static
/// variables.
std::mutex wcslib_parsers;

std::string text(const char* quoted, std::size_t size) {
  std::string out(quoted, strnlen(quoted, size));
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

CelestialWcs none(const std::string& reason) {
  return {nullptr, reason};
}

/// Reads the WCS and sets it up for wcslib. Look-up tables (-TAB) are not supported: the table is in another HDU, and
/// only spectral and time axes use tables. The axes of a cube beyond the second are ignored.
CelestialWcs parse(const std::string& header) {
  const CelestialKeywords keywords = read_celestial_keywords(header);
  if (!is_celestial(keywords)) return none(no_celestial_wcs);
  if (!keywords.problem.empty()) return none("the WCS cannot be used: " + keywords.problem);
  WcsPointer wcs = fill_wcsprm(keywords);

  // celfix() translates old names of projections and sets up the struct. wcsfix() is not used, because it would replace
  // a zero matrix. After a failure wcsset() is not called, because a second setup would leak memory.
  std::scoped_lock lock(wcslib_parsers);
  int status = celfix(wcs.get());
  if (status <= 0) status = wcsset(wcs.get());
  if (status != 0) return none(std::string("the WCS cannot be used: wcslib says ") + wcs_errmsg[status]);
  return {std::move(wcs), ""};
}

/// Returns the reason why positions are neither J2000 nor galactic; empty if they are J2000 or galactic.
std::string unsupported(const wcsprm& wcs) {
  if (wcs.lng < 0 || wcs.lat < 0) return no_celestial_wcs;
  const std::string axes = text(wcs.lngtyp, sizeof(wcs.lngtyp)) + ", " + text(wcs.lattyp, sizeof(wcs.lattyp));
  if (axes == "GLON, GLAT") return "";
  const char* wanted = "; ICRS, FK5 of equinox 2000 and galactic coordinates are supported";
  if (axes != "RA, DEC") return "the WCS gives " + axes + wanted;

  const bool has_equinox = !undefined(wcs.equinox);
  std::string frame = text(wcs.radesys, sizeof(wcs.radesys));
  // The defaults of RADESYS and EQUINOX are those of FITS Standard 4.0, 8.3.
  if (frame.empty()) frame = !has_equinox ? "ICRS" : wcs.equinox < 1984 ? "FK4" : "FK5";
  if (frame == "ICRS") return "";
  if (frame == "FK5" && (!has_equinox || wcs.equinox == 2000)) return "";
  std::string equinox;
  if (has_equinox) equinox = " of equinox " + std::to_string(wcs.equinox).substr(0, 6);
  return "the WCS is in " + frame + equinox + wanted;
}

/// Rotation from ICRS to galactic coordinates; each row is an axis of the galactic system in ICRS. From The Hipparcos
/// and Tycho Catalogues (ESA 1997, vol. 1, 1.5.3): pole at 192.85948, +27.12825 degrees, node at l = 32.93192 degrees.
constexpr double galactic_axis[3][3] = {{-0.054875560416215368, -0.873437090234885049, -0.483835015548713227},
                                        {+0.494109427875583674, -0.444829629960011178, +0.746982244497218891},
                                        {-0.867666149019004701, -0.198076373431201528, +0.455983776175066922}};

void angles_of(const Direction& direction, double& longitude, double& latitude) {
  longitude = std::atan2(direction[1], direction[0]) / degree;
  latitude = std::atan2(direction[2], std::hypot(direction[0], direction[1])) / degree;
}

}  // namespace

CelestialWcs parse_celestial_wcs(const std::string& header) {
  CelestialWcs found;
  try {
    found = parse(header);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return none(std::string("the WCS cannot be used: ") + error.what());
  }
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
