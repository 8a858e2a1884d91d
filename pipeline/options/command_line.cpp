#include "pipeline/options/command_line.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "config/config.hpp"
#include "pipeline/options/answers.hpp"
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

Of thousands of images, so that nothing is lost: srcextract batch --help, and merge
Fluxes in r.fits of what g.fits shows: srcextract -d g.fits r.fits
Fluxes in g and r of what their mean shows, in one catalogue:
  srcextract -d mean.fits --band g=g.fits --band r=r.fits
Fluxes in r.fits at known positions: srcextract --positions p.csv r.fits
The columns that there are, and the keys of CONFIG: srcextract columns, srcextract keys
What changed between two images: srcextract difference --help
What is found in a radio map, and how well: srcextract inject --help
The PSF of an image alone: srcextract psf --help
To hold a catalogue against a reference: srcextract compare --help
With a configuration of SExtractor's: srcextract convert-config default.sex -o config.yaml
In the place of SExtractor: srcextract sextractor m31.fits -c default.sex; see srcextract sextractor -h

Outputs, for an image m31.fits (or .fit, .fts, .fits.fz, .fits.gz), as `output` in CONFIG says:
  m31.cat.fits  m31.cat.ecsv  m31.cat.csv   the catalogue
  m31.cat.vot   m31.cat.xml                 the same, VOTables: in BINARY2, as text
  m31.cat.ldac  m31.cat.txt                 for SCAMP and PSFEx; as SExtractor's ASCII_HEAD
  m31.cat.parquet                           the same for pyarrow, DuckDB, Polars ...
  m31.reg       m31.crtf                    regions for DS9, for CARTA and CASA
  m31.seg.fits                              label map, pixel = NUMBER
  m31.png                                   picture, the sources over it
  m31.report.html                           page for a browser (--report)
  m31.run.json                              times, statistics, versions, configuration
Where `input.hdu` selects several images of a file: m31.hdu1.cat.fits, and so on; with
`output.one_catalogue` also m31.cat.fits of all. With --positions: m31.forced.cat.fits, and so on;
with -d mean.fits and --band: mean.bands.cat.fits, and so on.

Exit codes (of several images, the highest):
  0  done
  1  internal error, or not enough memory
  2  the command line or the configuration is wrong
  3  an input cannot be used, or an output cannot be written
  4  no usable GPU, or not enough memory on it
  5  --backend compare found a difference)";

/// Values of --band and --band-set, which read_bands() parses together.
struct Texts {
  std::vector<std::string> bands, band_settings;
};

void add_places(CLI::App& app, CommandLine& command, Texts& texts) {
  CLI::Option* const detect = app.add_option("-d,--detect", command.detect,
                                             "Find sources in this image, and measure them in IMAGE, on the same\n"
                                             "pixels: positions, shapes and radii are of DETECT, fluxes of IMAGE")
                                  ->type_name("DETECT")
                                  ->group("Files");
  app.add_option("--detect-set", command.detect_settings,
                 "Override one setting for DETECT alone, as in weights.file=W.fits;\n"
                 "of background, combine, input, mask, weights; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->needs(detect)
      ->group("Configuration");
  CLI::Option* const band = app.add_option("--band", texts.bands,
                                           "Measure in this image, as in g=g.fits, and not in IMAGE: for each of\n"
                                           "several, columns FLUX_AUTO_g ... of one catalogue; may be given\n"
                                           "again")
                                ->type_name("NAME=FILE")
                                ->allow_extra_args(false)
                                ->needs(detect)
                                ->group("Files");
  app.add_option("--band-set", texts.band_settings,
                 "Override one setting for a band alone, as in g:measurement.gain=2;\n"
                 "of background, combine, flags, input, mask, measurement, psf, weights;\n"
                 "may be given again")
      ->type_name("NAME:KEY=VALUE")
      ->allow_extra_args(false)
      ->needs(band)
      ->group("Configuration");
  app.add_option("--positions", command.positions,
                 "Find nothing: measure circles, and ellipses, at the positions of\n"
                 "this table (X_IMAGE, Y_IMAGE, or RA, DEC, or VizieR's names), a row\n"
                 "for each")
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
  CLI::App app(extract_description, "srcextract");
  app.footer(extract_footer);
  RunOptionParser parser(app, command, "IMAGE", "FITS images; each is tried, whatever becomes of the others");
  app.add_flag("--dump-config", command.dump_config, "Print the resolved configuration and stop; needs no IMAGE")
      ->group("Configuration");
  Texts texts;
  add_places(app, command, texts);
  parser.parse(argc, argv, 1);
  if (!command.answer.empty()) return command;
  if (!command.config.empty() && !is_own_configuration(command.config)) require_no_command(command.config);
  command.bands = read_bands(texts.bands, texts.band_settings);
  if (!command.inputs.empty() && !command.bands.empty()) {
    const std::string& image = command.inputs.front();
    const bool named = image.find('=') != image.npos;
    throw Error(ErrorKind::config, image +
                                       " is an IMAGE beside --band, which names every image that is measured; name it "
                                       "by --band " +
                                       (named ? "" : "NAME=") + image + ", or leave out --band; see srcextract --help");
  }
  if (command.inputs.empty() && command.bands.empty() && !command.dump_config)
    throw Error(ErrorKind::config,
                (command.config.empty()             ? "IMAGE is required"
                 : is_configuration(command.config) ? command.config + " is the CONFIG, and IMAGE is required"
                                                    : command.config + " is no FITS image") +
                    ": name at least one FITS file; see srcextract --help");
  if (app.count("--detect") > 0) require_detect(command);
  if (app.count("--positions") > 0 && command.positions.empty())
    throw Error(ErrorKind::config,
                "--positions is an empty text; is a variable of your script not set? See srcextract --help");
  return command;
}

}  // namespace srcextract
