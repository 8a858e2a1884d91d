#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "config/config.hpp"
#include "config/field.hpp"
#include "config/kernel_values.hpp"
#include "config/problems.hpp"

namespace srcextract {

/// The words for an enumeration, in the order of its enumerators.
inline std::vector<std::string> names_of(ThresholdUnit) {
  return {"sigma", "absolute", "detection_sigma"};
}
inline std::vector<std::string> names_of(Reference) {
  return {"background", "zero"};
}
inline std::vector<std::string> names_of(CombineMethod) {
  return {"none", "weighted", "luminosity", "mean", "inverse_variance", "chi_square", "median"};
}
inline std::vector<std::string> names_of(KernelShape) {
  return {"none", "gaussian", "tophat", "mexican_hat", "values", "file"};
}
inline std::vector<std::string> names_of(Edges) {
  return {"zero", "nearest", "reflect"};
}
inline std::vector<std::string> names_of(CleanOperation) {
  return {"none", "erosion", "opening"};
}
inline std::vector<std::string> names_of(StructuringElement) {
  return {"cross", "square"};
}
inline std::vector<std::string> names_of(Align) {
  return {"none", "wcs"};
}
inline std::vector<std::string> names_of(Interpolation) {
  return {"bilinear", "lanczos3"};
}
inline std::vector<std::string> names_of(Stretch) {
  return {"linear", "sqrt", "log", "asinh", "equalize"};
}
inline std::vector<std::string> names_of(Limits) {
  return {"zscale", "minmax", "values"};
}
inline std::vector<std::string> names_of(Overlay) {
  return {"none", "ellipses", "pixels"};
}
inline std::vector<std::string> names_of(CatalogFormat) {
  return {"fits", "ecsv", "csv", "reg"};
}

/// The one declaration of the configuration's keys: calls f(Field, member) for each, section by section. Parser, dump,
/// error messages and the test of schema.json walk this; a new key is a member of its struct, a line here, and its
/// entries in schema.json and default.yaml, which the tests ask for. A limit may depend on other members of `c`; limits
/// are checked when every key has been read.
template <class ConfigOrConst, class F>
requires std::same_as<std::remove_const_t<ConfigOrConst>, Config>
void for_each_field(ConfigOrConst& c, F&& f) {
  f(Field{.section = "input",
          .key = "hdu",
          .description = "HDU to read: auto (the first that holds an image), a number (0 is the primary HDU), an "
                         "EXTNAME, or all"},
    c.input.hdu);
  f(Field{.section = "input",
          .key = "plane",
          .description = "Plane of a cube, from 1, counted through all axes above the second",
          .at_least = 1,
          .why = "planes are counted from 1"},
    c.input.plane);

  f(Field{.section = "combine",
          .key = "method",
          .description =
              "How several planes or images of one shape become the one that is extracted; none = not at all"},
    c.combine.method);
  f(Field{.section = "combine",
          .key = "planes",
          .description = "Planes of the cube that are combined, from 1; all of them if nothing else is named",
          .problem = planes_problem(c.combine)},
    c.combine.planes);
  f(Field{.section = "combine",
          .key = "hdus",
          .description = "HDUs of the file that are combined: numbers (0 is the primary HDU) or EXTNAMEs",
          .problem = hdus_problem(c.combine, c.input)},
    c.combine.hdus);
  f(Field{.section = "combine",
          .key = "files",
          .description = "Images that are combined with the one that is extracted, and come after it",
          .is_path = true,
          .problem = files_problem(c.combine, c.input)},
    c.combine.files);
  f(Field{.section = "combine",
          .key = "weights",
          .description = "Of the method weighted, one for each plane or image",
          .problem = weights_problem(c.combine)},
    c.combine.weights);

  f(Field{.section = "background",
          .key = "kappa",
          .description = "Pixels at or beyond median +- kappa sigma are clipped",
          .above = 1,
          .at_most = 100,
          .why = "at 1 sigma or less a clip can remove every pixel, and 3 is usual"},
    c.background.kappa);
  f(Field{.section = "background",
          .key = "max_iterations",
          .description = "Rounds of clipping; 0 = until nothing is clipped any more",
          .at_least = 0,
          .why = "0 means until nothing is clipped any more"},
    c.background.max_iterations);

  f(Field{.section = "convolve",
          .key = "kernel",
          .description = "Kernel that the image is convolved with before sources are found; none = not at all",
          .problem = shape_problem(c.convolve)},
    c.convolve.kernel);
  f(Field{.section = "convolve",
          .key = "fwhm",
          .description = "Full width at half maximum of the gaussian, in pixels",
          .at_least = 0,
          .at_most = 1000,
          .why = "no kernel is that large",
          .problem = fwhm_problem(c.convolve)},
    c.convolve.fwhm);
  f(Field{.section = "convolve",
          .key = "sigma",
          .description = "Sigma of the gaussian, or of the mexican_hat, in pixels",
          .at_least = 0,
          .at_most = 1000,
          .why = "no kernel is that large",
          .problem = sigma_problem(c.convolve)},
    c.convolve.sigma);
  f(Field{.section = "convolve",
          .key = "radius",
          .description = "Radius of the tophat, in pixels",
          .at_least = 0,
          .at_most = 1000,
          .why = "no kernel is that large",
          .problem = radius_problem(c.convolve)},
    c.convolve.radius);
  f(Field{.section = "convolve",
          .key = "size",
          .description = "Side of the kernel in pixels, odd; 0 = as large as its shape asks for",
          .at_least = 0,
          .at_most = static_cast<double>(most_kernel_size),
          .why = "larger kernels are work for a Fourier transform",
          .problem = size_problem(c.convolve)},
    c.convolve.size);
  f(Field{.section = "convolve",
          .key = "values",
          .description = "The kernel itself, a list of rows",
          .problem = values_problem(c.convolve)},
    c.convolve.values);
  f(Field{.section = "convolve",
          .key = "file",
          .description = "File that holds the kernel: SExtractor's .conv, or a FITS image",
          .is_path = true,
          .problem = file_problem(c.convolve)},
    c.convolve.file);
  f(Field{.section = "convolve", .key = "normalize", .description = "Divide the kernel by the sum of its magnitudes"},
    c.convolve.normalize);
  f(Field{.section = "convolve",
          .key = "edges",
          .description = "What is beyond the edges: zero (above the sky), nearest (pixel) or reflect"},
    c.convolve.edges);

  f(Field{.section = "detection",
          .key = "threshold",
          .description = "A pixel belongs to a source if it is greater: in sigma above the reference, or a pixel value",
          .above = c.detection.threshold_unit != ThresholdUnit::absolute ? 0 : -no_limit,
          .why = "it is in sigma above the reference; for a pixel value set threshold_unit to absolute"},
    c.detection.threshold);
  f(Field{.section = "detection",
          .key = "threshold_unit",
          .description = "Unit of threshold: sigma (of the clipped background), absolute (pixel value) or "
                         "detection_sigma (of the convolved image)"},
    c.detection.threshold_unit);
  f(Field{.section = "detection",
          .key = "reference",
          .description = "What a threshold in sigma is counted from: background (the clipped median) or zero"},
    c.detection.reference);
  f(Field{.section = "detection",
          .key = "connectivity",
          .description = "Neighbours that join a source: 4 = pixels sharing a side, 8 = also a corner",
          .one_of = {4, 8},
          .why = "4 joins pixels that share a side, 8 also a corner"},
    c.detection.connectivity);
  f(Field{.section = "detection",
          .key = "min_area",
          .description = "Sources of fewer pixels are dropped",
          .at_least = 1,
          .why = "1 keeps every source"},
    c.detection.min_area);

  f(Field{.section = "clean",
          .key = "operation",
          .description =
              "Morphology on what is above the threshold: none, erosion or opening (erosion, then dilation)"},
    c.clean.operation);
  f(Field{.section = "clean",
          .key = "element",
          .description = "Structuring element: cross (the pixel and its 4 neighbours) or square (and the corners)"},
    c.clean.element);
  f(Field{.section = "clean",
          .key = "iterations",
          .description = "How many times it is eroded, and then dilated",
          .at_least = 1,
          .at_most = 1000,
          .why = "each takes a pixel off every side; nothing would be left"},
    c.clean.iterations);

  f(Field{.section = "measurement",
          .key = "reference",
          .description = "Level subtracted from every pixel that is measured: background (the clipped median) or zero"},
    c.measurement.reference);
  f(Field{.section = "measurement",
          .key = "gain",
          .description = "Detector gain in e-/count, for the Poisson term of FLUXERR_ISO; 0 = no such term",
          .at_least = 0,
          .why = "0 leaves the Poisson term out"},
    c.measurement.gain);

  f(Field{.section = "difference",
          .key = "align",
          .description = "Frames on different pixels: none (refuse them) or wcs (resample the reference)"},
    c.difference.align);
  f(Field{.section = "difference",
          .key = "interpolation",
          .description = "How the reference is resampled: bilinear or lanczos3"},
    c.difference.interpolation);
  f(Field{.section = "difference",
          .key = "match_flux",
          .description = "Scale the reference to the brightness of the new frame"},
    c.difference.match_flux);
  f(Field{.section = "difference", .key = "match_background", .description = "Subtract the sky from both frames"},
    c.difference.match_background);
  f(Field{.section = "difference",
          .key = "reference_fwhm",
          .description = "Width of the stars of the reference, in pixels of the new frame; 0 = do not match the widths",
          .at_least = 0,
          .at_most = 18,
          .why = "wider stars need a larger kernel than there can be"},
    c.difference.reference_fwhm);
  f(Field{.section = "difference",
          .key = "new_fwhm",
          .description = "Width of the stars of the new frame, in pixels; 0 = do not match the widths",
          .at_least = 0,
          .at_most = 18,
          .why = "wider stars need a larger kernel than there can be",
          .problem = fwhm_problem(c.difference)},
    c.difference.new_fwhm);

  f(Field{.section = "output", .key = "formats", .description = "Formats in which the catalogue is written"},
    c.output.formats);
  f(Field{.section = "output",
          .key = "segmentation",
          .description = "Also write the label map {stem}.seg.fits (pixel = NUMBER, 0 = no source)"},
    c.output.segmentation);
  f(Field{.section = "output", .key = "quicklook", .description = "Also write a picture of the image, {stem}.png"},
    c.output.quicklook);
  f(Field{.section = "output",
          .key = "header_keywords",
          .description = "Keywords of the image's header that catalogue and run.json carry besides the usual ones",
          .problem = keywords_problem(c.output)},
    c.output.header_keywords);

  f(Field{.section = "quicklook",
          .key = "stretch",
          .description = "From pixel values to grey: linear, sqrt, log, asinh, or equalize (the histogram)"},
    c.quicklook.stretch);
  f(Field{.section = "quicklook",
          .key = "limits",
          .description = "Values drawn black and white: zscale (IRAF's), minmax, or values (low and high)"},
    c.quicklook.limits);
  f(Field{.section = "quicklook", .key = "low", .description = "Value drawn black, where limits is values"},
    c.quicklook.low);
  f(Field{.section = "quicklook",
          .key = "high",
          .description = "Value drawn white, where limits is values",
          .problem = high_problem(c.quicklook)},
    c.quicklook.high);
  f(Field{.section = "quicklook",
          .key = "bins",
          .description = "Bins between the limits, each with a grey of its own",
          .at_least = 256,
          .at_most = 65536,
          .why = "256 greys need as many bins, and more than 65536 make no difference"},
    c.quicklook.bins);
  f(Field{.section = "quicklook",
          .key = "overlay",
          .description = "What is drawn over the image: none, ellipses (of the sources) or pixels (that are detected)"},
    c.quicklook.overlay);
  f(Field{.section = "quicklook",
          .key = "size",
          .description = "Most pixels of the longer side; a larger image is scaled down",
          .at_least = 16,
          .at_most = 65536,
          .why = "there would be nothing to see, or no viewer for it"},
    c.quicklook.size);
}

}  // namespace srcextract
