#include "pipeline/options/merge_options.hpp"

#include <CLI/CLI.hpp>

#include "pipeline/machine/versions.hpp"
#include "pipeline/options/command_options.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* merge_description =
    "Joins the catalogues of a survey, of one shard or of many, into one catalogue.";

constexpr const char* merge_footer =
    R"(DIR are the directories that srcextract batch wrote into: one, or those of all shards.
SURVEY.fits is a FITS file with two tables, in the order of the images' names:
  SOURCES  every row of every catalogue; the column IMAGE names its image
  IMAGES   one row for every image, with keywords of its header (OBJECT, DATE_OBS, FILTER, ...);
           STATUS and REASON tell which images failed, and why
The ending of SURVEY chooses the format:
  .ldac .ecsv .csv .txt .vot .xml .parquet  the rows of SOURCES; those of IMAGES are in a second
                                            file: survey.images.csv beside survey.csv
  .reg .crtf                                regions on the sky
  .hats                                     a directory of Parquet files by cells of the sky (HATS)
The bytes do not depend on shards, directories, machines or times. IMAGE is the path of the image
below the directory that batch was given, with [HDU] if a file has several images. Bytes that FITS
text cannot hold are written as in URLs (%C3%A9).

For radio maps with fitted Gaussians, the tables .srl.fits and .gaul.fits are joined as well:
survey.srl.fits and survey.gaul.fits beside survey.cat.fits, in the format of SURVEY (Parquet
beside survey.hats). Source_id, Gaus_id and Isl_id count from the start in each image.

--report also writes a page for a browser: survey.report.html beside survey.cat.fits, survey.csv or
survey.hats. It shows what failed and why, images that stand out, and plots over all images. The
page has at most 2 MB and needs no network. It links the reports of the images (output.report).

If only some images have sky coordinates, ALPHA_J2000 and DELTA_J2000 are NaN for the others. If
images have different units (BUNIT), numbers stay as they are, and fluxes and levels have no unit
in SOURCES. A warning says so, and the column UNIT of IMAGES has the unit of each image.

Example:
  srcextract merge shard1/ shard2/ -o survey.cat.fits
  srcextract merge out/ -o survey.csv --report

Exit codes:
  0  merged; images that failed are in IMAGES
  1  internal error, or not enough memory
  2  the command line is wrong, or the directories are not of one survey
  3  a shard is missing or has not finished (--partial merges the others), more finished
     images have failed since than --max-failed allows, a catalogue is missing or
     damaged, or SURVEY cannot be written)";

void add_options(CLI::App& app, MergeCommand& command, bool& quiet) {
  app.add_option("DIR", command.options.directories, "Directories that batch wrote into")
      ->type_name("")
      ->group("Files");
  app.add_option("-o,--output", command.options.output, "The survey catalogue; its ending tells the format")
      ->type_name("SURVEY")
      ->group("Files");
  app.add_flag("--partial", command.options.partial,
               "Merge even if a shard is missing or has not finished, with a warning")
      ->group("Files");
  app.add_flag("--report", command.report, "Also write survey.report.html, a page for a browser about the images")
      ->group("Files");
  app.add_option("--max-failed", command.options.max_failed,
                 "Write nothing if more than PERCENT % of the images that were\ndone have failed since (default: 0)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0).description(""))
      ->group("Files");
  app.add_flag("-q,--quiet", quiet, "Only warnings and errors")->group("Messages");
  app.set_help_flag("-h,--help", "This text")->group("Messages");
}

[[noreturn]] void fail(const std::string& problem) {
  throw Error(ErrorKind::config, problem + "; see srcextract merge --help");
}

void check(const MergeOptions& options) {
  if (options.directories.empty())
    fail("a directory that batch wrote into is needed: srcextract merge DIR... -o survey.cat.fits");
  if (options.output.empty()) fail("-o is needed: the name of the survey catalogue, as in -o survey.cat.fits");
  require_local("--output", options.output, "srcextract merge --help");
  require_format(options.output);
}

}  // namespace

MergeCommand parse_merge_options(int argc, const char* const* argv) {
  MergeCommand command;
  bool quiet = false;
  CLI::App app(merge_description, "srcextract merge");
  app.footer(merge_footer);
  add_options(app, command, quiet);
  command.answer = parse_arguments(app, argc, argv);
  if (!command.answer.empty()) return command;
  command.verbosity = quiet ? Verbosity::quiet : Verbosity::normal;
  command.options.version = program_version();
  check(command.options);
  return command;
}

}  // namespace srcextract
