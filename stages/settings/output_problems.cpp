#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "stages/catalogue/declared_columns.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/decimal.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/core/words.hpp"
#include "stages/settings/problems.hpp"

namespace srcextract::config {
namespace {

/// FITS keywords that cannot be copied into the catalogue, since they describe the structure of a file, or since the
/// catalogue writes its own. # stands for a number.
constexpr std::string_view keywords_of_tables[] = {
    "SIMPLE", "BITPIX", "NAXIS", "NAXIS#", "EXTEND", "XTENSION", "PCOUNT", "GCOUNT", "GROUPS", "BLOCKED", "TFIELDS",
    "TTYPE#", "TFORM#", "TUNIT#", "TNULL#", "TSCAL#", "TZERO#", "TDISP#", "TDIM#", "TCOMM#", "TUCD#", "TBCOL#", "THEAP",
    "BSCALE", "BZERO", "BLANK", "CHECKSUM", "DATASUM", "HISTORY", "COMMENT", "END", "CREATOR", "CONTINUE", "SKYLEVEL",
    "IMGEXT", "SKYSIGMA", "NOISALPH", "NOISBETA", "LONGSTRN", "HIERARCH", "INHERIT", "EXTVER", "EXTLEVEL", "TLMIN#",
    "TLMAX#", "TDMIN#", "TDMAX#", "TCTYP#", "TCUNI#", "TCRPX#", "TCRVL#", "TCDLT#", "TCROT#", "TROTA#", "TRPOS#",
    // Keywords of tile-compressed images and tables. A copy would change how readers see the catalogue: a table with
    // ZIMAGE is read as a compressed image.
    "ZIMAGE", "ZTABLE", "ZBITPIX", "ZNAXIS", "ZNAXIS#", "ZTILE#", "ZCMPTYPE", "ZNAME#", "ZVAL#", "ZMASKCMP", "ZQUANTIZ",
    "ZDITHER#", "ZSIMPLE", "ZEXTEND", "ZTENSION", "ZPCOUNT", "ZGCOUNT", "ZBLOCKED", "ZHECKSUM", "ZDATASUM", "ZBLANK",
    "ZSCALE", "ZZERO", "ZFORM#", "ZCTYP#", "ZTILELEN", "ZTHEAP"};

bool is_keyword(const std::string& text) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !text.empty() && text.size() <= 8 && text.find_first_not_of(allowed) == std::string::npos;
}

bool is_of_tables(const std::string& keyword) {
  const std::size_t digits = keyword.find_last_not_of("0123456789") + 1;
  const std::string numbered = digits < keyword.size() ? keyword.substr(0, digits) + "#" : keyword;
  return std::ranges::count(keywords_of_tables, numbered) > 0;
}

/// The problem of a column of fitted galaxies, or of a group of them, that model.fit does not make.
std::string needed_of_model(const std::string& name, const ModelConfig& model) {
  const bool is_of_model = std::ranges::any_of(declared_columns(), [&](const DeclaredColumn& one) {
    return one.is_of_model() && (one.column.name == name || (one.group == name && !one.is_on_sky()));
  });
  if (!is_of_model) return "";
  if (model.fit == ModelFit::none) return "is of galaxies that are fitted: set model.fit, as to sersic";
  const auto is_of = [&](const char* part) { return in_capitals(name).find(part) != std::string::npos; };
  if (is_of("SPHEROID") && !model.has_spheroid())
    return "describes a spheroid, and this model.fit has none; set it to sersic, devaucouleurs, or either with +disk";
  if (is_of("DISK") && !model.has_disk())
    return "describes a disk, and this model.fit has none; set it to exponential, sersic+disk or devaucouleurs+disk";
  if (is_of("POINTSOURCE") && model.fit != ModelFit::point)
    return "describes a star, which only model.fit: point fits; set that, or leave the column out";
  if (is_of("BACKOFFSET") && model.sky != ModelSky::free)
    return "needs a fitted level of the sky: set model.sky to free";
  return "";
}

/// Message that names the setting that a column needs but that is not given; empty: none. Columns that need something
/// of the image, such as a WCS, are not checked.
std::string needed_for_column(const std::string& name, const Settings& config) {
  if ((name == "ISOAREA_IMAGE" || name == "ISOAREA_WORLD") && config.detection.analysis_threshold == 0)
    return "needs a threshold of its own: set detection.analysis_threshold";
  if (name == "ID_PARENT" && config.deblend.method == DeblendMethod::none)
    return "is of sources that are deblended: set deblend.method";
  if (std::string problem = needed_of_model(name, config.model); !problem.empty()) return problem;
  if ((name == "IMAFLAGS_ISO" || name == "NIMAFLAGS_ISO") && !has_flags(config.flags))
    return "needs a map of flags: give flags.file or flags.hdu";
  for (const DeclaredColumn& one : declared_columns())
    if (one.column.name == name && !one.file.key.empty() && one.file.name(config).empty())
      return "is made with a file: name it by " + std::string(one.file.key) +
             (one.file.key == psf_key ? ", or let psf.method: fit make one from the image" : "");
  return "";
}

std::string vignet_problem(const std::string& word, const std::vector<std::string>& before, const Settings& config) {
  if (!parse_vignet(word))
    return "holds " + quoted(word) +
           ", which is no cut-out: write \"VIGNET(35,35)\", in quotes, with the pixels along x and y, 1 to " +
           std::to_string(most_vignet_pixels);
  if (vignet_size(before).any()) return "names VIGNET twice";
  const bool written = std::ranges::any_of(config.output.formats, [](CatalogFormat format) {
    return names_of_format(format).table && format != CatalogFormat::csv;
  });
  return written ? ""
                 : "holds " + quoted(word) + ", for which regions and csv have no room: add another to output.formats";
}

}  // namespace

