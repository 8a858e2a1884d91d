#include "pipeline/exposure/open_positions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "io/wcs/wcs.hpp"
#include "stages/catalogue/position_columns.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
std::int64_t OpenPositions::outside(const Shape& shape) const {
  return std::ranges::count_if(places, [&](const ForcedPosition& at) { return !is_on_image(at, shape); });
}

OpenPositions place_positions(const PositionList& list, const std::string& header, const std::string& name,
                              const Cpu& where) {
  OpenPositions positions{list};
  std::vector<double> x, y;
  if (!list.alpha.empty()) {
    const std::string reason = find_on_image(header, list.alpha, list.delta, x, y, where);
    positions.by_sky = reason.empty();
    if (!positions.by_sky && list.x.empty())
      throw Error(ErrorKind::input, name + ": the positions of " + list.path +
                                        " are on the sky, and the image does not tell where that is: " + reason +
                                        "; give it a celestial WCS, or the list X_IMAGE and Y_IMAGE");
  }
  const std::vector<double>&of_x = positions.by_sky ? x : list.x, &of_y = positions.by_sky ? y : list.y;
  for (std::size_t i = 0; i < of_x.size(); ++i) {
    ForcedPosition& at = positions.places.emplace_back(ForcedPosition{of_x[i] - 1, of_y[i] - 1});
    if (!list.a.empty()) at.a = list.a[i], at.b = list.b[i], at.theta = list.theta[i];
    if (!list.kron_radius.empty()) at.kron_radius = list.kron_radius[i];
  }
  return positions;
}

void name_positions(const OpenPositions& positions, const Shape& shape, const Config& config, Sources& sources) {
  constexpr double drawn = 3;  // semi-axes of drawn ellipses in units of A_IMAGE and B_IMAGE
  const PositionList& list = positions.list;
  if (!list.number.empty()) sources[columns::number] = list.number;
  auto &x = sources[columns::x_image], &y = sources[columns::y_image], &a = sources[columns::a_image],
       &b = sources[columns::b_image], &theta = sources[columns::theta_image],
       &background = sources[columns::background];
  for (std::size_t row = 0; row < positions.places.size(); ++row) {
    const ForcedPosition& at = positions.places[row];
    const bool given = !positions.by_sky;
    x[row] = given ? list.x[row] : at.x + 1;
    y[row] = given ? list.y[row] : at.y + 1;
    const bool ellipse = !list.a.empty();
    a[row] = ellipse ? at.a : config.measurement.apertures.front() / 2 / drawn;
    b[row] = ellipse ? at.b : a[row];
    theta[row] = ellipse ? std::remainder(at.theta, 180) : 0;
    sources[columns::npix][row] = 0;
    if (!fits_crowd(config)) sources[columns::flags][row] &= static_cast<std::int16_t>(~flag::at_edge);
    if (!is_on_image(at, shape)) background[row] = undefined_value;
  }
}

void name_sky_positions(const OpenPositions& positions, Sources& sources) {
  if (positions.list.alpha.empty()) return;
  if (!sources.has(columns::alpha_j2000)) {  // the image has no WCS, and was measured by pixels
    for (const ColumnOf<SkyPosition>& column : sky_position_columns)
      add_column(column, CatalogPart::sky, sources, Cpu{}, [](auto, std::size_t) { return 0.0; });
  }
  auto &right_ascension = sources[columns::alpha_j2000], &declination = sources[columns::delta_j2000];
  for (std::size_t row = 0; row < right_ascension.size(); ++row) {
    double alpha = std::fmod(positions.list.alpha[row], 360);
    if (alpha < 0) alpha += 360;
    right_ascension[row] = alpha;
    declination[row] = positions.list.delta[row];
  }
}

}  // namespace srcextract
