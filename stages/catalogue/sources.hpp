#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stages/core/stage_record.hpp"

namespace srcextract {

/// Stands for the unit of the image's pixel values; the catalogue writers know the unit.
inline constexpr const char* pixel_value_unit = "pixel value";

/// Stands for the unit of a sum of pixel values. The unit differs from the pixel unit if pixels are per beam or per
/// solid angle.
inline constexpr const char* pixel_sum_unit = "sum of pixel values";

/// The description of one column, written into every format.
struct Column {
  const char* name;         ///< SExtractor's name, if SExtractor has the column
  const char* unit;         ///< FITS unit string, empty if dimensionless; or pixel_value_unit, pixel_sum_unit
  const char* ucd;          ///< IVOA UCD1+ word
  const char* description;  ///< one line
  double tolerance;         ///< largest |CPU - GPU| that `--backend compare` accepts; 0 = equal to the last bit
  /// Matters if sources are found in one image and measured in another. True (of_measured): values follow from the
  /// measured image; false: from the detection image alone.
  bool image = false;
};

/// The true value of Column::image.
inline constexpr bool of_measured = true, of_found = false;

/// The values of a column in the type that is written.
using FurtherValues =
    std::variant<std::vector<double>, std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>>;

/// A column that was requested (measured_columns.hpp), with its values.
struct FurtherColumn {
  Column column;
  std::string name;  ///< full name, with its index if there are several: FLUX_APER_1
  FurtherValues values;
  std::optional<std::string> unit = {};  ///< set if the catalogue writers do not know the unit; none: that of `column`
};

/// The flags of every source from one flag map.
struct MapFlags {
  std::string suffix;  ///< of its column names: none, _1, _2 ..., as Astropy renames SExtractor's IMAFLAGS_ISO(n)
  std::vector<std::int64_t> flags, pixels;
  std::string flags_name = "IMAFLAGS_ISO" + suffix, pixels_name = "NIMAFLAGS_ISO" + suffix;
};

/// The catalogue: one element per source in every vector, in NUMBER order. Positions are already 1-based, as in FITS;
/// angles are in degrees. Without a celestial WCS, `sky` is false and there are no sky positions.
struct Sources {
  std::vector<std::int32_t> number;
  std::vector<double> x_image, y_image;
  std::vector<std::int32_t> xmin_image, xmax_image, ymin_image, ymax_image;
  std::vector<std::int32_t> xpeak_image, ypeak_image;
  std::vector<std::int64_t> npix;
  std::vector<std::int64_t> isoarea_image;
  std::vector<double> flux_iso, fluxerr_iso, flux_max;
  std::vector<double> x2_image, y2_image, xy_image;
  std::vector<double> a_image, b_image, theta_image;
  std::vector<double> background, threshold, snr;
  std::vector<std::int16_t> flags;
  std::vector<std::int32_t> id_parent;
  std::vector<std::int16_t> sign;
  std::vector<MapFlags> map_flags;  ///< of each flag map, in order
  std::vector<double> alpha_j2000, delta_j2000;
  std::vector<FurtherColumn> further;
  bool analysed = false;       ///< there was an analysis threshold; isoarea_image is a column of this catalogue
  bool deblended = false;      ///< id_parent is a column of this catalogue
  bool changes = false;        ///< sources are changes between two frames
  bool has_sign = false;       ///< sign is a column of this catalogue
  bool sky = false;            ///< alpha_j2000 and delta_j2000 are columns of this catalogue
  bool has_apertures = false;  ///< light was summed in apertures, which can set bits of `flags`
  std::optional<std::vector<std::string>> written = {};  ///< common names of the columns to write; none: all columns

