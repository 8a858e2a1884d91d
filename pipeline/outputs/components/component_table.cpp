#include "pipeline/outputs/components/component_table.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "io/wcs/direction.hpp"
#include "io/wcs/look_at_sky.hpp"
#include "pipeline/outputs/components/cube_columns.hpp"
#include "stages/fit/fitted_ellipse.hpp"

namespace srcextract {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A row of the table with positions and ellipses on the sky.
struct ComponentOnSky {
  const ComponentRow* row = nullptr;
  SkyPosition place = {nan, nan}, brightest = {nan, nan};
  SkySteps steps;  ///< steps on the sky, at `place`, of one pixel in x and in y
  FittedEllipse seen, deconvolved, seen_in_image, deconvolved_in_image;
  bool resolved = false;

  /// Converts pixel values to Jy/beam, if their unit is known.
  double factor() const { return row->beam.to_jansky > 0 ? row->beam.to_jansky : 1; }
  double error(FittedValue value) const { return std::sqrt(row->covariance[value][value]); }
  /// The covariance of the position along two directions on the sky, in deg^2. `one` and `other` are degrees along the
  /// direction per pixel in x and per pixel in y.
  double sky_covariance(const std::array<double, 2>& one, const std::array<double, 2>& other) const {
    double sum = 0;
    for (std::size_t a = 0; a < 2; ++a)
      for (std::size_t b = 0; b < 2; ++b) sum += one[a] * row->covariance[of_x + a][of_x + b] * other[b];
    return sum;
  }
  double sky_error(const std::array<double, 2>& direction) const {
    return std::sqrt(sky_covariance(direction, direction));
  }
  double brightest_error(const std::array<double, 2>& direction) const {
    const double x = direction[0] * row->xmax_error, y = direction[1] * row->ymax_error;
    return std::sqrt(std::max(0.0, x * x + y * y + 2 * direction[0] * direction[1] * row->xymax_covariance));
  }
  /// Whether the source is larger than the beam, and the total flux exceeds the peak by more than two standard errors
  /// of their ratio.
  bool is_resolved() const {
    const double ratio = row->total / row->peak;
    const auto& of = row->covariance;
    const double relative = of[of_total_flux][of_total_flux] / (row->total * row->total) +
                            of[of_peak_flux][of_peak_flux] / (row->peak * row->peak) -
                            2 * of[of_peak_flux][of_total_flux] / (row->total * row->peak);
    return deconvolved.extended && ratio > 1 + 2 * ratio * std::sqrt(std::max(relative, 0.0));
  }
};

/// Steps on the sky, in degrees, of one pixel along x and y for an image without a WCS: square pixels, north up, east
/// left.
SkySteps plain_steps(double pixel_scale) {
  const double side = pixel_scale / arcseconds;
  return {{-side, 0}, {0, side}};
}

void find_ellipses(const GaussianShape& beam, double side, ComponentOnSky& one) {
  const MeasuredSpread seen = measured_spread(*one.row), alone = without_beam(seen, beam);
  one.seen = ellipse_of(turned(seen, one.steps.north, one.steps.east));
  one.deconvolved = ellipse_of(turned(alone, one.steps.north, one.steps.east));
  // Angles count from the y axis, anticlockwise.
  const std::array<double, 2> up = {0, side}, left = {-side, 0};
  one.seen_in_image = ellipse_of(turned(seen, up, left));
  one.deconvolved_in_image = ellipse_of(turned(alone, up, left));
  one.resolved = one.is_resolved();
  if (one.resolved) return;
  // Because of noise, about four of five point sources appear larger than the beam. An unresolved source therefore gets
  // an upper limit of the size instead.
  one.deconvolved = {.major_limit = one.deconvolved.major_limit};
  one.deconvolved_in_image = {};
}

std::vector<ComponentOnSky> on_sky(const std::vector<ComponentRow>& rows, const std::string& header,
                                   const Config& config, const Cpu& where) {
  std::vector<ComponentOnSky> out(rows.size());
  std::vector<double> x, y;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out[i].row = &rows[i];
    out[i].steps = plain_steps(config.measurement.pixel_scale);
    x.insert(x.end(), {rows[i].x + 1, rows[i].xmax + 1});
    y.insert(y.end(), {rows[i].y + 1, rows[i].ymax + 1});
  }
  look_at_sky(
      header, x, y,
      [&](std::size_t i, const LocalSky& sky) {
        ComponentOnSky& one = out[i / 2];
        (i % 2 == 0 ? one.place : one.brightest) = sky.j2000;
        if (i % 2 == 0) one.steps = sky.j2000_steps;
      },
      where);
  const PixelBeam& beam = *config.resources.beam;
  // Area of a pixel, arcsec^2, by which sizes in the image are told: where pixels differ, that of the map's beam.
  const double area = config.beam.fwhm[0] * config.beam.fwhm[1] / (beam.major * beam.minor);
  for (ComponentOnSky& one : out) find_ellipses(shape_of(one.row->beam), std::sqrt(area) / arcseconds, one);
  return out;
}

