#include "pipeline/options/command_line.hpp"

#include <CLI/CLI.hpp>

#include "pipeline/options/key_texts.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* psf_description =
    "Makes the PSF of each image from its own stars, as psf.method: fit does before it\n"
    "measures, and writes no catalogue of sources.";

constexpr const char* psf_footer = R"(Example:
  srcextract psf m31.fits
  srcextract psf -o models --set psf.degree=3 --set measurement.gain=1.6 night1/*.fits
  srcextract --set psf.file=m31.psf --set 'output.columns=[default, psf]' m31.fits

Outputs, for an image m31.fits:
  m31.psf             the model, for psf.file, and for SExtractor (PSF_NAME)
  m31.psf.stars.fits  every source that was found: chi2, and the reason if it was not used
  m31.psf.svg         picture: the model over the field, and the residuals of the stars
From CONFIG it uses the sections background, weights and mask, the gain, the saturation and psf.degree.

)";

}  // namespace

CommandLine parse_psf_options(int argc, const char* const* argv) {
  CommandLine command;
  CLI::App app(psf_description, "srcextract psf");
  app.footer([] {
    return psf_footer +
           keys_that_matter({"psf.degree", "measurement.gain", "measurement.saturation", "background.mesh_size",
                             "weights.file", "mask.file", "input.hdu"},
                            "") +
           "\nExit codes: see srcextract --help";
  });
  RunOptionParser parser(app, command, "IMAGE", "FITS images. If one fails, the others are still used");
  parser.parse(argc, argv);
  if (!command.answer.empty()) return command;
  if (command.inputs.empty())
    throw Error(ErrorKind::config, "IMAGE is required: name at least one FITS file; see srcextract psf --help");
  for (const std::string& setting : command.settings) {
    if (setting == "output.report=true")
      throw Error(ErrorKind::config,
                  "--report: a report is of an extraction, and srcextract psf makes none; leave it out, or run "
                  "srcextract --report --set psf.method=fit --set output.psf=true");
    if (setting.starts_with("psf.method=") && setting != "psf.method=fit")
      throw Error(ErrorKind::config, "--set " + setting +
                                         ": srcextract psf makes a PSF of the image's stars, which is psf.method=fit; "
                                         "leave it out, or use the file by srcextract --set psf.file=FILE");
  }
  command.only_psf = true;
  command.settings.insert(command.settings.end(), {"psf.method=fit", "output.psf=true"});
  return command;
}

}  // namespace srcextract
