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

/// Sets the system of the coordinates. If it is not known, sets the reason and drops the WCS.
void find_frame(CelestialWcs& found) {
  const wcsprm& wcs = *found.wcs;
  const auto drop = [&](const std::string& reason) { found = none(reason); };
  if (wcs.lng < 0 || wcs.lat < 0) return drop(no_celestial_wcs);
  const std::string axes = text(wcs.lngtyp, sizeof(wcs.lngtyp)) + ", " + text(wcs.lattyp, sizeof(wcs.lattyp));
  const bool has_equinox = !undefined(wcs.equinox);
  std::string radesys = text(wcs.radesys, sizeof(wcs.radesys));
  // The defaults of RADESYS and EQUINOX are those of FITS Standard 4.0, 8.3.
  if (radesys.empty()) radesys = !has_equinox ? "ICRS" : wcs.equinox < 1984 ? "FK4" : "FK5";
  const std::optional<SkySystem> frame = sky_frame(axes, radesys,
                                                   has_equinox                  ? wcs.equinox
                                                   : radesys.starts_with("FK4") ? 1950
                                                                                : 2000);
  if (frame) {
    found.frame = *frame;
    return;
  }
  const std::string equinox = has_equinox ? " of equinox " + std::to_string(wcs.equinox).substr(0, 6) : "";
  drop("the WCS gives " + axes + " in " + radesys + equinox +
       "; equatorial coordinates in ICRS, FK5 and FK4, galactic, supergalactic and ecliptic ones are supported");
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
  find_frame(found);
  return found;
}

}  // namespace srcextract