std::string padding_problem(const InputConfig& config) {
  return config.padding == "auto" || config.padding == "keep" || given_number(config.padding)
             ? ""
             : "is '" + config.padding + "'; auto, keep and numbers are allowed";
}

std::string keyword_problem(const std::string& keyword) {
  return keyword == "none" || is_keyword(keyword)
             ? ""
             : "is '" + keyword + "', which is no FITS keyword: 1 to 8 of A-Z, 0-9, - and _";
}

std::string keywords_problem(const OutputConfig& config) {
  for (const std::string& keyword : config.header_keywords) {
    if (!is_keyword(keyword)) return "holds '" + keyword + "', which is no FITS keyword: 1 to 8 of A-Z, 0-9, - and _";
    if (is_of_tables(keyword))
      return "holds '" + keyword + "', which says how a FITS file is built, or is the catalogue's own; leave it out";
  }
  return "";
}

std::string apertures_problem(const MeasurementConfig& config) {
  constexpr double most = 10000;
  if (config.apertures.empty()) return "is empty; name a diameter in pixels, as in [5]";
  if (config.apertures.size() > most_apertures)
    return "lists " + std::to_string(config.apertures.size()) + " apertures, and there is room for " +
           std::to_string(most_apertures);
  for (const double diameter : config.apertures)
    if (!(diameter >= 0 && diameter <= most))  // a diameter of 0 is allowed and gives a flux of 0, as in SExtractor
      return "holds " + shortest(diameter) + ", which is no diameter: 0 to 10000 pixels";
  return "";
}

std::string ellipse_problem(const std::vector<double>& factor_and_least, const std::string& example) {
  constexpr double most = 100;
  if (factor_and_least.size() != 2) return "must be two numbers, factor and least radius, as in " + example;
  const double factor = factor_and_least[0], least = factor_and_least[1];
  return factor > 0 && factor <= most && least >= 0 && least <= most
             ? ""
             : "must be a factor above 0 and a least radius of at least 0, both up to 100";
}

std::string least_apertures_problem(const MeasurementConfig& config) {
  constexpr double most = 10000;
  const std::vector<double>& two = config.least_apertures;
  const auto fits = [](double diameter) { return diameter >= 0 && diameter <= most; };
  return two.size() == 2 && fits(two[0]) && fits(two[1]) ? "" : "must be two diameters from 0 to 10000, as in [0, 0]";
}

std::string fractions_problem(const MeasurementConfig& config) {
  if (config.flux_radius.empty()) return "is empty; name a part of the light, as in [0.5]";
  if (config.flux_radius.size() > most_fractions)
    return "lists " + std::to_string(config.flux_radius.size()) + " parts, and there is room for " +
           std::to_string(most_fractions);
  for (const double part : config.flux_radius)
    if (!(part > 0 && part <= 1)) return "holds " + shortest(part) + ", which is no part: above 0, up to 1";
  return "";
}

std::string annulus_problem(const MeasurementConfig& config) {
  constexpr double most = 500;
  if (config.annulus.size() != 2) return "must be two radii in pixels, inner and outer, as in [10, 20]";
  const double inner = config.annulus[0], outer = config.annulus[1];
  if (!(inner >= 0 && outer <= most)) return "must be radii from 0 to 500 pixels";
  return inner < outer ? "" : "has no room between its radii; the second must be larger, as in [10, 20]";
}

