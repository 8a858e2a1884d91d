#pragma once

#include <cstddef>
#include <cstdint>

#include "stages/catalogue/declared_columns.hpp"
#include "stages/measure/columns.hpp"
#include "stages/measure/ellipse.hpp"

namespace srcextract {

struct SourceSky {
  double level;      ///< level that was subtracted, including the local sky
  double sigma;      ///< noise of one pixel
  double threshold;  ///< detection threshold above `level`
};

/// All data about one source from which its usual columns are computed.
struct UsualRow {
  std::size_t row;
  const SourceSums& found;     ///< sums in the detection image
  const SourceSums& own;       ///< as `found`, without the pixels of sources that CLEAN absorbed
  const SourceSums& measured;  ///< sums in the measured image
  Parentage parentage;
  bool edge;
  SourceOffset position;
  Ellipse ellipse;
  SourceSky sky;
  double background;  ///< level that is subtracted from pixels in fluxes: levels.background plus the local sky
  double flux;        ///< isophotal flux above `background`
  double error;
  std::int64_t area;  ///< number of pixels above the analysis threshold
};

/// A usual column and its formula. The catalogue has the column only if is_there(sums) is true.
struct UsualColumn : ColumnOf<UsualRow> {
  bool (*is_there)(const MeasuredSums&);

  template <class Name, class Value>
  constexpr UsualColumn(
      Name name, const char* unit, const char* ucd, const char* description, Value value, bool image = of_found,
      bool (*there)(const MeasuredSums&) = [](const MeasuredSums&) { return true; })
      : ColumnOf(name, unit, ucd, description, usual_group, value, image), is_there(there) {}
};

/// All usual columns, in catalogue order. A new column needs an entry here and a note for the documentation
/// (scripts/config_documents/default_column_notes.cpp).
inline constexpr UsualColumn usual_columns[] = {
    {columns::number, "", "meta.record", "Running number, in raster order of the first pixel",
     [](const UsualRow& s) { return static_cast<std::int32_t>(s.row + 1); }},
    {columns::x_image, "pixel", "pos.cartesian.x;instr.det", "Intensity-weighted x, 1-based",
     [](const UsualRow& s) { return s.own.xmin + s.position.x + 1; }},
    {columns::y_image, "pixel", "pos.cartesian.y;instr.det", "Intensity-weighted y, 1-based",
     [](const UsualRow& s) { return s.own.ymin + s.position.y + 1; }},
    {columns::xmin_image, "pixel", "pos.cartesian.x;instr.det;stat.min", "Smallest x of a detected pixel",
     [](const UsualRow& s) { return s.found.xmin + 1; }},
    {columns::xmax_image, "pixel", "pos.cartesian.x;instr.det;stat.max", "Largest x of a detected pixel",
     [](const UsualRow& s) { return s.found.xmax + 1; }},
    {columns::ymin_image, "pixel", "pos.cartesian.y;instr.det;stat.min", "Smallest y of a detected pixel",
     [](const UsualRow& s) { return s.found.ymin + 1; }},
    {columns::ymax_image, "pixel", "pos.cartesian.y;instr.det;stat.max", "Largest y of a detected pixel",
     [](const UsualRow& s) { return s.found.ymax + 1; }},
    {columns::xpeak_image, "pixel", "pos.cartesian.x;instr.det;phot.flux;stat.max", "x of the brightest pixel",
     [](const UsualRow& s) { return s.found.xpeak + 1; }},
    {columns::ypeak_image, "pixel", "pos.cartesian.y;instr.det;phot.flux;stat.max", "y of the brightest pixel",
     [](const UsualRow& s) { return s.found.ypeak + 1; }},
    {columns::npix, "pixel", "phys.angArea;instr.pixel", "Number of detected pixels",
     [](const UsualRow& s) { return s.found.npix; }},
    {columns::isoarea_image, "pixel", "phys.angArea;instr.pixel", "Number of its pixels above the analysis threshold",
     [](const UsualRow& s) { return s.area; }, of_measured,
     [](const MeasuredSums& sums) { return sums.areas.has_value(); }},
    {columns::flux_iso, pixel_sum_unit, "phot.flux", "Sum of the detected pixels above BACKGROUND",
     [](const UsualRow& s) { return s.flux; }, of_measured},
    {columns::fluxerr_iso, pixel_sum_unit, "stat.error;phot.flux", "RMS error of FLUX_ISO",
     [](const UsualRow& s) { return s.error; }, of_measured},
    {columns::flux_max, pixel_value_unit, "phot.flux;stat.max", "Brightest pixel above BACKGROUND",
     [](const UsualRow& s) { return static_cast<double>(s.measured.peak) - s.background; }, of_measured},
    {columns::x2_image, "pixel**2", "stat.variance;pos.cartesian.x;instr.det", "Variance along x",
     [](const UsualRow& s) { return s.ellipse.x2; }},
    {columns::y2_image, "pixel**2", "stat.variance;pos.cartesian.y;instr.det", "Variance along y",
     [](const UsualRow& s) { return s.ellipse.y2; }},
    {columns::xy_image, "pixel**2", "stat.covariance;pos.cartesian;instr.det", "Covariance of x and y",
     [](const UsualRow& s) { return s.ellipse.xy; }},
    {columns::a_image, "pixel", "phys.angSize.smajAxis;instr.det", "Profile RMS along the major axis",
     [](const UsualRow& s) { return s.ellipse.a; }},
    {columns::b_image, "pixel", "phys.angSize.sminAxis;instr.det", "Profile RMS along the minor axis",
     [](const UsualRow& s) { return s.ellipse.b; }},
    {columns::theta_image, "deg", "pos.posAng;instr.det", "Angle of the major axis, from x towards y",
     [](const UsualRow& s) { return s.ellipse.theta; }},
    {columns::background, pixel_value_unit, "instr.background", "Level subtracted from the pixels",
     [](const UsualRow& s) { return s.sky.level; }, of_measured},
    {columns::threshold, pixel_value_unit, "instr.sensitivity", "Detection threshold above BACKGROUND",
     [](const UsualRow& s) { return s.sky.threshold; }},
    {columns::snr, "", "stat.snr", "FLUX_ISO / FLUXERR_ISO",
     [](const UsualRow& s) { return s.error == 0 ? undefined_value : s.flux / s.error; }, of_measured},
    {columns::flags, "", "meta.code", flag::description,
     [](const UsualRow& s) {
       return static_cast<std::int16_t>((s.found.near_masked != 0 ? flag::masked_pixels : 0) |
                                        (s.edge ? flag::at_edge : 0) | (s.parentage.split != 0 ? flag::deblended : 0));
     },
     of_measured},
    {columns::id_parent, "", "meta.id.parent", "Number of the group of pixels that it was deblended from",
     [](const UsualRow& s) { return s.parentage.parent; }, of_found,
     [](const MeasuredSums& sums) { return sums.deblended; }},
};

/// Column that tells whether a source is brighter (1) or fainter (-1) than the sky. The column follows the columns of
/// flag maps, and exists only if fainter sources were searched for.
inline constexpr ColumnOf<std::int16_t> sign_column = {columns::sign, "",
                                                       "meta.code",   "1 brighter than the sky, -1 fainter",
                                                       usual_group,   [](const std::int16_t& side) { return side; },
                                                       of_found};

}  // namespace srcextract
