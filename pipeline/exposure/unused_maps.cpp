#include "pipeline/exposure/unused_maps.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "io/files/standard_input.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/words.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

/// A word of names of maps, and what such a map holds: a value of weights.type, or "mask".
struct MapWord {
  std::string_view word, use;
};

constexpr std::string_view bad_pixels = "mask";
constexpr MapWord plane_words[] = {
    {"ERR", "rms"},       {"ERROR", "rms"},      {"UNCERT", "rms"},        {"UNCERTAINTY", "rms"}, {"UNC", "rms"},
    {"RMS", "rms"},       {"SIGMA", "rms"},      {"STDDEV", "rms"},        {"STDEV", "rms"},       {"SIG", "rms"},
    {"NOISE", "rms"},     {"VAR", "variance"},   {"VARIANCE", "variance"}, {"STAT", "variance"},   {"WHT", "weight"},
    {"WEIGHT", "weight"}, {"WEIGHTS", "weight"}, {"WT", "weight"},         {"WGT", "weight"},      {"IVAR", "weight"},
    {"INVVAR", "weight"}, {"DQ", bad_pixels},    {"MASK", bad_pixels},     {"FLAGS", bad_pixels},  {"FLAG", bad_pixels},
    {"BPM", bad_pixels},  {"DQM", bad_pixels},   {"QUALITY", bad_pixels},  {"BADPIX", bad_pixels},
};
/// The same of files. DECam's are called oow and ood beside ooi, ZTF's mskimg beside sciimg.
constexpr MapWord file_words[] = {
    {"weight", "weight"}, {"wht", "weight"},    {"wt", "weight"},       {"ivar", "weight"},   {"invvar", "weight"},
    {"oow", "weight"},    {"rms", "rms"},       {"err", "rms"},         {"unc", "rms"},       {"sigma", "rms"},
    {"var", "variance"},  {"mask", bad_pixels}, {"dq", bad_pixels},     {"flag", bad_pixels}, {"flags", bad_pixels},
    {"bpm", bad_pixels},  {"ood", bad_pixels},  {"mskimg", bad_pixels},
};
/// Words by which names of files tell an image from its maps.
constexpr std::string_view image_words[] = {"sci", "image", "img", "int", "drz", "drc", "ooi", "sciimg"};

/// A map that is there: what it holds, its name, and the setting that names it.
struct Found {
  std::string_view use;
  std::string name, setting;
};

/// Returns what a plane called `name` holds: the last word tells, before digits and MAP, as in "SCI_ERR", "DQ2" or
/// "WEIGHT_MAP".
std::optional<std::string_view> use_of(std::string_view name) {
  for (;;) {
    while (!name.empty() && !is_letter(name.back())) name.remove_suffix(1);
    const auto begin = std::find_if_not(name.rbegin(), name.rend(), is_letter);
    const std::string_view word(begin.base(), name.end());
    for (const MapWord& known : plane_words)
      if (equal_in_any_case(known.word, word)) return known.use;
    if (!equal_in_any_case(word, "MAP")) return std::nullopt;
    name.remove_suffix(word.size());
  }
}

std::optional<std::string_view> use_of(const FurtherImage& plane) {
  const std::optional<std::string_view> use = use_of(plane.extname);
  if (use == bad_pixels && plane.bitpix < 0) return std::nullopt;
  if (plane.uncertainty == "VarianceUncertainty") return "variance";
  if (plane.uncertainty == "InverseVariance") return "weight";
  return use;
}

std::string section_of(std::string_view use) {
  return use == bad_pixels ? "mask" : "weights";
}

/// Whether YAML takes a text as it is.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("_-+./@%").find(c) != std::string_view::npos;
  });
}

/// Returns a setting as a shell takes it.
std::string typed(const std::string& setting, const std::string& value) {
  return "--set " + shell_word(setting + "=" + (is_plain(value) ? value : "\"" + value + "\""));
}

std::vector<Found> planes_of(const FitsImage& image, bool several) {
  std::vector<Found> found;
  const std::int64_t version = image.extver().value_or(1);
  if (use_of(image.extname()) || (several && (!image.extver() || version != 1))) return found;
  const FitsImage::Further further = image.further_images();
  for (const FurtherImage& plane : further.images) {
    const std::optional<std::string_view> use = use_of(plane);
    if (!use || plane.axes != image.axes() || plane.extver.value_or(version) != version) continue;
    const bool by_name = (several || version == 1) && is_plain(plane.extname);
    found.push_back(
        {*use, plane.label, typed(section_of(*use) + ".hdu", by_name ? plane.extname : std::to_string(plane.hdu))});
  }
  return found;
}

/// Returns names, without their endings, that the map of an image may have if `word` tells what it holds: the image's
/// with the word behind it, or with the word in place of one that means an image, as in "m31_sci" and "m31_wht".
std::vector<std::string> stems_of_maps(const std::string& stem, std::string_view word) {
  std::vector<std::string> stems;
  for (const char* between : {".", "_", "-"}) stems.push_back(stem + between + std::string(word));
  const std::size_t folder = stem.rfind('/') + 1;
  for (std::size_t at = folder; at < stem.size();) {
    std::size_t end = at;
    while (end < stem.size() && is_letter(stem[end])) ++end;
    const std::string_view part = std::string_view(stem).substr(at, end - at);
    const bool alone = at > folder && (end == stem.size() || !is_digit(stem[end]));
    if (alone && std::ranges::any_of(image_words, [&](std::string_view of) { return equal_in_any_case(of, part); }))
      stems.push_back(stem.substr(0, at) +
                      (part.front() == small(part.front()) ? std::string(word) : in_capitals(std::string(word))) +
                      stem.substr(end));
    at = std::max(end, at + 1);
  }
  return stems;
}

std::vector<Found> files_beside(const std::string& path) {
  std::vector<Found> found;
  if (path == standard_input_path) return found;
  const std::string stem = image_stem(path);
  for (const MapWord& known : file_words) {
    for (const std::string& name : stems_of_maps(stem, known.word)) {
      for (const char* ending : {".fits", ".fits.gz", ".fits.fz"}) {
        const std::string file = name + ending;
        std::error_code failure;
        if (file != path && std::filesystem::is_regular_file(file, failure))
          found.push_back({known.use, file, typed(section_of(known.use) + ".file", file)});
      }
    }
  }
  return found;
}

}  // namespace

std::string unused_maps(const OpenFrame& frame, const std::string& path, const Config& config) {
  if (!frame.combined().empty() || config.kept.as_sextractor) return "";
  bool noise = has_map(config.weights), mask = has_mask(config.mask);
  if (noise && mask) return "";
  const bool several = config.input.hdu.several();
  std::vector<Found> found = planes_of(frame.image(), several);
  if (!several) std::ranges::move(files_beside(path), std::back_inserter(found));
  std::string list;
  for (const Found& map : found) {
    const bool of_mask = map.use == bad_pixels;
    bool& known = of_mask ? mask : noise;
    if (known) continue;
    known = true;
    list += (list.empty() ? "" : ", ") + (of_mask ? "" : "--set weights.type=" + std::string(map.use) + " ") +
            map.setting + " takes " + map.name +
            (of_mask ? " as mask (mask.bits, if some bits are no defects)" : " as noise");
  }
  return list.empty() ? "" : "there are maps that are not used: " + list;
}

}  // namespace srcextract
