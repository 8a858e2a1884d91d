#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/values.hpp"
#include "io/image/kernel_file.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/translation.hpp"
#include "stages/core/error.hpp"
#include "stages/core/named_pipe.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/math/kernel_values.hpp"

namespace srcextract::sextractor {

using config::fail;
using config::format_value;

namespace {

/// SExtractor's default kernel, used if default.conv is requested and the file does not exist.
const KernelFile& usual_kernel() {
  static const KernelFile kernel{{{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}, true};
  return kernel;
}

/// Whether the filter file is a retina, SExtractor's word for a neural network that filters. Retinas are FITS files;
/// all other filters are text files.
bool is_retina(const std::string& path) {
  if (is_named_pipe(path)) return false;
  std::array<char, 6> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == "SIMPLE";
}

KernelFile read_kernel(const Request& request, const std::string& file) {
  const Setting& name = request["FILTER_NAME"];
  const std::string& place = request.place_of(name);
  if (file.empty() && name.is_usual()) return usual_kernel();
  if (file.empty())
    fail(place, "FILTER_NAME " + name.word() + ": " + no_such_file +
                    "; copy it from SExtractor's own files, or name another kernel" + name.further_words());
  try {
    return read_kernel_file(file);
  } catch (const Error& error) {
    fail(place, std::string("FILTER_NAME: ") + error.what());
  }
}

/// Rotates the kernel by 180 degrees. SExtractor correlates: each kernel value is multiplied with the pixel at the same
/// offset. srcextract convolves: each kernel value is multiplied with the pixel at the opposite offset.
std::vector<std::vector<double>> turned(std::vector<std::vector<double>> values) {
  std::ranges::reverse(values);
  for (auto& row : values) std::ranges::reverse(row);
  return values;
}

std::string note_of(const KernelFile& kernel) {
  std::string note;
  if (kernel.is_old) note = "it begins with CONV alone, which SExtractor takes for CONV NORM";
  if (turned(kernel.values) != kernel.values)
    note += std::string(note.empty() ? "" : "; ") +
            "turned by half a turn, since SExtractor does not, as a convolution does";
  return note;
}

void put_filter(const Request& request, Translation& to) {
  const Setting &filter = request["FILTER"], &name = request["FILTER_NAME"];
  if (!filter.yes()) {
    to.put("convolve.kernel", "none", {&filter});
    return to.pass_over({&name, &request["FILTER_THRESH"]}, "FILTER is N");
  }
  const std::string file = find_file(name.word(), request.path);
  if (!file.empty() && is_retina(file)) {
    to.lose(name,
            "is a retina, a neural network that filters, and srcextract has kernels alone; write FILTER N, or name a "
            "kernel such as gauss_2.5_5x5.conv");
    return to.put("convolve.kernel", "none", {&filter});
  }
  const KernelFile kernel = read_kernel(request, file);
  if (const std::string problem = kernel_problem(kernel.values); !problem.empty()) {
    to.lose(name, "a kernel " + problem + ": sources are found in the image as it is");
    return to.put("convolve.kernel", "none", {&filter});
  }
  to.put("convolve.kernel", "values", {&filter, &name});
  to.put("convolve.values", format_value(turned(kernel.values)), {&name}, note_of(kernel));
  if (!kernel.normalize) to.put("convolve.normalize", "false", {&name}, "CONV NONORM");
  to.pass_over({&request["FILTER_THRESH"]}, "it is of filters by a retina alone");
}

enum class Unit { sigma, absolute, magnitudes };

/// The unit of a threshold: `index` is 0 for detection and 1 for analysis. A threshold with two values is a surface
/// brightness and its zero point, whatever THRESH_TYPE says. THRESH_TYPE may have a value for each index.
Unit unit_of(const Setting& threshold, const Setting& type, std::size_t index) {
  if (threshold.values.size() == 2) return Unit::magnitudes;
  return type.word(index) == "ABSOLUTE" ? Unit::absolute : Unit::sigma;
}

/// The surface brightness of a threshold, converted from the threshold's own zero point to `zero_point`.
double brightness(const Setting& threshold, double zero_point) {
  return threshold.number(0) + (zero_point - threshold.number(1));
}

double pixel_value(const Setting& threshold, double scale) {
  return scale * scale * portable_exp(-0.4 * ln_10 * (threshold.number(0) - threshold.number(1)));
}

/// Whether a requested column depends on the analysis threshold. Without a list of columns, true.
bool wants_analysis(const Request& request) {
  constexpr std::string_view exact[] = {"ISOAREA_IMAGE", "ISOAREA_WORLD", "MU_THRESHOLD",
                                        "FWHM_IMAGE",    "FWHM_WORLD",    "CLASS_STAR"};
  const auto counts = [&](const Parameter& parameter) {
    const std::string& name = parameter.name;
    return std::ranges::count(exact, name) > 0 || (name.starts_with("ISO") && name.size() == 4);
  };
  return request.parameters.empty() || std::ranges::any_of(request.parameters, counts);
}

void put_thresholds(const Request& request, Translation& to) {
  const Setting &detect = request["DETECT_THRESH"], &analyse = request["ANALYSIS_THRESH"];
  const Setting &type = request["THRESH_TYPE"], &scale = request["PIXEL_SCALE"];
  const Unit unit = unit_of(detect, type, 0);
  const bool same_unit = unit_of(analyse, type, 1) == unit;
  double zero_point = 0;
  const Setting& zero_from = zero_point_of(request, zero_point);
  // A surface brightness has its own zero point. If magnitude columns have none, the threshold is converted to a pixel
  // value, which needs the pixel scale.
  const bool as_pixels = unit == Unit::magnitudes && zero_point == 0 && scale.number() > 0;
  const auto value_of = [&](const Setting& threshold) {
    if (unit != Unit::magnitudes) return threshold.number();
    return as_pixels ? pixel_value(threshold, scale.number()) : brightness(threshold, zero_point);
  };
  std::vector<const Setting*> from = {&detect};
  if (unit == Unit::magnitudes) from.push_back(as_pixels ? &scale : &zero_from);
  to.put("detection.threshold", format_value(value_of(detect)), from);
  if (unit == Unit::absolute || as_pixels)
    to.put("detection.threshold_unit", "absolute", {as_pixels ? &detect : &type},
           as_pixels ? "a surface brightness by another zero point than that of MAG_*, as pixel value" : "");
  else if (unit == Unit::magnitudes)
    to.put("detection.threshold_unit", "mag_per_arcsec2", {&detect});
  if (unit == Unit::sigma) to.pass_over({&type}, "thresholds are in sigma, as they are here");
  if (unit == Unit::magnitudes) to.pass_over({&type}, "DETECT_THRESH has two values, which are a surface brightness");
  if (same_unit)
    to.put("detection.analysis_threshold", format_value(value_of(analyse)), {&analyse});
  else if (wants_analysis(request))
    to.lose(analyse, "is in another unit than DETECT_THRESH, and there is one for both: ISOAREA_IMAGE is left out");
  else
    to.pass_over({&analyse}, "no column that is asked for counts in it");
  if (unit == Unit::magnitudes && request["WEIGHT_TYPE"].word() != "NONE")
    to.lose(detect, "with WEIGHT_TYPE " + request["WEIGHT_TYPE"].word() + " SExtractor takes " + detect.values.front() +
                        " for sigmas, not for a surface brightness; here it is the latter: set a threshold in sigma");
}

void put_deblending(const Request& request, Translation& to) {
  const Setting &levels = request["DEBLEND_NTHRESH"], &contrast = request["DEBLEND_MINCONT"];
  const Setting &clean = request["CLEAN"], &beta = request["CLEAN_PARAM"];
  if (levels.number() < 2) {
    to.put("deblend.method", "none", {&levels});
    to.pass_over({&contrast}, "nothing is divided with one level");
  } else {
    to.put("deblend.method", "tree", {&levels});
    to.put("deblend.thresholds", format_value(levels.whole()), {&levels});
    to.put("deblend.contrast", format_value(contrast.number()), {&contrast});
  }
  to.put("deblend.clean", format_value(clean.yes()), {&clean});
  if (clean.yes())
    to.put("deblend.clean_beta", format_value(beta.number()), {&beta});
  else
    to.pass_over({&beta}, "CLEAN is N");
}

}  // namespace

const Setting& zero_point_of(const Request& request, double& zero_point) {
  const Setting &threshold = request["DETECT_THRESH"], &magnitudes = request["MAG_ZEROPOINT"];
  const bool has_magnitudes = std::ranges::any_of(request.parameters, [](const Parameter& parameter) {
    return parameter.name.starts_with("MAG_") || parameter.name.starts_with("MU_");
  });
  const bool of_threshold = threshold.values.size() == 2 && magnitudes.number() == 0 && !has_magnitudes;
  zero_point = of_threshold ? threshold.number(1) : magnitudes.number();
  return of_threshold ? threshold : magnitudes;
}

void translate_detection(const Request& request, Translation& to) {
  put_filter(request, to);
  put_thresholds(request, to);
  for (const auto& [key, path] :
       {std::pair{"DETECT_MINAREA", "detection.min_area"}, {"DETECT_MAXAREA", "detection.max_area"}}) {
    const Setting& area = request[key];
    to.put(path, format_value(area.whole()), {&area});
  }
  put_deblending(request, to);
}

}  // namespace srcextract::sextractor