  std::int64_t size() const { return static_cast<std::int64_t>(number.size()); }
};

/// Bits of FLAGS. Bits up to 128 are SExtractor's; 32, 64 and 128 (full buffers) are never set here. Bits 1 and 16 need
/// the families of measurements that set them (measured_columns.hpp).
namespace flag {
inline constexpr std::int16_t crowded = 1;          ///< neighbours or bad pixels cover over a tenth of an ellipse
inline constexpr std::int16_t deblended = 2;        ///< was separated from other sources by deblending
inline constexpr std::int16_t saturated = 4;        ///< has a pixel at or above the saturation level
inline constexpr std::int16_t at_edge = 8;          ///< touches the edge of the image: truncated
inline constexpr std::int16_t aperture_cut = 16;    ///< the image cuts the box of an aperture
inline constexpr std::int16_t masked_pixels = 256;  ///< touches masked pixels, which belong to no source
}  // namespace flag

/// The only declaration of the catalogue's columns: calls f(Column, vector) for each, in catalogue order. Writers,
/// comparison, documentation and tests iterate over it. A new column needs a line here, a member above, its formula in
/// stages/measure/columns.cpp, and a test.
template <class SourcesOrConst, class F>
void for_each_column(SourcesOrConst& s, F&& f) {
  f(Column{"NUMBER", "", "meta.record", "Running number, in raster order of the first pixel", 0}, s.number);
  f(Column{"X_IMAGE", "pixel", "pos.cartesian.x;instr.det", "Intensity-weighted x, 1-based", 0}, s.x_image);
  f(Column{"Y_IMAGE", "pixel", "pos.cartesian.y;instr.det", "Intensity-weighted y, 1-based", 0}, s.y_image);
  f(Column{"XMIN_IMAGE", "pixel", "pos.cartesian.x;instr.det;stat.min", "Smallest x of a detected pixel", 0},
    s.xmin_image);
  f(Column{"XMAX_IMAGE", "pixel", "pos.cartesian.x;instr.det;stat.max", "Largest x of a detected pixel", 0},
    s.xmax_image);
  f(Column{"YMIN_IMAGE", "pixel", "pos.cartesian.y;instr.det;stat.min", "Smallest y of a detected pixel", 0},
    s.ymin_image);
  f(Column{"YMAX_IMAGE", "pixel", "pos.cartesian.y;instr.det;stat.max", "Largest y of a detected pixel", 0},
    s.ymax_image);
  f(Column{"XPEAK_IMAGE", "pixel", "pos.cartesian.x;instr.det;phot.flux;stat.max", "x of the brightest pixel", 0},
    s.xpeak_image);
  f(Column{"YPEAK_IMAGE", "pixel", "pos.cartesian.y;instr.det;phot.flux;stat.max", "y of the brightest pixel", 0},
    s.ypeak_image);
  f(Column{"NPIX", "pixel", "phys.angArea;instr.pixel", "Number of detected pixels", 0}, s.npix);
  if (s.analysed)
    f(Column{"ISOAREA_IMAGE", "pixel", "phys.angArea;instr.pixel", "Number of its pixels above the analysis threshold",
             0, of_measured},
      s.isoarea_image);
  f(Column{"FLUX_ISO", pixel_sum_unit, "phot.flux", "Sum of the detected pixels above BACKGROUND", 0, of_measured},
    s.flux_iso);
  f(Column{"FLUXERR_ISO", pixel_sum_unit, "stat.error;phot.flux", "RMS error of FLUX_ISO", 0, of_measured},
    s.fluxerr_iso);
  f(Column{"FLUX_MAX", pixel_value_unit, "phot.flux;stat.max", "Brightest pixel above BACKGROUND", 0, of_measured},
    s.flux_max);
  f(Column{"X2_IMAGE", "pixel**2", "stat.variance;pos.cartesian.x;instr.det", "Variance along x", 0}, s.x2_image);
  f(Column{"Y2_IMAGE", "pixel**2", "stat.variance;pos.cartesian.y;instr.det", "Variance along y", 0}, s.y2_image);
  f(Column{"XY_IMAGE", "pixel**2", "stat.covariance;pos.cartesian;instr.det", "Covariance of x and y", 0}, s.xy_image);
  f(Column{"A_IMAGE", "pixel", "phys.angSize.smajAxis;instr.det", "Profile RMS along the major axis", 0}, s.a_image);
  f(Column{"B_IMAGE", "pixel", "phys.angSize.sminAxis;instr.det", "Profile RMS along the minor axis", 0}, s.b_image);
  f(Column{"THETA_IMAGE", "deg", "pos.posAng;instr.det", "Angle of the major axis, from x towards y", 0},
    s.theta_image);
  f(Column{"BACKGROUND", pixel_value_unit, "instr.background", "Level subtracted from the pixels", 0, of_measured},
    s.background);
  f(Column{"THRESHOLD", pixel_value_unit, "instr.sensitivity", "Detection threshold above BACKGROUND", 0}, s.threshold);
  f(Column{"SNR", "", "stat.snr", "FLUX_ISO / FLUXERR_ISO", 0, of_measured}, s.snr);
  const char* flags_description =
      s.has_apertures
          ? "1 neighbours or masked pixels in apertures, 2 deblended, 4 saturated, 8 touches the image edge, 16 an "
            "aperture is cut, 256 touches masked pixels"
          : "2 deblended, 4 saturated, 8 touches the image edge, 256 touches masked pixels";
  f(Column{"FLAGS", "", "meta.code", flags_description, 0, of_measured}, s.flags);
  if (s.deblended)
    f(Column{"ID_PARENT", "", "meta.id.parent", "Number of the group of pixels that it was deblended from", 0},
      s.id_parent);
  for (auto& map : s.map_flags) {
    const bool first = map.suffix.empty();
    f(Column{map.flags_name.c_str(), "", "meta.code",
             first ? "Flags of its pixels, by the map of flags" : "Flags of its pixels, by one more map of flags", 0,
             of_measured},
      map.flags);
    f(Column{map.pixels_name.c_str(), "", "meta.number;instr.pixel",
             first ? "Number of its pixels that IMAFLAGS_ISO is of" : "Number of its pixels that those flags are of", 0,
             of_measured},
      map.pixels);
  }
  if (s.has_sign) {
    const char* description =
        s.changes ? "1 brighter than the reference, -1 fainter" : "1 brighter than the sky, -1 fainter";
    f(Column{"SIGN", "", "meta.code", description, 0}, s.sign);
  }
  for (auto& further : s.further) {
    Column column = further.column;
    column.name = further.name.c_str();
    if (further.unit) column.unit = further.unit->c_str();
    std::visit([&](auto& values) { f(column, values); }, further.values);
  }
  if (!s.sky) return;
  f(Column{"ALPHA_J2000", "deg", "pos.eq.ra;meta.main", "Right ascension of X_IMAGE, Y_IMAGE (J2000)", 0},
    s.alpha_j2000);
  f(Column{"DELTA_J2000", "deg", "pos.eq.dec;meta.main", "Declination of X_IMAGE, Y_IMAGE (J2000)", 0}, s.delta_j2000);
}

/// The name that columns of several values share: NAME for NAME_1.
inline std::string_view common_name(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
}

/// The columns of a catalogue that are written.
struct WrittenColumns {
  const Sources& sources;
};

template <class F>
void for_each_column(const WrittenColumns& columns, F&& f) {
  const std::optional<std::vector<std::string>>& written = columns.sources.written;
  for_each_column(columns.sources, [&](const Column& column, const auto& values) {
    if (!written || std::ranges::find(*written, common_name(column.name)) != written->end()) f(column, values);
  });
}

inline void record_fields(const Sources& sources, FieldRecorder& to) {
  for_each_column(sources, [&](const Column& column, const auto& values) {
    to.values(column.name, Element::source, std::span(values), column.tolerance);
  });
}

}  // namespace srcextract