/// Makes a table of these rows, column by column.
class Builder {
 public:
  explicit Builder(const std::vector<ComponentOnSky>& rows) : rows_(rows) {
    table_.rows = static_cast<std::int64_t>(rows.size());
  }

  using Real = std::function<double(const ComponentOnSky&)>;

  void whole(const char* name, const char* ucd, const char* description,
             const std::function<std::int32_t(const ComponentOnSky&, std::size_t)>& of) {
    std::vector<std::int32_t> values;
    for (std::size_t i = 0; i < rows_.size(); ++i) values.push_back(of(rows_[i], i));
    add(name, "", ucd, description, std::move(values));
  }
  void real(const std::string& name, const std::string& unit, const std::string& ucd, const std::string& description,
            const Real& of) {
    std::vector<double> values;
    for (const ComponentOnSky& row : rows_) values.push_back(of(row));
    add(name, unit, ucd, description, std::move(values));
  }
  void with_error(const std::string& name, const std::string& unit, const std::string& ucd,
                  const std::string& description, const Real& of, const Real& error) {
    real(name, unit, ucd, description, of);
    real("E_" + name, unit, "stat.error;" + ucd.substr(0, ucd.find(";meta.main")), "standard error of " + name, error);
  }
  void text(const char* name, const char* ucd, const char* description,
            const std::function<std::string(const ComponentOnSky&)>& of) {
    std::vector<std::string> values;
    for (const ComponentOnSky& row : rows_) values.push_back(of(row));
    add(name, "", ucd, description, std::move(values));
  }
  Table take() { return std::move(table_); }

 private:
  template <class Values>
  void add(const std::string& name, const std::string& unit, const std::string& ucd, const std::string& description,
           Values values) {
    table_.columns.push_back({name, unit, ucd, description, std::move(values)});
  }

  const std::vector<ComponentOnSky>& rows_;
  Table table_;
};

using EllipseOf = FittedEllipse ComponentOnSky::*;

void add_ellipse(const std::string& prefix, const std::string& suffix, const std::string& what, EllipseOf of,
                 Builder& to) {
  const auto size = [&](const char* name, const char* ucd, double FittedEllipse::*width, double FittedEllipse::*error) {
    to.with_error(
        prefix + name + suffix, "deg", ucd, what, [=](const ComponentOnSky& c) { return c.*of.*width; },
        [=](const ComponentOnSky& c) { return c.*of.*error; });
  };
  size("Maj", "phys.angSize.smajAxis", &FittedEllipse::major, &FittedEllipse::major_error);
  size("Min", "phys.angSize.sminAxis", &FittedEllipse::minor, &FittedEllipse::minor_error);
  size("PA", "pos.posAng", &FittedEllipse::angle, &FittedEllipse::angle_error);
}

void add_ellipses(Builder& to) {
  add_ellipse("", "", "FWHM on the sky, PA from north through east", &ComponentOnSky::seen, to);
  add_ellipse("", "_img_plane", "FWHM in the image, PA from its y axis anticlockwise", &ComponentOnSky::seen_in_image,
              to);
  add_ellipse("DC_", "", "FWHM on the sky without the beam; 0: not resolved", &ComponentOnSky::deconvolved, to);
  add_ellipse("DC_", "_img_plane", "FWHM in the image without the beam; 0: not resolved",
              &ComponentOnSky::deconvolved_in_image, to);
}

