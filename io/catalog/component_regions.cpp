#include "io/catalog/component_regions.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "io/catalog/text_values.hpp"
#include "io/wcs/direction.hpp"
#include "io/wcs/sexagesimal.hpp"

namespace srcextract {
namespace {

/// Columns of the table from which regions are made. Angles and sizes are in degrees, fluxes in Jy.
struct ComponentValues {
  const std::vector<double>&ra, &dec, &major, &minor, &angle, &point_major, &point_minor, &point_angle, &flux;
  const std::vector<std::string>& code;

  explicit ComponentValues(const Table& table)
      : ra(reals(table, "RA")),
        dec(reals(table, "DEC")),
        major(reals(table, "Maj")),
        minor(reals(table, "Min")),
        angle(reals(table, "PA")),
        point_major(reals(table, "DC_Maj")),
        point_minor(reals(table, "DC_Min")),
        point_angle(reals(table, "DC_PA")),
        flux(reals(table, "Total_flux")),
        code(std::get<std::vector<std::string>>(values(table, "S_Code"))) {}

 private:
  static const ColumnValues& values(const Table& table, const char* name) { return column_named(table, name).values; }
  static const std::vector<double>& reals(const Table& table, const char* name) {
    return std::get<std::vector<double>>(values(table, name));
  }
};

/// Appends a number with `decimals` digits after the decimal point, in any locale.
void append_rounded(std::string& out, double value, int decimals) {
  char digits[400];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::fixed, decimals).ptr);
}

/// Writes DS9 ellipses at half the peak value, coloured by S_Code. DS9 counts angles from west, with 90 degrees at
/// north.
struct Ds9Components {
  static std::string begin(double /*frequency*/) { return "# Region file format: DS9 version 4.1\nfk5\n"; }
  static void append(std::string& out, const ComponentValues& of, std::size_t row) {
    out += "ellipse(";
    append_rounded(out, of.ra[row], 7);
    out += ',';
    append_rounded(out, of.dec[row], 7);
    for (const double width : {of.major[row], of.minor[row]}) {
      out += ',';
      append_rounded(out, width / 2 * arcseconds, 3);
      out += '"';
    }
    out += ',';
    append_rounded(out, of.angle[row] + 90, 2);
    const std::string& code = of.code[row];
    out += std::string(") # color=") +
           (code == "S"   ? "green"
            : code == "C" ? "cyan"
                          : "magenta") +
           " text={" + std::to_string(row + 1) + "}\n";
  }
};

/// Writes annotations of kvis: ellipses with full axes, and position angles from north through east.
struct KvisComponents {
  static std::string begin(double /*frequency*/) { return "COORD W\nPA STANDARD\nCOLOR GREEN\n"; }
  static void append(std::string& out, const ComponentValues& of, std::size_t row) {
    out += "ELLIPSE W";
    for (const double value : {of.ra[row], of.dec[row], of.major[row], of.minor[row]}) {
      out += ' ';
      append_rounded(out, value, 7);
    }
    out += ' ';
    append_rounded(out, of.angle[row], 2);
    out += '\n';
  }
};

/// Writes a sky model for the calibration of LOFAR data, with sizes deconvolved from the beam.
struct SkyModel {
  static std::string begin(double frequency) {
    std::string out = "FORMAT = Name, Type, Ra, Dec, I, MajorAxis, MinorAxis, Orientation, ReferenceFrequency='";
    append_number(out, frequency);
    return out + "', SpectralIndex='[]'\n\n";
  }
  static void append(std::string& out, const ComponentValues& of, std::size_t row) {
    const bool point = !(of.point_major[row] > 0);
    out += "s" + std::to_string(row + 1) + (point ? ", POINT, " : ", GAUSSIAN, ");
    out += sexagesimal_hours(of.ra[row], 3) + ", " + sexagesimal_degrees(of.dec[row], 3, '.') + ", ";
    append_number(out, of.flux[row]);
    for (const double size :
         {of.point_major[row] * arcseconds, of.point_minor[row] * arcseconds, of.point_angle[row]}) {
      out += ", ";
      append_rounded(out, point ? 0 : size, 3);
    }
    out += '\n';
  }
};

template <class Format>
void write_regions_as(OutputFile& file, const Table& components, double frequency) {
  file.write(Format::begin(frequency));
  const ComponentValues values(components);
  write_text_rows(file, components.rows, [&](std::string& text, std::size_t row) {
    if (std::isfinite(values.ra[row]) && std::isfinite(values.dec[row])) Format::append(text, values, row);
  });
}

}  // namespace

OutputFile write_component_regions(const std::string& path, ComponentRegions format, const Table& components,
                                   double frequency) {
  OutputFile file(path);
  if (format == ComponentRegions::reg) write_regions_as<Ds9Components>(file, components, frequency);
  if (format == ComponentRegions::ann) write_regions_as<KvisComponents>(file, components, frequency);
  if (format == ComponentRegions::skymodel) write_regions_as<SkyModel>(file, components, frequency);
  return file;
}

}  // namespace srcextract
