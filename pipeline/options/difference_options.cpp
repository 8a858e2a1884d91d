#include "pipeline/options/command_line.hpp"

#include <CLI/CLI.hpp>

#include "pipeline/options/key_texts.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/files_beside.hpp"

namespace srcextract {
namespace {

constexpr const char* difference_description =
    "Finds changes between two frames of one field: matches their stars by a fitted kernel,\n"
    "subtracts REFERENCE from NEW, and extracts sources that are brighter or fainter than\n"
    "before. REFERENCE may be a folder: each NEW then takes the frame that covers most of it.";

constexpr const char* difference_footer = R"(Example:
  srcextract difference -o out config.yaml monday.fits tuesday.fits
  srcextract difference --set mask.hdu=MASK --reference-set mask.hdu=MASK monday.fits tuesday.fits
  srcextract difference --set difference.align=wcs templates/ night1/*.fits

The section difference of CONFIG sets how the frames are made comparable: alignment by WCS, kernel,
flux scale and sky. The sections convolve, detection and morphology set how changes are found.
Frames without stars need difference.kernel: gaussian. docs/difference.md has the equations.

Outputs, for NEW tuesday.fits: tuesday.diff.cat.fits and so on (see srcextract --help). SIGN is
1 for a source that is brighter in NEW and -1 for a fainter one; a source that moved gives both.
Fluxes are those of the change, and positive. The picture shows NEW, and changes in red.
output.alerts adds tuesday.diff.alerts.avro or .parquet for brokers: ZTF's names, and cut-outs of
NEW, REFERENCE and the difference.

)";

}  // namespace

CommandLine parse_difference_options(int argc, const char* const* argv) {
  CommandLine command;
  CLI::App app(difference_description, "srcextract difference");
  app.footer([] {
    return difference_footer +
           keys_that_matter({"difference.align", "difference.kernel", "difference.kernel_order", "difference.detect_on",
                             "detection.threshold", "detection.min_area", "measurement.gain", "mask.file", "psf.file",
                             "output.alerts"},
                            "") +
           "\nExit codes: see srcextract --help";
  });
  RunOptionParser parser(
      app, command, "FRAME",
      "REFERENCE, and then NEW: FITS images of one field, or a folder of\nREFERENCEs, and then one or several NEW");
  add_record_option(app, command);
  app.add_option("--reference-set", command.reference_settings,
                 "Override one setting for REFERENCE alone, e.g. mask.file=M.fits. Sections:\n"
                 "background, combine, input, mask, weights; of measurement, gain and\n"
                 "saturation. May be given again. Maps in CONFIG are those of NEW")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Configuration");
  parser.parse(argc, argv);
  if (!command.answer.empty()) return command;
  if (command.inputs.size() < 2)
    throw Error(ErrorKind::config, "name two images, REFERENCE and NEW, not " + std::to_string(command.inputs.size()) +
                                       (command.config.empty() ? "" : ", beside CONFIG '" + command.config + "'") +
                                       "; see srcextract difference --help");
  require_reference_settings(command.reference_settings);
  command.reference = command.inputs.front();
  command.inputs.erase(command.inputs.begin());
  return command;
}

}  // namespace srcextract
