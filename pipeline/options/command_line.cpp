#include "pipeline/options/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "pipeline/options/answers.hpp"
#include "pipeline/options/key_texts.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"
#include "survey/inputs/files_beside.hpp"

namespace srcextract {
namespace {

constexpr const char* extract_description =
    "Extracts sources from FITS images: kappa-sigma clipping, thresholding, connected\n"
    "components, measurement. The catalogue is the same from CPU and GPU, and from any\n"
    "number of threads.";

constexpr const char* extract_footer = R"(Example:
  srcextract m31.fits
  srcextract -o out --set detection.threshold=3 my.yaml m31.fits
  curl -s URL | srcextract -o out -            standard input, into out/stdin.cat.fits

To do this                                      type
  extract a survey that may be killed           srcextract batch -o out night1/
  find sources in g.fits, measure r.fits        srcextract -d g.fits r.fits
  find in mean.fits, measure g and r            srcextract -d mean.fits --band g=g.fits --band r=r.fits
  measure r.fits at known positions             srcextract --positions p.csv r.fits
  list the columns, or the keys of CONFIG       srcextract columns, srcextract keys
  find changes between two images               srcextract difference old.fits new.fits
  test what is found in a radio map             srcextract inject radio map.fits
  make the PSF of an image                      srcextract psf m31.fits
  compare a catalogue with a reference          srcextract compare trusted.fits new.fits
  convert a configuration of SExtractor         srcextract convert-config default.sex -o config.yaml
  replace SExtractor in a script                srcextract sextractor m31.fits -c default.sex

Outputs for an image m31.fits (or .fit, .fts, .fits.fz, .fits.gz). The section output of CONFIG chooses:
  m31.cat.fits  m31.cat.ecsv  m31.cat.csv   the catalogue
  m31.cat.vot   m31.cat.xml                 the catalogue as VOTable: BINARY2, or text
  m31.cat.ldac  m31.cat.txt                 the catalogue for SCAMP and PSFEx, or as ASCII_HEAD
  m31.cat.parquet                           the catalogue for pyarrow, DuckDB, Polars
  m31.reg       m31.crtf                    regions for DS9, or for CARTA and CASA
  m31.seg.fits                              label map: each pixel has the NUMBER of its source
  m31.png                                   picture of the image and its sources
  m31.report.html                           page for a browser (--report)
  m31.run.json                              times, statistics, versions, configuration (--record)
If input.hdu selects several images of a file, names are m31.hdu1.cat.fits and so on;
output.one_catalogue joins them in m31.cat.fits. With --positions names are m31.forced.cat.fits
and so on, with -d mean.fits and --band mean.bands.cat.fits and so on.

Exit codes (for several images, the highest of theirs):
  0  done
  1  internal error, or not enough memory
  2  the command line or the configuration is wrong
  3  an input cannot be used, or an output cannot be written
  4  no usable GPU, or not enough memory on it
  5  --backend compare found a difference)";

/// A configuration that is part of the program, called as a command.
struct OwnCommand {
  const char* name;
  const char* description;
  const char* footer;
  std::vector<std::string> keys;  ///< the keys that its help shows
};

const std::array<OwnCommand, 2>& own_commands() {
  static const std::array<OwnCommand, 2> commands = {
      {{"crowd",
        "Measures the stars of a crowded field: finds them in what the fit of those known leaves\n"
        "over, turn by turn, and fits a PSF to all of them, with the sky.",
        R"(Example:
  srcextract crowd m31.fits                    the PSF is made of the image's stars
  srcextract crowd -o out --set psf.file=m31.psf --set measurement.gain=1.6 m31.fits
  srcextract crowd --set 'output.check_images=[residual]' m31.fits
  srcextract batch -o out crowd night1/

Outputs, for an image m31.fits, are those of srcextract --help. m31.cat.fits has a row for each
star: FLUX_PSF, its error, how well the PSF fits, and the share of the light that is the star's.
docs/crowd.md explains the columns.

)",
        {"measurement.gain", "measurement.saturation", "psf.file", "psf.degree", "crowd.threshold", "crowd.turns",
         "crowd.sky_size", "background.mesh_size", "mask.file", "output.check_images"}},
       {"radio",
        "Fits Gaussians to the islands of a radio map, and tells their flux densities in Jy, as\n"
        "PyBDSF and Aegean do.",
        R"(Example:
  srcextract radio map.fits
  srcextract radio --set beam.source=given --set 'beam.fwhm=[10.4, 7.6]' map.fits
  srcextract radio --set output.style=aegean map.fits
  srcextract inject radio map.fits             what is found, and how well

Outputs, for a map map.fits:
  map.srl.fits   a row for each source: one Gaussian, or several of one island that overlap
  map.gaul.fits  a row for each Gaussian
  map.cat.fits   a row for each island; the other outputs are those of srcextract --help
docs/radio.md explains beams, units and columns.

)",
        {"detection.threshold", "detection.seed", "detection.min_area", "background.mesh_beams", "background.refine",
         "beam.source", "beam.fwhm", "fit.refine", "output.style", "output.check_images"}}}};
  return commands;
}

/// The command that the first argument names; null if it names none.
const OwnCommand* own_command(int argc, const char* const* argv) {
  if (argc < 2 || !is_own_configuration(argv[1])) return nullptr;
  return &*std::ranges::find(own_commands(), std::string_view(argv[1]), &OwnCommand::name);
}

/// Throws Error{config} if an input is a configuration, beside the command's own.
void require_no_configuration(const OwnCommand& own, const std::vector<std::string>& inputs) {
  const std::string name = own.name;
  for (const std::string& input : inputs)
    if (input.ends_with(".yaml") || input.ends_with(".yml"))
      throw Error(ErrorKind::config, input + ": " + name +
                                         " is a configuration itself; change its keys by --set, or run srcextract " +
                                         shell_word(input) + " IMAGE... with 'extends: " + name +
                                         "' in the file; see srcextract " + name + " --help");
}

