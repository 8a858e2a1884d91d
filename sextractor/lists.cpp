#include "sextractor/lists.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "config/sextractor_keys.hpp"
#include "sextractor/columns.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/catalogue/vignet_column.hpp"

namespace srcextract::sextractor {
namespace {

/// Keys that `source-extractor -dd` lists and `source-extractor -d` does not.
constexpr std::string_view further_keys[] = {
    "DETECT_MAXAREA", "THRESH_TYPE",     "FILTER_THRESH", "WEIGHT_TYPE",     "RESCALE_WEIGHTS", "WEIGHT_IMAGE",
    "WEIGHT_GAIN",    "WEIGHT_THRESH",   "FLAG_IMAGE",    "FLAG_TYPE",       "DGEO_TYPE",       "DGEO_IMAGE",
    "PHOT_AUTOAPERS", "PHOT_FLUXFRAC",   "BACK_TYPE",     "BACK_VALUE",      "BACKPHOTO_THICK", "BACK_FILTTHRESH",
    "ASSOC_NAME",     "ASSOC_DATA",      "ASSOC_PARAMS",  "ASSOCCOORD_TYPE", "ASSOC_RADIUS",    "ASSOC_TYPE",
    "XSL_URL",        "ASSOCSELEC_TYPE", "NTHREADS",      "FITS_UNSIGNED",   "INTERP_MAXXLAG",  "INTERP_MAXYLAG",
    "INTERP_TYPE",    "PSF_NAME",        "PSF_NMAX",      "PATTERN_TYPE",    "SOM_NAME",
};

/// The text with blanks added at its end: at least one, and as many as `width` characters need.
std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

/// Descriptions of keys that only the command `srcextract sextractor` uses; srcextract's own configuration has no such
/// keys.
const std::map<std::string_view, std::string_view>& of_the_command() {
  static const std::map<std::string_view, std::string_view> all = {
      {"CATALOG_NAME", "the catalogue; STDOUT: standard output"},
      {"CHECKIMAGE_NAME", "a name for each of CHECKIMAGE_TYPE"},
      {"VERBOSE_TYPE", "QUIET, NORMAL or FULL"},
      {"NTHREADS", "CPU threads; 0, or 1 in a file: all. The catalogue does not depend on it"},
      {"WRITE_XML", "Y: the run as a VOTable, in XML_NAME"}};
  return all;
}

std::string said_of(const SextractorKey& key) {
  if (const auto found = of_the_command().find(key.name); found != of_the_command().end())
    return std::string(found->second);
  const char* const begin = key.fate == SextractorFate::kept      ? "here "
                            : key.fate == SextractorFate::missing ? "not here: "
                                                                  : "without effect: ";
  return begin + std::string(key.ours);
}

struct Description {
  std::string text, unit;
};

/// Descriptions and units of all columns of srcextract, by SExtractor's name without a number at its end.
std::map<std::string, Description> descriptions() {
  std::map<std::string, Description> all;
  const auto add = [&](const Column& column) {
    const std::string_view unit = column.unit;
    const bool of_pixels = unit == pixel_value_unit || unit == pixel_sum_unit;
    all.emplace(common_name(column.name), Description{column.description, of_pixels ? "count" : std::string(unit)});
  };
  for (const DeclaredColumn& one : declared_columns()) add(one.column);
  add(vignet_column);
  all["EXT_NUMBER"] = {"Number of the image in its file, from 1", ""};
  return all;
}

}  // namespace

std::string default_configuration(bool all) {
  std::string text = "# Default configuration of SExtractor 2.25, as srcextract sextractor takes it\n";
  for (const SextractorKey& key : sextractor_keys()) {
    if (!all && std::ranges::count(further_keys, key.name) > 0) continue;
    text += padded(padded(std::string(key.name), 17) + std::string(key.usual), 34) + "# " + said_of(key) + "\n";
  }
  return text;
}

std::string list_of_columns() {
  const std::map<std::string, Description> known = descriptions();
  std::string text;
  for (const std::string& name : sextractor_columns()) {
    const std::string ours = our_column(name);
    const auto found = known.find(ours);
    text += padded("#" + name, 26);
    if (ours.empty())
      text += "not here: " + why_no_column(name);
    else if (found != known.end())
      text += padded(found->second.text, 58) + (found->second.unit.empty() ? "" : "[" + found->second.unit + "]");
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  return text;
}

}  // namespace srcextract::sextractor
