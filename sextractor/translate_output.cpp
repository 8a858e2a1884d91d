#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "config/values.hpp"
#include "sextractor/columns.hpp"
#include "sextractor/translation.hpp"
#include "stages/core/words.hpp"

namespace srcextract::sextractor {

using config::format_value;

namespace {

/// The format in srcextract for a CATALOG_TYPE, and a note if the two formats differ.
struct Format {
  std::string ours, note;
};

Format our_format(const std::string& type) {
  static const std::map<std::string, Format> formats = {
      {"FITS_1.0", {"fits", ""}},
      {"FITS_LDAC", {"ldac", ""}},
      {"FITS_TPX", {"fits", "a binary table"}},
      {"ASCII", {"ascii_head", "after lines that name the columns"}},
      {"ASCII_HEAD", {"ascii_head", ""}},
      {"ASCII_SKYCAT", {"ascii_head", "with the header of ASCII_HEAD; reg is for pictures"}},
      {"ASCII_VOTABLE", {"votable_text", ""}},
      {"NONE", {"fits", "there is always a catalogue"}}};
  return formats.at(type);
}

void put_format(const Request& request, Translation& to) {
  const Setting& type = request["CATALOG_TYPE"];
  const Format format = our_format(type.word());
  std::string formats = format.ours;
  if (request.wants("EXT_NUMBER") && formats != "fits") formats = "fits, " + formats;
  to.put("output.formats", "[" + formats + "]", {&type}, format.note);
}

void add_column(const Parameter& parameter, Translation& to) {
  if (parameter.name == "EXT_NUMBER") return;
  std::string ours = our_column(parameter.name);
  if (ours.empty()) return to.lose(parameter, why_no_column(parameter.name));
  if (ours == "VIGNET") {
    const auto side = [&](std::size_t i) { return i < parameter.sizes.size() ? parameter.sizes[i] : 1; };
    ours += "(" + std::to_string(side(0)) + "," + std::to_string(side(1)) + ")";
  }
  if (std::ranges::count(to.columns, ours) == 0) to.columns.push_back(ours);
}

void add_columns(const Request& request, Translation& to) {
  const Setting& name = request["PARAMETERS_NAME"];
  if (request.parameters.empty())
    return to.put("output.columns", "[default, photometry]", {&name},
                  "there is no such file: these are the usual columns, and --param names a list of yours");
  to.pass_over({&name}, "output.columns has the columns of " + request.parameters_path);
  for (const Parameter& parameter : request.parameters) add_column(parameter, to);
  if (!request.wants("EXT_NUMBER")) return;
  to.put("input.hdu", "all", {}, "EXT_NUMBER: every image of a file, as SExtractor takes them");
  to.put("output.one_catalogue", "true", {},
         "EXT_NUMBER: one catalogue of them, with the columns EXT_NUMBER and EXTNAME");
}

void put_check_images(const Request& request, Translation& to) {
  const Setting& types = request["CHECKIMAGE_TYPE"];
  std::vector<std::string> images;
  bool segmentation = false;
  for (std::size_t i = 0; i < types.values.size(); ++i) {
    const std::string type = types.word(i);
    const std::string ours = our_check_image(type);
    if (!ours.empty() && std::ranges::count(images, ours) == 0) images.push_back(ours);
    segmentation |= type == "SEGMENTATION";
    if (ours.empty() && type != "NONE" && type != "SEGMENTATION" && type != "IDENTICAL")
      to.unmet.push_back({"CHECKIMAGE_TYPE " + type, types.place, "there is no such check image", true});
  }
  if (segmentation) to.put("output.segmentation", "true", {&types});
  if (!images.empty()) to.put("output.check_images", "[" + join(images) + "]", {&types});
  if (!segmentation && images.empty())
    to.pass_over({&types}, types.word() == "IDENTICAL" ? "it is the image itself" : "no check image is written");
}

}  // namespace

std::string our_check_image(const std::string& type) {
  static const std::map<std::string, std::string> ours = {
      {"BACKGROUND", "background"},         {"BACKGROUND_RMS", "rms"}, {"-BACKGROUND", "-background"},
      {"MINIBACKGROUND", "minibackground"}, {"FILTERED", "filtered"},  {"OBJECTS", "objects"},
      {"MINIBACK_RMS", "miniback_rms"},     {"-OBJECTS", "-objects"},  {"APERTURES", "apertures"}};
  const auto found = ours.find(type);
  return found == ours.end() ? "" : found->second;
}

void translate_output(const Request& request, Translation& to) {
  to.put("input.padding", "keep", {}, "SExtractor takes every pixel for data");
  put_format(request, to);
  add_columns(request, to);
  put_check_images(request, to);
}

}  // namespace srcextract::sextractor
