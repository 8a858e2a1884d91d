#include "survey/inputs/output_names.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "io/catalog/catalog.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"
#include "stages/settings/output_keys.hpp"

namespace srcextract {
namespace {

constexpr const char *segmentation_extension = ".seg.fits", *psf_stars_extension = ".psf.stars.fits",
                     *injection_extension = ".inject", *injected_extension = ".injected";

/// The ending of a check image's file: ".background.fits", or ".minus_background.fits.gz" for -background with gzip.
std::string check_image_extension(CheckImage image, ImageCompression compression) {
  std::string name = names_of(image).at(static_cast<std::size_t>(image));
  if (name.starts_with('-')) name.replace(0, 1, "minus_");
  const char* packed[] = {"", ".gz", ".fz"};
  return "." + name + ".fits" + packed[static_cast<std::size_t>(compression)];
}

std::string component_extension(ComponentTable table) {
  return "." + names_of(table).at(static_cast<std::size_t>(table));
}

/// Removes the first of `endings` that the file name has, in upper or lower case, unless nothing would be left of the
/// file name. Returns whether an ending was removed.
bool drop_ending(std::string_view& name, std::initializer_list<std::string_view> endings) {
  const std::size_t length = name.size() - (name.rfind('/') + 1);
  for (std::string_view ending : endings) {
    if (length <= ending.size()) continue;
    if (!equal_in_any_case(name.substr(name.size() - ending.size()), ending)) continue;
    name.remove_suffix(ending.size());
    return true;
  }
  return false;
}

/// A view of `name` without its FITS ending (image_stem).
std::string_view stem_of(std::string_view name) {
  const std::initializer_list<std::string_view> fits = {".fits", ".fit", ".fts"};
  std::string_view stem = name;
  if (drop_ending(stem, fits)) return stem;
  if (drop_ending(stem, {".fz", ".gz"}) && drop_ending(stem, fits)) return stem;
  return name;
}

/// The stem without a trailing ".hdu" and a number.
std::string_view without_hdu(std::string_view stem) {
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1;
  constexpr std::string_view mark = ".hdu";
  if (digits == stem.size() || digits <= mark.size()) return stem;
  const std::size_t begin = digits - mark.size();
  return stem.substr(begin, mark.size()) == mark ? stem.substr(0, begin) : stem;
}

/// The common beginning of the paths of all outputs of an image.
std::string output_base(const std::string& directory, const std::string& name, std::optional<int> hdu) {
  const std::string base = (std::filesystem::path(directory) / image_stem(name)).string();
  return hdu ? base + ".hdu" + std::to_string(*hdu) : base;
}

std::vector<std::string> endings_of_fits_outputs() {
  std::vector<std::string> endings = {std::string(injection_extension) + ".fits",
                                      std::string(injected_extension) + ".fits", extension(CatalogFormat::fits),
                                      segmentation_extension, psf_stars_extension};
  for (const ComponentTable table : {ComponentTable::srl, ComponentTable::gaul})
    endings.push_back(component_extension(table) + ".fits");
  for (std::size_t i = 0; i < names_of(CheckImage{}).size(); ++i)
    for (const ImageCompression packed : {ImageCompression::none, ImageCompression::gzip, ImageCompression::tiles})
      endings.push_back(check_image_extension(static_cast<CheckImage>(i), packed));
  return endings;
}

}  // namespace

std::string image_stem(const std::string& name) {
  return std::string(stem_of(name));
}

std::vector<std::string> OutputPaths::all() const {
  std::vector<std::string> paths;
  for (const auto& [format, path] : catalogs) paths.push_back(path);
  if (!segmentation.empty()) paths.push_back(segmentation);
  if (!picture.empty()) paths.push_back(picture);
  if (!page.empty()) paths.push_back(page);
  for (const auto& [image, path] : check_images) paths.push_back(path);
  for (const auto& [format, path] : alerts) paths.push_back(path);
  for (const auto& [table, path] : components) paths.push_back(path);
  for (const auto& [format, path] : regions) paths.push_back(path);
  if (!psf.model.empty()) paths.insert(paths.end(), {psf.model, psf.stars, psf.picture});
  if (!report.empty()) paths.push_back(report);
  return paths;
}

OutputPaths output_paths(const std::string& directory, const std::string& name, std::optional<int> hdu,
                         const OutputConfig& config) {
  const std::string base = output_base(directory, name, hdu);
  OutputPaths paths;
  for (CatalogFormat format : config.formats) paths.catalogs.emplace_back(format, base + extension(format));
  if (config.psf) paths.psf = {base + ".psf", base + psf_stars_extension, base + ".psf.svg"};
  if (config.segmentation) paths.segmentation = base + segmentation_extension;
  if (config.quicklook) paths.picture = base + ".png";
  if (config.report) paths.page = base + ".report.html";
  for (const CheckImage image : config.check_images)
    paths.check_images.emplace_back(image, base + check_image_extension(image, config.check_compression));
  for (const AlertFormat format : config.alerts)
    paths.alerts.emplace_back(format, base + ".alerts." + names_of(format).at(static_cast<std::size_t>(format)));
  for (const ComponentTable table : config.catalogues)
    for (const CatalogFormat format : config.formats)
      if (names_of_format(format).table)
        paths.components.emplace_back(table, base + component_extension(table) + names_of_format(format).ending);
  for (const ComponentRegions format : config.regions)
    paths.regions.emplace_back(format, base + component_extension(ComponentTable::gaul) + "." +
                                           names_of(format).at(static_cast<std::size_t>(format)));
  paths.report = base + ".run.json";
  return paths;
}

InjectionPaths injection_paths(const std::string& directory, const std::string& name, std::optional<int> hdu,
                               const OutputConfig& config) {
  const std::string base = output_base(directory, name, hdu);
  InjectionPaths paths;
  for (const CatalogFormat format : config.formats) {
    if (!names_of_format(format).table) continue;
    paths.bins.push_back(base + injection_extension + names_of_format(format).ending);
    paths.rows.push_back(base + injected_extension + names_of_format(format).ending);
  }
  paths.record = base + injection_extension + ".json";
  return paths;
}

std::vector<std::string> InjectionPaths::all() const {
  std::vector<std::string> paths = bins;
  paths.insert(paths.end(), rows.begin(), rows.end());
  paths.push_back(record);
  return paths;
}

bool is_output_name(const std::string& name) {
  static const std::vector<std::string> endings = endings_of_fits_outputs();
  return std::ranges::any_of(endings, [&](const std::string& ending) { return name.ends_with(ending); });
}

void require_distinct_outputs(const ImageFiles& files, const std::function<std::string(std::size_t)>& describe) {
  std::vector<std::pair<std::string_view, std::size_t>> stems;
  stems.reserve(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) stems.emplace_back(stem_of(files.name(i)), i);
  std::sort(stems.begin(), stems.end());

  const auto fail = [&](std::size_t first, std::size_t second, std::string_view stem) {
    throw Error(
        ErrorKind::config,
        describe(first) + " and " + describe(second) + " would write the same output files, " + std::string(stem) +
            ".run.json and others; rename one, or extract them into different directories (--output-dir), or give "
            "srcextract batch the directory above both as one INPUT, or a manifest that names them in a column "
            "`name`");
  };
  for (std::size_t i = 1; i < stems.size(); ++i) {
    if (stems[i].first == stems[i - 1].first) fail(stems[i - 1].second, stems[i].second, stems[i].first);
  }
  for (const auto& [stem, file] : stems) {
    const std::string_view base = without_hdu(stem);
    if (base.size() == stem.size()) continue;
    const auto other = std::lower_bound(stems.begin(), stems.end(), base,
                                        [](const auto& candidate, std::string_view b) { return candidate.first < b; });
    if (other == stems.end() || other->first != base) continue;
    if (files[other->second].config->config.input.hdu.several()) fail(other->second, file, stem);
  }
}

}  // namespace srcextract
