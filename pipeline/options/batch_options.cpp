#include "pipeline/options/batch_options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

#include "pipeline/options/command_line.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* batch_description =
    "Extracts the images of a survey and keeps a journal of what is done. Started again, it\n"
    "does only what is missing or changed. You can kill it at any time. On restart, images that\n"
    "were in progress run first and alone, so one bad image cannot stop the survey.";

constexpr const char* batch_footer =
    R"(INPUT is one of these:
  a FITS file
  a directory    all images below it, except hidden files and outputs (*.cat.fits, *.seg.fits)
  a pattern      in quotes, e.g. 'night*/*.fits'
  a manifest     .txt: one path in each line; .csv or .ecsv: one image in each row

Columns of a manifest (.csv, .ecsv):
  path                 the image
  name                 the base name of its outputs (optional)
  detection.threshold  any key of CONFIG: its value for this image alone
  detect               find sources in this image instead; detect:weights.file sets a key for it
  band:g, band:r       with detect: bands that one catalogue has
  positions            a table of positions to measure; no sources are found
  reference            a frame to subtract first, as srcextract difference does, or a folder: of its
                       frames the one that covers most of the image; reference:mask.file sets a key

Examples:
  srcextract batch -o out config/default.yaml night1/
  srcextract batch -o out --shard 2/4 config/default.yaml survey.txt
  srcextract merge out -o survey.cat.fits

In a Slurm job array, each task does its own shard: see scripts/slurm.

Outputs, besides those of every image (srcextract --help):
  journal.jsonl    a line for every image that is done or has failed
  failures.csv     the images that failed, and why; missing if none failed

Exit codes:
  0  every image is done
  1  internal error, or not enough memory
  2  the command line or the configuration is wrong
  3  an input directory or manifest cannot be read, a missing disk of inputs did not come
     back within --wait, outputs cannot be written, or another process uses the output
     directory
  4  no usable GPU
  6  every image was tried, and some failed: see failures.csv
  7  stopped by SIGTERM, SIGINT, SIGHUP or --image-timeout; images in progress were
     finished. Start it again to go on
  8  more images failed than --max-failures allows)";

/// Accepts finite numbers of 0 or more; messages name the number by `what`. CLI::Range would print a double's limit
/// with all 309 digits.
CLI::Validator not_negative(const std::string& what) {
  const auto check = [what](const std::string& text) {
    double value = -1;
    const bool is_number = CLI::detail::lexical_cast(text, value);
    return is_number && value >= 0 && std::isfinite(value) ? "" : "'" + text + "' is not " + what + " from 0 on";
  };
  return {check, ""};
}

void add_survey(CLI::App& app, BatchOptions& options, std::string& shard) {
  app.add_option("--shard", shard,
                 "Extract part I of N parts of equal size, counted from 1 (default: 1/1,\n"
                 "which is all; in a Slurm array, the part of the task)")
      ->type_name("I/N")
      ->group("What is done");
  app.add_flag("--retry-failed", options.plan.retry_failed, "Also extract images that failed before")
      ->group("What is done");
  app.add_flag("--force", options.plan.force, "Extract all images again")->group("What is done");
  app.add_flag("--dry-run", options.dry_run, "Print the paths of the images to extract, and stop")
      ->group("What is done");
  app.add_option("--max-failures", options.max_failures, "Stop when more than N images failed (default: never)")
      ->type_name("N")
      ->check(not_negative("a whole number"))
      ->group("What is done");
  const auto add_seconds = [&](const char* name, double& seconds, const char* text) {
    app.add_option(name, seconds, text)
        ->type_name("SECONDS")
        ->check(not_negative("a number of seconds"))
        ->group("What is done");
  };
  add_seconds("--wait", options.wait,
              "Time to wait for inputs that are missing together, e.g. because their disk\n"
              "is no longer mounted. Others go on (default: 3600; 0: do not wait)");
  add_seconds("--image-timeout", options.image_timeout,
              "End the run if an image takes longer. The next start extracts that image\n"
              "alone first (default: 3600; 0: no limit)");
}

}  // namespace

BatchOptions parse_batch_options(int argc, const char* const* argv) {
  BatchOptions options;
  std::string shard;
  CLI::App app(batch_description, "srcextract batch");
  app.footer(batch_footer);
  RunOptionParser parser(app, options, "INPUT", "Images, directories, patterns, manifests");
  add_survey(app, options, shard);
  std::string detect;
  // Options that batch does not support are declared, so that the errors below can name the alternative.
  app.add_option("-d,--detect", detect)->group("");
  std::vector<std::string> bands;
  app.add_option("--band", bands)->allow_extra_args(false)->group("");
  std::string positions;
  app.add_option("--positions", positions)->group("");
  parser.parse(argc, argv);
  if (app.count("--detect") > 0)
    throw Error(
        ErrorKind::config,
        "-d " + detect +
            ": batch is told the detection image of each image by a manifest, in a column `detect`; write one, or "
            "use srcextract -d DETECT CONFIG IMAGE...; see srcextract batch --help");
  if (app.count("--band") > 0)
    throw Error(ErrorKind::config,
                "--band " + bands.front() +
                    ": batch is told the bands of each catalogue by a manifest, in columns `detect`, `band:g`, "
                    "`band:r` ...; write one, or use srcextract -d DETECT CONFIG --band NAME=FILE...; see srcextract "
                    "batch --help");
  if (app.count("--positions") > 0)
    throw Error(ErrorKind::config,
                "--positions " + positions +
                    ": batch is told the table of each image by a manifest, in a column `positions`; write one, or use "
                    "srcextract --positions TABLE CONFIG IMAGE...; see srcextract batch --help");
  if (!options.answer.empty()) return options;
  if (options.inputs.empty())
    throw Error(ErrorKind::config,
                "INPUT is required: name images, directories or a manifest; see srcextract batch --help");
  if (app.count("--output-dir") == 0)
    throw Error(
        ErrorKind::config,
        "batch writes a journal and the outputs of each image: name a directory for them, as in -o out, or -o . "
        "for this one; see srcextract batch --help");
  options.shard = shard.empty() ? slurm_shard() : parse_shard(shard);
  return options;
}

}  // namespace srcextract