/// Values of --band and --band-set, which read_bands() parses together.
struct Texts {
  std::vector<std::string> bands, band_settings;
};

void add_places(CLI::App& app, CommandLine& command, Texts& texts) {
  CLI::Option* const detect =
      app.add_option("-d,--detect", command.detect,
                     "Find sources in DETECT and measure them in IMAGE, which has the same\n"
                     "pixel grid. Positions, shapes and radii are from DETECT, fluxes from IMAGE")
          ->type_name("DETECT")
          ->group("Files");
  app.add_option("--detect-set", command.detect_settings,
                 "Override one setting for DETECT alone, e.g. weights.file=W.fits. Sections:\n"
                 "background, combine, input, mask, weights. May be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->needs(detect)
      ->group("Configuration");
  CLI::Option* const band = app.add_option("--band", texts.bands,
                                           "Measure this image instead of IMAGE, e.g. g=g.fits. May be given again:\n"
                                           "one catalogue then has columns FLUX_AUTO_g and so on for each band")
                                ->type_name("NAME=FILE")
                                ->allow_extra_args(false)
                                ->needs(detect)
                                ->group("Files");
  app.add_option("--band-set", texts.band_settings,
                 "Override one setting for a band alone, e.g. g:measurement.gain=2. Sections:\n"
                 "background, combine, flags, input, mask, measurement, psf, weights. May be\n"
                 "given again")
      ->type_name("NAME:KEY=VALUE")
      ->allow_extra_args(false)
      ->needs(band)
      ->group("Configuration");
  app.add_option("--positions", command.positions,
                 "Measure circles, and ellipses, at the positions in TABLE. Nothing is searched for.\n"
                 "TABLE has columns X_IMAGE and Y_IMAGE, or RA and DEC, or VizieR's names")
      ->type_name("TABLE")
      ->excludes(detect)
      ->group("Files");
}

/// Throws Error{config} if CONFIG is no existing file and has no dot or slash: the user probably mistyped a command.
void require_no_command(const std::string& config) {
  std::error_code failure;
  if (config.find_first_of("./") != config.npos || std::filesystem::exists(config, failure)) return;
  const std::vector<std::string> commands = command_names();
  if (std::ranges::find(commands, config) != commands.end())
    throw Error(ErrorKind::config, "the command comes first: srcextract " + config +
                                       " ..., options after it; see srcextract " + config + " --help");
  // `srcextract extract` asks for an extraction; the nearest name, `sextractor`, would be a wrong hint.
  const std::string near = config == "extract" ? "" : nearest(config, commands);
  throw Error(ErrorKind::config,
              config + ": there is no file of this name, and no such command" +
                  (near.empty() ? ": images are extracted without one, as in srcextract IMAGE..., and there are " +
                                      join(commands) + "; see srcextract --help"
                                : "; did you mean srcextract " + near + "? See srcextract --help"));
}

bool is_configuration(const std::string& path) {
  return path.empty() || path.ends_with(".yaml") || path.ends_with(".yml") || is_own_configuration(path);
}

void require_detect(const CommandLine& command) {
  if (command.detect.empty())
    throw Error(ErrorKind::config, "-d is an empty text; is a variable of your script not set? See srcextract --help");
  require_detection_settings(command.detect_settings);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine command;
  const OwnCommand* const own = own_command(argc, argv);
  if (own != nullptr) command.config = own->name;
  CLI::App app(own != nullptr ? own->description : extract_description,
               own != nullptr ? std::string("srcextract ") + own->name : "srcextract");
  app.footer([own] {
    return own == nullptr
               ? extract_footer
               : own->footer + keys_that_matter(own->keys, own->name) + "\nExit codes: see srcextract --help";
  });
  RunOptionParser parser(app, command, "IMAGE", "FITS images. If one fails, the others are still extracted");
  add_record_option(app, command);
  app.add_flag("--dump-config", command.dump_config, "Print the resolved configuration and stop; needs no IMAGE")
      ->group("Configuration");
  Texts texts;
  add_places(app, command, texts);
  parser.parse(argc, argv, own != nullptr ? 2 : 1);
  if (!command.answer.empty()) return command;
  if (own != nullptr) require_no_configuration(*own, command.inputs);
  if (!command.config.empty() && !is_own_configuration(command.config)) require_no_command(command.config);
  command.bands = read_bands(texts.bands, texts.band_settings);
  if (!command.inputs.empty() && !command.bands.empty()) {
    const std::string& image = command.inputs.front();
    const bool named = image.find('=') != image.npos;
    throw Error(ErrorKind::config,
                "with --band, give every image to measure as --band NAME=FILE, not as IMAGE: write --band " +
                    std::string(named ? "" : "NAME=") + image + ", or leave out --band; see srcextract --help");
  }
  if (command.inputs.empty() && command.bands.empty() && !command.dump_config)
    throw Error(ErrorKind::config,
                (command.config.empty() || own != nullptr ? "IMAGE is required"
                 : is_configuration(command.config)       ? command.config + " is the CONFIG, and IMAGE is required"
                                                          : command.config + " is no FITS image") +
                    ": name at least one FITS file; see " + app.get_name() + " --help");
  if (app.count("--detect") > 0) require_detect(command);
  if (app.count("--positions") > 0 && command.positions.empty())
    throw Error(ErrorKind::config,
                "--positions is an empty text; is a variable of your script not set? See srcextract --help");
  return command;
}

}  // namespace srcextract
