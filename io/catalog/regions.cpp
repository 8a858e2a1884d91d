#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/catalog/text_values.hpp"
#include "io/wcs/direction.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Semi-axes of the drawn ellipses, in units of A_IMAGE and B_IMAGE, which are RMS sizes of the profile.
constexpr double extent = 3;

/// An ellipse for DS9 or CASA, drawn as a point if a semi-axis is not above 0.
struct Region {
  double x, y;   ///< centre in pixels, with 1 at the centre of the first pixel; or in degrees
  double a, b;   ///< semi-axes in pixels; or in arcseconds
  double theta;  ///< angle of the major axis in degrees, from x towards y, or from north to east
  std::string label;

  bool is_point() const { return !(a > 0 && b > 0); }
};

enum class Frame { image, sky };

/// Writes DS9 regions. DS9 counts angles from the x axis; on the sky from west, with 90 degrees at north.
struct Ds9 {
  static std::string begin(Frame frame) {
    return std::string("# Region file format: DS9 version 4.1\n") + (frame == Frame::image ? "image\n" : "icrs\n");
  }

  static void append(std::string& out, const Region& region, Frame frame) {
    const std::string_view of_size = frame == Frame::image ? "" : "\"";
    out += region.is_point() ? "point(" : "ellipse(";
    append_number(out, region.x);
    out += ',';
    append_number(out, region.y);
    if (!region.is_point()) {
      for (const double size : {region.a, region.b}) {
        out += ',';
        append_number(out, size);
        out += of_size;
      }
      out += ',';
      append_number(out, frame == Frame::image ? region.theta : region.theta + 90);
    }
    out += region.is_point() ? ") # point=cross text={" : ") # text={";
    out += region.label + "}\n";
  }
};

/// Writes CASA Region Text Format (CRTF), version 0. CRTF counts pixels from 0, and angles from the y axis or from
/// north.
struct Crtf {
  static std::string begin(Frame frame) {
    return std::string("#CRTFv0 CASA Region Text Format version 0\n") +
           (frame == Frame::image ? "" : "global coord=ICRS\n");
  }

  static void append(std::string& out, const Region& region, Frame frame) {
    const bool image = frame == Frame::image;
    out += region.is_point() ? "symbol[[" : "ellipse[[";
    append_plain(out, image ? region.x - 1 : region.x);
    out += image ? "pix, " : "deg, ";
    append_plain(out, image ? region.y - 1 : region.y);
    out += image ? "pix], " : "deg], ";
    if (region.is_point()) {
      out += "+]";
    } else {
      out += '[';
      append_plain(out, region.a);
      out += image ? "pix, " : "arcsec, ";
      append_plain(out, region.b);
      out += image ? "pix], " : "arcsec], ";
      append_plain(out, image ? from_y(region.theta) : region.theta);
      out += "deg]";
    }
    if (!region.label.empty()) out += ", label='" + region.label + "'";
    out += '\n';
  }

 private:
  /// Converts an angle in degrees from the x axis, in (-90, 90], to the angle from the y axis in the same range.
  static double from_y(double from_x) { return from_x > 0 ? from_x - 90 : from_x + 90; }

  /// Appends a number without exponent, since some readers of CRTF accept no exponents.
  static void append_plain(std::string& out, double value) {
    std::array<char, 1100> digits;
    out.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr);
  }
};

Region region_of(const UsualValues& sources, std::size_t i) {
  // A source of one pixel or one row has a semi-axis of 0. The drawn semi-axis is at least that of a single pixel, in
  // which the variance of a coordinate is 1/12.
  const double smallest = std::sqrt(extent * extent / 12);
  const auto radius = [&](double rms) { return extent * rms > smallest ? extent * rms : smallest; };
  // A source with a total flux of 0 has no centroid. The region is then at the brightest pixel.
  const bool centred = std::isfinite(sources.x_image[i]) && std::isfinite(sources.y_image[i]);
  const double theta = sources.theta_image[i], a = radius(sources.a_image[i]), b = radius(sources.b_image[i]);
  // A source with undefined second moments has no shape, and becomes a point.
  const bool shaped = std::isfinite(sources.a_image[i]) && std::isfinite(sources.b_image[i]) && std::isfinite(a);
  return {.x = centred ? sources.x_image[i] : sources.xpeak_image[i],
          .y = centred ? sources.y_image[i] : sources.ypeak_image[i],
          .a = shaped ? a : 0,
          .b = shaped ? b : 0,
          .theta = std::isfinite(theta) ? theta : 0,
          .label = std::to_string(sources.number[i])};
}