std::string allowed_columns() {
  // The text is never destroyed, since a daemon thread of Python may use it while the process ends.
  static const std::string& allowed = *new std::string([] {
    std::string words = "names of columns, ";
    for (const std::string& group : column_groups()) words += "`" + group + "`, ";
    return words + "`VIGNET(w,h)`";
  }());
  return allowed;
}

std::string columns_problem(const Settings& config) {
  if (config.output.columns == OutputConfig{}.columns) return "";
  if (config.output.columns.empty()) return "is empty; name a column, or default";
  const std::vector<std::string> known = column_names();
  std::vector<std::string> before;
  for (const std::string& name : config.output.columns) {
    if (name.starts_with("VIGNET")) {
      if (std::string problem = vignet_problem(name, before, config); !problem.empty()) return problem;
      before.push_back(name);
      continue;
    }
    if (std::ranges::count(known, name) == 0) {
      const std::string near = nearest(name, known);
      return "holds " + quoted(name) + ", which is neither a column nor a group of them (" + join(column_groups()) +
             (near.empty() ? "); docs/catalogue.md lists them" : "); did you mean '" + near + "'?");
    }
    if (std::ranges::count(before, name) > 0) return "names " + quoted(name) + " twice";
    const std::string missing = needed_for_column(name, config);
    if (!missing.empty()) return "holds " + quoted(name) + ", which " + missing;
    before.push_back(name);
  }
  return "";
}

std::string psfex_problem(const Settings& config) {
  const bool read = std::ranges::count(config.output.formats, CatalogFormat::ldac) > 0;
  if (!read || !vignet_size(config.output.columns).any()) return "";
  const ColumnChoice choice(config.output.columns);
  std::vector<std::string> missing;
  for (const char* name : {"FLUX_RADIUS", "SNR_WIN", "ELONGATION", "FLAGS"})
    if (!choice.has(name)) missing.emplace_back(name);
  const auto has_position = [&](const std::string& which) {
    return choice.has("X" + which + "_IMAGE") && choice.has("Y" + which + "_IMAGE");
  };
  if (!has_position("") && !has_position("WIN") && !has_position("PEAK")) missing.emplace_back("X_IMAGE, Y_IMAGE");
  const bool has_flux = std::ranges::any_of(choice.names(), [](const std::string& name) {
    return name.starts_with("FLUX_") && name != "FLUX_RADIUS" && name != "FLUX_MAX";
  });
  if (!has_flux) missing.emplace_back("FLUX_APER");
  if (missing.empty()) return "";
  return "output.columns holds VIGNET, which PSFEx reads from the format ldac, and PSFEx crashes or refuses without " +
         join(missing) + ": add what is missing";
}

std::string check_compression_use(const OutputConfig& config) {
  return config.check_compression == ImageCompression::none || !config.check_images.empty()
             ? ""
             : "has no use without check images: name some in output.check_images";
}

std::string parquet_compression_use(const OutputConfig& config) {
  const bool parquet = std::ranges::count(config.formats, CatalogFormat::parquet) > 0 ||
                       std::ranges::count(config.alerts, AlertFormat::parquet) > 0;
  return config.parquet_compression == ParquetCompression::none || parquet
             ? ""
             : "has no use without Parquet: add parquet to output.formats";
}

std::string report_copies_use(const OutputConfig& config) {
  return config.report_copies == 0 || config.report ? "" : "has no use without the report: set output.report";
}

std::string report_copies_problem(const Settings& config) {
  if (config.output.report_copies > 0 && fits_crowd(config))
    return "puts copies of stars into the image, which a crowd does by crowd.inject; set that, and this to 0";
  return config.output.report_copies > 0 && config.detection.sign == DetectionSign::negative
             ? "puts copies of stars into the image, and where detection.sign is negative no star is found; set it to 0"
             : "";
}

std::string one_catalogue_problem(const OutputConfig& config) {
  const bool fits = std::ranges::count(config.formats, CatalogFormat::fits) > 0;
  return config.one_catalogue && !fits ? "joins the FITS catalogues of the HDUs; add fits to output.formats" : "";
}

std::string high_problem(const QuicklookConfig& config) {
  return config.limits == Limits::values && !(config.low < config.high)
             ? "must be greater than quicklook.low where quicklook.limits is values"
             : "";
}

}  // namespace srcextract::config
