#include "io/wcs.hpp"

#include <wcslib/wcs.h>
#include <wcslib/wcsfix.h>
#include <wcslib/wcshdr.h>
#include <wcslib/wcsmath.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <numbers>
#include <string_view>
#include <vector>

#include "io/celestial_cards.hpp"
#include "io/wcslib_lock.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

const char* const no_celestial_wcs = "the header has no celestial WCS (CTYPE1, CTYPE2)";

namespace {

struct FreeWcs {
  void operator()(wcsprm* wcs) const {
    wcsfree(wcs);
    delete wcs;
  }
};
using Wcs = std::unique_ptr<wcsprm, FreeWcs>;

/// A coordinate system, or the reason why there is none.
struct Found {
  Wcs wcs;
  std::string reason;
};

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

Found none(const std::string& reason) {
  return {nullptr, reason};
}

/// The part of the primary description (no alternative letter) that belongs to the axes of the image. A cube's other
/// axes have no say in the sky position.
Found image_axes(wcsprm* descriptions, int count) {
  wcsprm* primary = std::find_if(descriptions, descriptions + count, [](const wcsprm& w) { return w.alt[0] == ' '; });
  if (primary == descriptions + count || primary->naxis < 2) return none(no_celestial_wcs);
  int naxis = 2;
  int axes[] = {1, 2};
  Wcs wcs(new wcsprm{});
  wcs->flag = -1;
  const int status = wcssub(1, primary, &naxis, axes, wcs.get());
  if (status == WCSERR_NON_SEPARABLE) return none("the WCS mixes the first two axes with others");
  if (status != 0) return none(std::string("the WCS cannot be used: wcslib says ") + wcs_errmsg[status]);
  return {std::move(wcs), ""};
}

/// Reads and sets up the WCS. Coordinates looked up in a table (-TAB) are not supported: the table is in another HDU,
/// and it is spectral and time axes that use it, not the sky.
Found parse(const std::string& header) {
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
  Found found = image_axes(descriptions, count);
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

/// Galactic to ICRS, degrees. The rows of the matrix are the galactic axes in ICRS, from the definition in The
/// Hipparcos and Tycho Catalogues (ESA 1997, vol. 1, 1.5.3): pole at 192.85948, +27.12825, node at l = 32.93192.
void galactic_to_icrs(double& longitude, double& latitude) {
  constexpr double axis[3][3] = {{-0.054875560416215368, -0.873437090234885049, -0.483835015548713227},
                                 {+0.494109427875583674, -0.444829629960011178, +0.746982244497218891},
                                 {-0.867666149019004701, -0.198076373431201528, +0.455983776175066922}};
  constexpr double degree = std::numbers::pi / 180;
  const double l = longitude * degree;
  const double b = latitude * degree;
  const double galactic[] = {std::cos(b) * std::cos(l), std::cos(b) * std::sin(l), std::sin(b)};
  double icrs[3] = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) icrs[j] += axis[i][j] * galactic[i];
  }
  longitude = std::atan2(icrs[1], icrs[0]) / degree;
  latitude = std::atan2(icrs[2], std::hypot(icrs[0], icrs[1])) / degree;
}

/// Positions that a thread computes at a time; bounds the work space.
constexpr std::int64_t batch = 16384;

/// Sky positions of sources [first, first + count); NaN where the projection has no sky, as off the edge of an all-sky
/// map.
/// Returns wcslib's reason if it cannot evaluate the description at all.
std::string fill(wcsprm& wcs, bool galactic, std::size_t first, std::size_t count, Sources& sources) {
  std::vector<double> pixel(2 * count), intermediate(2 * count), phi(count), theta(count), world(2 * count);
  std::vector<int> bad(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    pixel[2 * i] = sources.x_image[first + i];
    pixel[2 * i + 1] = sources.y_image[first + i];
  }
  const int status = wcsp2s(&wcs, static_cast<int>(count), 2, pixel.data(), intermediate.data(), phi.data(),
                            theta.data(), world.data(), bad.data());
  if (status != 0 && status != WCSERR_BAD_PIX) {
    return std::string("wcslib cannot evaluate the WCS (") + wcs_errmsg[status] +
           "); check its CRVAL, CD and projection keywords";
  }
  for (std::size_t i = 0; i < count; ++i) {
    double longitude = world[2 * i + static_cast<std::size_t>(wcs.lng)];
    double latitude = world[2 * i + static_cast<std::size_t>(wcs.lat)];
    if (galactic) galactic_to_icrs(longitude, latitude);
    if (longitude < 0) longitude += 360;
    if (longitude >= 360) longitude -= 360;  // also where the sum above rounded up
    const bool valid = bad[i] == 0 && std::isfinite(longitude) && std::isfinite(latitude);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    sources.alpha_j2000[first + i] = valid ? longitude : nan;
    sources.delta_j2000[first + i] = valid ? latitude : nan;
  }
  return "";
}

}  // namespace

std::string add_sky_positions(const std::string& header, Sources& sources, const Cpu& where) {
  Found found = parse(header);
  if (!found.wcs) return found.reason;
  std::string reason = unsupported(*found.wcs);
  if (!reason.empty()) return reason;

  const std::size_t count = sources.x_image.size();
  const bool galactic = text(found.wcs->lngtyp, sizeof(found.wcs->lngtyp)) == "GLON";
  sources.alpha_j2000.resize(count);
  sources.delta_j2000.resize(count);
  std::vector<std::string> reasons(count / batch + 1);
  parallel_for(std::ssize(sources.x_image), batch, where, [&](std::int64_t begin, std::int64_t end) {
    // wcslib writes into a description what goes wrong: every batch but the first parses one of its own.
    const Found own = begin == 0 ? Found{} : parse(header);
    const auto first = static_cast<std::size_t>(begin);
    reasons[first / batch] =
        fill(begin == 0 ? *found.wcs : *own.wcs, galactic, first, static_cast<std::size_t>(end - begin), sources);
  });
  for (const std::string& problem : reasons) {
    if (!problem.empty()) return problem;
  }
  sources.sky = true;
  return "";
}

}  // namespace srcextract