template <class Format>
void write_image_regions(OutputFile& file, const Sources& sources) {
  file.write(Format::begin(Frame::image));
  const UsualValues values(sources);
  write_text_rows(file, sources.size(),
                  [&](std::string& text, std::size_t i) { Format::append(text, region_of(values, i), Frame::image); });
}

/// A column of numbers; at() returns NaN for every row if the table has no such column.
class Numbers {
 public:
  Numbers(const CatalogRows& rows, std::string_view name) {
    for (const CatalogField& field : rows.fields)
      if (field.column.name == name) field_ = &field;
  }

  explicit operator bool() const { return field_ != nullptr; }

  double at(std::size_t row) const {
    if (!field_) return std::numeric_limits<double>::quiet_NaN();
    return std::visit(
        [&]<class T>(const FieldValues<T>& values) {
          if constexpr (std::is_arithmetic_v<T>) {
            return static_cast<double>(values.at(row, 0));
          } else {
            return std::numeric_limits<double>::quiet_NaN();
          }
        },
        field_->values);
  }

 private:
  const CatalogField* field_ = nullptr;
};

template <class Format>
class SkyRegions final : public RowSink {
 public:
  SkyRegions(OutputFile& file, const CatalogRows& rows) : file_(file) {
    for (const char* name : {longitude, latitude}) {
      if (Numbers(rows, name)) continue;
      throw Error(ErrorKind::config, file.path() + ": regions on the sky are drawn at " + longitude + ", " + latitude +
                                         ", and this table has no " + name +
                                         "; extract images with a celestial WCS, with both among output.columns");
    }
    file_.write(Format::begin(Frame::sky));
  }

  void write(const CatalogRows& rows) override {
    const Numbers x(rows, longitude), y(rows, latitude), a(rows, "A_WORLD"), b(rows, "B_WORLD"),
        theta(rows, "THETA_J2000"), number(rows, "NUMBER");
    write_text_rows(file_, rows.count, [&](std::string& text, std::size_t row) {
      Region region{.x = x.at(row),
                    .y = y.at(row),
                    .a = arcseconds * extent * a.at(row),
                    .b = arcseconds * extent * b.at(row),
                    .theta = theta.at(row),
                    .label = {}};
      if (!std::isfinite(region.x) || !std::isfinite(region.y)) return;
      if (!std::isfinite(region.a) || !std::isfinite(region.b) || !std::isfinite(region.theta)) region.a = 0;
      if (number) region.label = std::to_string(static_cast<std::int64_t>(number.at(row)));
      Format::append(text, region, Frame::sky);
    });
  }

 private:
  static constexpr const char *longitude = "ALPHA_J2000", *latitude = "DELTA_J2000";

  OutputFile& file_;
};

}  // namespace

void write_regions(OutputFile& file, const Sources& sources) {
  write_image_regions<Ds9>(file, sources);
}

void write_crtf(OutputFile& file, const Sources& sources) {
  write_image_regions<Crtf>(file, sources);
}

std::unique_ptr<RowSink> region_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                     const CatalogMetadata& /*metadata*/, const Cpu& /*where*/) {
  return std::make_unique<SkyRegions<Ds9>>(file, rows);
}

std::unique_ptr<RowSink> crtf_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                   const CatalogMetadata& /*metadata*/, const Cpu& /*where*/) {
  return std::make_unique<SkyRegions<Crtf>>(file, rows);
}

}  // namespace srcextract
