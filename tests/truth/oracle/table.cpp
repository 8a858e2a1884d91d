#include "tests/truth/oracle/table.hpp"

#include <cmath>
#include <iomanip>
#include <numbers>
#include <ostream>
#include <string>
#include <utility>

namespace srcextract::oracle {
namespace {

using Row = std::vector<std::pair<std::string, double>>;

void add_flux(const std::string& name, const Flux& flux, Row& row) {
  row.emplace_back("FLUX_" + name, flux.value);
  row.emplace_back("FLUXERR_" + name, std::sqrt(flux.variance));
}

void add_moments(const std::string& before, const std::string& after, double x2, double y2, double xy, Row& row) {
  row.emplace_back(before + "X2" + after, x2);
  row.emplace_back(before + "Y2" + after, y2);
  row.emplace_back(before + "XY" + after, xy);
}

void add_ellipse(const std::string& before, const std::string& after, const Ellipse& e, Row& row) {
  row.insert(row.end(), {{before + "A" + after, e.a},
                         {before + "B" + after, e.b},
                         {before + "THETA" + after, e.theta * 180 / std::numbers::pi},
                         {before + "CXX" + after, e.cxx},
                         {before + "CYY" + after, e.cyy},
                         {before + "CXY" + after, e.cxy}});
}

void add_isophote(const Object& object, Row& row) {
  const Shape& shape = object.shape;
  const auto number = [](long value) { return static_cast<double>(value); };
  row.insert(row.end(), {{"ID_PARENT", object.parent},
                         {"X_IMAGE", shape.x + 1},
                         {"Y_IMAGE", shape.y + 1},
                         {"ISOAREAF_IMAGE", number(object.filtered_area)},
                         {"ISOAREA_IMAGE", number(object.analysis_area)},
                         {"XMIN_IMAGE", object.x_min + 1},
                         {"XMAX_IMAGE", object.x_max + 1},
                         {"YMIN_IMAGE", object.y_min + 1},
                         {"YMAX_IMAGE", object.y_max + 1},
                         {"XPEAK_IMAGE", object.x_peak + 1},
                         {"YPEAK_IMAGE", object.y_peak + 1},
                         {"THRESHOLD", object.threshold},
                         {"BACKGROUND", object.sky},
                         {"FLUX_MAX", object.peak},
                         {"FWHM_IMAGE", object.fwhm},
                         {"FWHM_PIXELS", object.fwhm_pixels}});
  for (std::size_t i = 0; i < object.iso.size(); ++i) row.emplace_back("ISO" + std::to_string(i), object.iso[i]);
  add_flux("ISO", {object.flux, object.variance}, row);
  add_flux("ISOCOR", object.iso_corrected, row);
  add_moments("", "_IMAGE", shape.x2, shape.y2, shape.xy, row);
  add_ellipse("", "_IMAGE", shape.ellipse, row);
  add_moments("ERR", "_IMAGE", object.err_x2, object.err_y2, object.err_xy, row);
  add_ellipse("ERR", "_IMAGE", object.err_ellipse, row);
}

void add_photometry(const Object& object, const Settings& settings, Row& row) {
  for (std::size_t i = 0; i < object.aper.size(); ++i) add_flux("APER_" + std::to_string(i), object.aper[i], row);
  for (std::size_t i = 0; i < object.flux_radius.size(); ++i) {
    row.emplace_back("FLUX_RADIUS_" + std::to_string(i), object.flux_radius[i]);
  }
  if (settings.automatic) {
    add_flux("AUTO", object.automatic.flux, row);
    row.emplace_back("KRON_RADIUS", object.automatic.scale);
  }
  if (settings.petro) {
    add_flux("PETRO", object.petro.flux, row);
    row.emplace_back("PETRO_RADIUS", object.petro.scale);
  }
}

void add_window(const Windowed& window, Row& row) {
  row.insert(row.end(), {{"XWIN_IMAGE", window.x + 1},
                         {"YWIN_IMAGE", window.y + 1},
                         {"SNR_WIN", window.flux.value / std::sqrt(window.flux.variance)},
                         {"NITER_WIN", window.rounds},
                         {"FLAGS_WIN", window.flags}});
  add_flux("WIN", window.flux, row);
  add_moments("", "WIN_IMAGE", window.x2, window.y2, window.xy, row);
  add_moments("ERR", "WIN_IMAGE", window.err_x2, window.err_y2, window.err_xy, row);
}

}  // namespace

void write_table(std::ostream& out, const std::vector<Object>& objects, const Settings& settings) {
  bool named = false;
  out << std::setprecision(17);
  for (const Object& object : objects) {
    if (object.absorbed_by >= 0) continue;
    Row row;
    add_isophote(object, row);
    add_photometry(object, settings, row);
    if (settings.win) add_window(object.window, row);
    row.emplace_back("FLAGS", object.flags);
    if (!named) {
      for (const auto& [name, value] : row) out << name << ' ';
      out << '\n';
      named = true;
    }
    for (const auto& [name, value] : row) out << value << ' ';
    out << '\n';
  }
}

}  // namespace srcextract::oracle
