#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(CatalogFormat) {
  std::vector<std::string> names;
  for (const FormatNames& format : catalog_formats) names.emplace_back(format.name);
  return names;
}

inline std::vector<std::string> names_of(ParquetCompression) {
  return {"none", "zstd"};
}

inline std::vector<std::string> names_of(ImageCompression) {
  return {"none", "gzip", "tiles"};
}

/// A declaration of may_be_none(Enum) means that a list of words of this enumeration may be empty. The function is
/// never defined.
void may_be_none(ComponentTable);
inline std::vector<std::string> names_of(ComponentTable) {
  return {"srl", "gaul"};
}
inline std::vector<std::string> names_of(TableStyle) {
  return {"pybdsf", "aegean", "casda"};
}

void may_be_none(ComponentRegions);
inline std::vector<std::string> names_of(ComponentRegions) {
  return {"reg", "ann", "skymodel"};
}

void may_be_none(CheckImage);
inline std::vector<std::string> names_of(CheckImage) {
  return {"background",     "rms",          "-background", "filtered",   "objects", "-objects", "snr",
          "minibackground", "miniback_rms", "threshold",   "morphology", "model",   "residual", "chi",
          "psf_sky",        "islands",      "apertures"};
}

void may_be_none(AlertFormat);
inline std::vector<std::string> names_of(AlertFormat) {
  return {"avro", "parquet"};
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

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_output_field(AnySettings& c, F&& f) {
  const Section section{"output", "What is written"};
  f(Field{.section = section, .key = "formats", .description = "Formats in which the catalogue is written"},
    c.output.formats);
  f(Field{.section = section,
          .key = "parquet_compression",
          .description = "How Parquet is compressed; the bytes of `zstd` depend on the version of that library",
          .unused = parquet_compression_use(c.output)},
    c.output.parquet_compression);
  f(Field{.section = section,
          .key = "columns",
          .description = "Columns of the catalogue, by name or group; only these are measured",
          .allowed = allowed_columns(),
          .problem = columns_problem(c)},
    c.output.columns);
  f(Field{.section = section,
          .key = "catalogues",
          .description = "Tables of the fit (`fit.model`), each a file `{stem}.{name}.fits`: `srl` (sources), `gaul` "
                         "(their Gaussians); also in the other table formats of `formats`",
          .unused = use_problem(fits_gaussians(c), c.output.catalogues, {}, "fit.model gaussians")},
    c.output.catalogues);
  f(Field{.section = section,
          .key = "style",
          .description = "Names, units and UCDs of the columns of `catalogues`: those of `pybdsf`, `aegean` or `casda`",
          .unused = use_problem(fits_gaussians(c), c.output.style, TableStyle::pybdsf, "fit.model gaussians")},
    c.output.style);
  f(Field{.section = section,
          .key = "regions",
          .description =
              "Also write the fitted Gaussians as `{stem}.gaul.{format}` for each: `reg` (DS9), `ann` (kvis), "
              "`skymodel` (BBS and DP3)",
          .unused = use_problem(fits_gaussians(c), c.output.regions, {}, "fit.model gaussians")},
    c.output.regions);
  f(Field{.section = section,
          .key = "segmentation",
          .description = "Also write the label map `{stem}.seg.fits` (pixel = NUMBER, 0 = no source)"},
    c.output.segmentation);
  f(Field{.section = section, .key = "quicklook", .description = "Also write a picture of the image, `{stem}.png`"},
    c.output.quicklook);
  f(Field{.section = section,
          .key = "report",
          .description = "Also write a page for a browser, `{stem}.report.html`: image, sources, sky, plots, times and "
                         "configuration in one file; the option `--report`"},
    c.output.report);
  f(Field{.section = section,
          .key = "psf",
          .description = "Also write the PSF of psf.method fit: `{stem}.psf` for SExtractor, its stars and those left "
                         "out `{stem}.psf.stars.fits`, and a picture `{stem}.psf.svg`",
          .unused = use_problem(c.psf.method == PsfMethod::fit, c.output.psf, false, "psf.method fit")},
    c.output.psf);
  f(Field{.section = section,
          .key = "report_copies",
          .description =
              "Fainter copies of its own stars that are put into the image, for the completeness in the report; "
              "the image is extracted once more for each copy per 64 x 64 pixels. With `fit.model: gaussians`: "
              "Gaussians of 3 to 100 σ, as of `srcextract inject`",
          .at_least = 0,
          .at_most = 50000,
          .why = "the completeness is then known to 1 %",
          .unused = report_copies_use(c.output),
          .problem = report_copies_problem(c)},
    c.output.report_copies);
  f(Field{.section = section,
          .key = "check_images",
          .description =
              "Also write `{stem}.{name}.fits` for each: level and noise of the sky, the image above it, "
              "the filtered image, sources alone, all but sources, signal to noise, the meshes, pixels above "
              "the threshold (1, others 0) before and after morphology, pixels of sources (1, others 0), with "
              "`fit.model` the Gaussians and the image without them, and the image above the sky with the outlines of "
              "apertures; a minus in front becomes `minus_`",
          .problem = check_images_problem(c)},
    c.output.check_images);
  f(Field{.section = section,
          .key = "check_compression",
          .description = "Lossless compression of check images: `gzip` (the file, `{stem}.{name}.fits.gz`) or `tiles` "
                         "(rows by GZIP_2, which CFITSIO and Astropy read, `{stem}.{name}.fits.fz`)",
          .unused = check_compression_use(c.output)},
    c.output.check_compression);
  f(Field{.section = section,
          .key = "alerts",
          .description =
              "Also write an alert for each row of a difference, `{stem}.alerts.avro` or `.parquet`: numbers "
              "with the names of ZTF's alerts, and three cut-outs"},
    c.output.alerts);
  f(Field{.section = section,
          .key = "header_keywords",
          .description = "More keywords of the image for the catalogue, `run.json` and the table IMAGES of a survey",
          .is_keyword = true,
          .allowed = "FITS keywords, at most 8 characters",
          .problem = keywords_problem(c.output)},
    c.output.header_keywords);
  f(Field{.section = section,
          .key = "one_catalogue",
          .description = "With several HDUs of a file, also write `{stem}.cat.fits` with all sources, after the "
                         "columns EXT_NUMBER and EXTNAME",
          .problem = one_catalogue_problem(c.output)},
    c.output.one_catalogue);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_quicklook_field(AnySettings& c, F&& f) {
  const Section section{"quicklook", "The picture that output.quicklook writes"};
  const auto of_values = [&](double value) {
    return use_problem(c.quicklook.limits == Limits::values, value, 0.0, "quicklook.limits values");
  };
  f(Field{.section = section,
          .key = "stretch",
          .description = "From pixel values to grey: `linear`, `sqrt`, `log`, `asinh`, or `equalize` (the histogram)"},
    c.quicklook.stretch);
  f(Field{.section = section,
          .key = "limits",
          .description =
              "Pixel values of black and white: `zscale` (IRAF's), `minmax`, or `values` (`low` and `high`)"},
    c.quicklook.limits);
  f(Field{.section = section,
          .key = "low",
          .description = "Value drawn black, with `limits: values`",
          .unused = of_values(c.quicklook.low)},
    c.quicklook.low);
  f(Field{.section = section,
          .key = "high",
          .description = "Value drawn white, with `limits: values`",
          .allowed = "> `low`",
          .unused = of_values(c.quicklook.high),
          .problem = high_problem(c.quicklook)},
    c.quicklook.high);
  f(Field{.section = section,
          .key = "bins",
          .description = "Bins between the limits, each with a grey of its own",
          .at_least = 256,
          .at_most = 65536,
          .why = "256 greys need as many bins, and more than 65536 make no difference"},
    c.quicklook.bins);
  f(Field{.section = section,
          .key = "overlay",
          .description = "Drawn over the image: `none`, `ellipses` (of the sources) or `pixels` (that are detected)"},
    c.quicklook.overlay);
  f(Field{.section = section,
          .key = "size",
          .description = "Length of the longer side in pixels, at most; a larger image is scaled down",
          .at_least = 16,
          .at_most = 65536,
          .why = "there would be nothing to see, or no viewer for it"},
    c.quicklook.size);
}

}  // namespace srcextract::config
