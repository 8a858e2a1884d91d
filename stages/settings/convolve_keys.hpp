#pragma once

#include <string>
#include <vector>

#include "stages/math/kernel_values.hpp"
#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(KernelShape) {
  return {"none", "gaussian", "tophat", "mexican_hat", "values", "file"};
}
inline std::vector<std::string> names_of(Edges) {
  return {"zero", "nearest", "reflect"};
}
inline std::vector<std::string> names_of(Filter) {
  return {"convolution", "matched"};
}

}  // namespace srcextract

namespace srcextract::config {

inline const Section& convolve_section() {
  static const Section section{"convolve", "The convolution before sources are found"};
  return section;
}

/// Describes a key that is a length of the kernel in pixels, from 0 to 1000.
inline Field kernel_length_field(const std::string& key, const std::string& description, const std::string& unused,
                                 const std::string& problem) {
  return {.section = convolve_section(),
          .key = key,
          .description = description,
          .at_least = 0,
          .at_most = 1000,
          .why = "no kernel is that large",
          .unused = unused,
          .problem = problem};
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_convolve_field(AnySettings& c, F&& f) {
  const Section& section = convolve_section();
  const ConvolveConfig usual;
  const auto of_kernel = [&](const auto& value, const auto& usual_value) {
    return use_problem(c.convolve.kernel != KernelShape::none, value, usual_value, "a convolve.kernel");
  };
  const auto is = [&](KernelShape kernel) { return c.convolve.kernel == kernel; };
  const bool has_sigma = is(KernelShape::gaussian) || is(KernelShape::mexican_hat);
  f(Field{.section = section,
          .key = "kernel",
          .description = "Kernel of the convolution before sources are found; `none` = no convolution",
          .problem = shape_problem(c.convolve)},
    c.convolve.kernel);
  f(kernel_length_field("fwhm", "Full width at half maximum of the `gaussian`, in pixels; or give `sigma`",
                        use_problem(is(KernelShape::gaussian), c.convolve.fwhm, 0.0, "convolve.kernel gaussian"),
                        fwhm_problem(c.convolve)),
    c.convolve.fwhm);
  f(kernel_length_field("sigma", "Sigma of the `gaussian`, or of the `mexican_hat`, in pixels",
                        use_problem(has_sigma, c.convolve.sigma, 0.0, "convolve.kernel gaussian or mexican_hat"),
                        sigma_problem(c.convolve)),
    c.convolve.sigma);
  f(kernel_length_field("radius", "Radius of the `tophat`, in pixels",
                        use_problem(is(KernelShape::tophat), c.convolve.radius, 0.0, "convolve.kernel tophat"),
                        radius_problem(c.convolve)),
    c.convolve.radius);
  f(Field{.section = section,
          .key = "size",
          .description = "Side of the kernel in pixels, odd; 0 = to 4 σ (`gaussian`), 5 σ (`mexican_hat`) or the "
                         "radius (`tophat`), at most 63",
          .at_least = 0,
          .at_most = static_cast<double>(most_kernel_size),
          .allowed = "0, or odd up to 63",
          .why = "larger kernels are work for a Fourier transform",
          .unused = use_problem(has_sigma || is(KernelShape::tophat), c.convolve.size, usual.size,
                                "convolve.kernel gaussian, tophat or mexican_hat"),
          .problem = size_problem(c.convolve)},
    c.convolve.size);
  f(Field{.section = section,
          .key = "values",
          .description = "The kernel itself, a list of rows",
          .allowed = "odd sides up to 63, not all 0",
          .unused = use_problem(is(KernelShape::values), c.convolve.values, {}, "convolve.kernel values"),
          .problem = values_problem(c.convolve)},
    c.convolve.values);
  f(Field{.section = section,
          .key = "file",
          .description = "File with the kernel: SExtractor's `.conv`, or a FITS image. Outputs carry its values",
          .is_path = true,
          .unused = use_problem(is(KernelShape::file), c.convolve.file, {}, "convolve.kernel file")},
    c.convolve.file);
  f(Field{.section = section,
          .key = "normalize",
          .description = "Divide the kernel by the sum of its magnitudes (a `.conv` with NONORM sets it to `false`)",
          .unused = of_kernel(c.convolve.normalize, usual.normalize)},
    c.convolve.normalize);
  f(Field{.section = section,
          .key = "edges",
          .description = "Pixels beyond the edges: `zero` (nothing above the sky), `nearest` (the last pixel) or "
                         "`reflect` (the mirror image)",
          .unused = of_kernel(c.convolve.edges, usual.edges)},
    c.convolve.edges);
  f(Field{.section = section,
          .key = "median",
          .description =
              "Before the kernel, replace each pixel by the median of the 3 x 3 about it: hot pixels, and most "
              "of cosmic rays, are not found. Measurements are of the image itself",
          .unused = use_problem(!c.convolve.is_matched(), c.convolve.median, false, "convolve.filter convolution")},
    c.convolve.median);
  f(Field{.section = section,
          .key = "filter",
          .description = "`convolution` with the kernel, or the `matched` filter, which weighs pixels by their noise; "
                         "its threshold is in σ of the sum (SEP's `filter_type`)",
          .unused = filter_use(c.convolve),
          .problem = filter_problem(c)},
    c.convolve.filter);
}

}  // namespace srcextract::config
