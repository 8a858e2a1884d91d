#include "pipeline/options/merge_options.hpp"

#include <CLI/CLI.hpp>

#include "pipeline/machine/versions.hpp"
#include "pipeline/options/command_options.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* merge_description = "Joins the catalogues of a survey into one, of one shard or many.";

constexpr const char* merge_footer =
    R"(DIR are directories that `srcextract batch` wrote into: one, or those of all shards.
SURVEY.fits is a FITS file of two tables:
  SOURCES  every row of every catalogue, after a column IMAGE that says where it is from
  IMAGES   a row for every image, also for those that failed (STATUS, REASON), with the
           keywords of its header that catalogues carry (OBJECT, DATE_OBS, FILTER, ...)
in the order of the images' names. With another ending (.ldac .ecsv .csv .txt .vot .xml
.parquet) SURVEY has the rows of SOURCES in that format, and a file beside it, survey.images.csv of
survey.csv, those of IMAGES. .reg and .crtf are regions on the sky, and survey.hats is a
directory of Parquet files by cells of the sky (HATS). Bytes do not depend on shards,
directories, machines or times. IMAGE is the name below the directory that batch was
given, with [HDU] where a file has several; bytes that FITS text cannot hold are written
as in URLs (%C3%A9).

Of radio maps whose Gaussians were fitted, the tables .srl.fits and .gaul.fits are joined as
well, after a column IMAGE: survey.srl.fits and survey.gaul.fits beside survey.cat.fits, in the
format of SURVEY (Parquet beside survey.hats). Source_id, Gaus_id and Isl_id count in an image.

--report also writes a page for a browser beside SURVEY, survey.report.html of
survey.cat.fits, survey.csv or survey.hats: what failed and why, the images that stand
out, and plots over all images. It is at most 2 MB and needs no network. Images that
were extracted with output.report are links to pages of their own.

Where some images have sky coordinates, ALPHA_J2000 and DELTA_J2000 are NaN for the
others. Numbers stay as they are: where images have different units (BUNIT), fluxes
and levels have no unit in SOURCES, a warning says so, and the column UNIT of IMAGES
has that of each image.

Example:
  srcextract merge shard1/ shard2/ -o survey.cat.fits
  srcextract merge out/ -o survey.csv --report

Exit codes:
  0  merged; images that failed are in IMAGES
  1  internal error, or not enough memory
  2  the command line is wrong, or the directories are not of one survey
  3  a shard is missing or has not finished (--partial merges what there is), more
     images that were done have failed since than --max-failed allows, a catalogue
     is missing or damaged, or SURVEY cannot be written)";

void add_options(CLI::App& app, MergeCommand& command, bool& quiet) {
  app.add_option("DIR", command.options.directories, "What batch wrote into")->type_name("")->group("Files");
  app.add_option("-o,--output", command.options.output, "The survey catalogue; its ending tells the format")
      ->type_name("SURVEY")
      ->group("Files");
  app.add_flag("--partial", command.options.partial, "Also if a shard is missing or has not finished, with a warning")
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