void add_pixels(const std::string& suffix, const std::string& what, double ComponentRow::*x, double ComponentRow::*y,
                const Builder::Real& x_error, const Builder::Real& y_error, Builder& to) {
  to.with_error(
      "Xposn" + suffix, "pixel", "pos.cartesian.x;instr.det", what + ", the first pixel is 0",
      [=](const ComponentOnSky& c) { return c.row->*x; }, x_error);
  to.with_error(
      "Yposn" + suffix, "pixel", "pos.cartesian.y;instr.det", what + ", the first pixel is 0",
      [=](const ComponentOnSky& c) { return c.row->*y; }, y_error);
}

void add_brightest(Builder& to) {
  to.with_error(
      "RA_max", "deg", "pos.eq.ra", "right ascension of the brightest place of the model",
      [](const ComponentOnSky& c) { return c.brightest.alpha; },
      [](const ComponentOnSky& c) { return c.brightest_error(c.steps.east); });
  to.with_error(
      "DEC_max", "deg", "pos.eq.dec", "declination of the brightest place of the model",
      [](const ComponentOnSky& c) { return c.brightest.delta; },
      [](const ComponentOnSky& c) { return c.brightest_error(c.steps.north); });
}

void add_place_and_flux(const std::string& total_unit, const std::string& peak_unit, Builder& to) {
  to.with_error(
      "RA", "deg", "pos.eq.ra;meta.main", "right ascension, J2000; its error is an arc on the sky",
      [](const ComponentOnSky& c) { return c.place.alpha; },
      [](const ComponentOnSky& c) { return c.sky_error(c.steps.east); });
  to.with_error(
      "DEC", "deg", "pos.eq.dec;meta.main", "declination, J2000", [](const ComponentOnSky& c) { return c.place.delta; },
      [](const ComponentOnSky& c) { return c.sky_error(c.steps.north); });
  to.with_error(
      "Total_flux", total_unit, "phot.flux.density;em.radio", "integrated flux density",
      [](const ComponentOnSky& c) { return c.factor() * c.row->total; },
      [](const ComponentOnSky& c) { return c.factor() * c.error(of_total_flux); });
  to.with_error(
      "Peak_flux", peak_unit, "phot.flux.density;stat.max;em.radio", "peak of the model above the level",
      [](const ComponentOnSky& c) { return c.factor() * c.row->peak; },
      [](const ComponentOnSky& c) { return c.factor() * c.error(of_peak_flux); });
}

void add_island(const std::string& total_unit, const std::string& peak_unit, Builder& to) {
  to.with_error(
      "Isl_Total_flux", total_unit, "phot.flux.density;em.radio", "sum over the pixels of the island",
      [](const ComponentOnSky& c) { return c.factor() * c.row->of_island.total; },
      [](const ComponentOnSky& c) { return c.factor() * c.row->of_island.total_error; });
  const auto fact = [&](const char* name, const char* ucd, const char* description, double IslandFacts::*of) {
    to.real(name, peak_unit, ucd, description,
            [=](const ComponentOnSky& c) { return c.factor() * c.row->of_island.*of; });
  };
  fact("Isl_rms", "stat.stdev;phot.flux.density", "noise of a pixel at the island's peak", &IslandFacts::rms);
  fact("Isl_mean", "stat.mean;phot.flux.density", "level that was subtracted", &IslandFacts::level);
  fact("Resid_Isl_rms", "stat.stdev;stat.fit", "root mean square of the island's residual", &IslandFacts::residual_rms);
  fact("Resid_Isl_mean", "stat.mean;stat.fit", "mean of the island's residual", &IslandFacts::residual_mean);
}

void add_further(Builder& to) {
  to.whole("FLAG", "meta.code.qual", fit_flag::description,
           [](const ComponentOnSky& c, std::size_t) { return std::int32_t{c.row->flags}; });
  to.whole("RESOLVED", "meta.code",
           "1: size and flux exceed those of a point by more than two standard errors; else DC_Maj is 0",
           [](const ComponentOnSky& c, std::size_t) { return std::int32_t{c.resolved}; });
  to.real("DC_MAJ_LIM", "deg", "phys.angSize.smajAxis;stat.max",
          "upper limit of DC_Maj at two standard errors; NaN: the shape was not fitted",
          [](const ComponentOnSky& c) { return c.deconvolved.major_limit; });
  to.real("COV_RA_DEC", "deg2", "stat.covariance;pos.eq", "covariance of both errors of the place",
          [](const ComponentOnSky& c) { return c.sky_covariance(c.steps.east, c.steps.north); });
  to.real("FIT_CHI2", "", "stat.fit.chi2", "squared residuals in units of the noise, a degree of freedom",
          [](const ComponentOnSky& c) { return c.row->chi2; });
  to.whole("FIT_ROUNDS", "meta.number", "trial steps of the fit",
           [](const ComponentOnSky& c, std::size_t) { return c.row->rounds; });
  to.whole("NPIX_FIT", "meta.number;instr.pixel", "pixels of the fit",
           [](const ComponentOnSky& c, std::size_t) { return c.row->pixels; });
}

const char* text_of(SourceCode code) {
  return code == SourceCode::single ? "S" : code == SourceCode::companion ? "C" : "M";
}

}  // namespace

Table component_table(ComponentTable kind, const FittedIslands& islands, const std::string& header,
                      const std::string& pixel_unit, const Config& config, const Cpu& where) {
  const bool sources = kind == ComponentTable::srl;
  const std::vector<ComponentOnSky> rows = on_sky(sources ? islands.sources : islands.gaussians, header, config, where);
  const double to_jansky = config.resources.beam->to_jansky;
  const bool known = to_jansky > 0;
  const std::string total_unit = known ? "Jy" : "", peak_unit = known ? "Jy/beam" : pixel_unit;
  Builder table(rows);
  if (!sources)
    table.whole("Gaus_id", "meta.id", "number of the Gaussian, from 1",
                [](const ComponentOnSky&, std::size_t i) { return static_cast<std::int32_t>(i) + 1; });
  const auto source = [&] {
    table.whole("Source_id", sources ? "meta.id;meta.main" : "meta.id.parent", "number of the source, from 1",
                [](const ComponentOnSky& c, std::size_t) { return c.row->source; });
  };
  const auto island = [&] {
    table.whole("Isl_id", "meta.id.parent", "number of the island: NUMBER of the catalogue",
                [](const ComponentOnSky& c, std::size_t) { return c.row->island; });
  };
  if (sources) source();
  island();
  if (!sources) {
    source();
    table.whole("Wave_id", "meta.id", "0: as PyBDSF without wavelets",
                [](const ComponentOnSky&, std::size_t) { return 0; });
  }
  add_place_and_flux(total_unit, peak_unit, table);
  if (sources) add_brightest(table);
  add_pixels(
      "", "centre", &ComponentRow::x, &ComponentRow::y, [](const ComponentOnSky& c) { return c.error(of_x); },
      [](const ComponentOnSky& c) { return c.error(of_y); }, table);
  if (sources)
    add_pixels(
        "_max", "brightest place of the model", &ComponentRow::xmax, &ComponentRow::ymax,
        [](const ComponentOnSky& c) { return c.row->xmax_error; },
        [](const ComponentOnSky& c) { return c.row->ymax_error; }, table);
  add_ellipses(table);
  add_island(total_unit, peak_unit, table);
  table.text("S_Code", "meta.code.class", "S: one Gaussian in its island, C: one of several, M: several or moments",
             [](const ComponentOnSky& c) { return std::string(text_of(c.row->code)); });
  add_further(table);
  if (islands.reliability)
    table.real("RELIABILITY", "", "stat.probability",
               "share of sources of its S/N that are real, by those of the negated map",
               [](const ComponentOnSky& c) { return c.row->reliability; });
  Table out = table.take();
  add_cube_columns(kind, islands, out);
  return out;
}

}  // namespace srcextract
