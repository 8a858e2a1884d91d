#include "pipeline/options/batch_options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

#include "pipeline/options/command_line.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* batch_description =
    "Extracts the images of a survey and keeps a journal of what is done: started again, it\n"
    "does only what is missing or changed. It may be killed at any time; what was under way\n"
    "then is tried by itself first, so that no image can end a survey.";

constexpr const char* batch_footer =
    R"(INPUT is a FITS file; a directory, with all below it but hidden files and outputs (*.cat.fits,
*.seg.fits); a pattern in quotes ('night*/*.fits'); or a manifest: .txt, a path a line, or
.csv and .ecsv, with a column `path`, optionally `name`, and columns named after keys of
CONFIG (detection.threshold), for that image alone. Where its column `detect` names another
image sources are found in that one (columns detect:weights.file and so on are keys of it
alone); `band:g`, `band:r` ... beside that are bands of one catalogue; where `positions` names
a table light is measured there, and nothing is found. The column `reference` names a frame that
is subtracted from the image first, as by srcextract difference, or a folder of such frames, of
which the one is taken that covers most of the image (reference:mask.file and so on are keys of it
alone).

Examples:
  srcextract batch -o out config/default.yaml night1/
  srcextract batch -o out --shard 2/4 config/default.yaml survey.txt
  srcextract merge out -o survey.cat.fits

In a Slurm job array every task does its shard by itself: scripts/slurm.

Outputs, besides those of every image (srcextract --help):
  journal.jsonl    a line for every image whose outputs are in place, or that failed
  failures.csv     what failed, and why; not there if nothing did

Exit codes:
  0  every image is done
  1  internal error, or not enough memory
  2  the command line or the configuration is wrong
  3  an input directory or manifest cannot be read, inputs whose disk went away did not
     come back within --wait, outputs cannot be written, or another process works in the
     output directory
  4  no usable GPU
  6  every image was tried, and some failed: see failures.csv
  7  stopped by SIGTERM, SIGINT, SIGHUP or --image-timeout: what else was under way is done;
     start it again to go on
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
                 "Do part I of N, from 1, of as many bytes each (default: all, or in\n"
                 "a Slurm array the part of the task; 1/1 is all)")
      ->type_name("I/N")
      ->group("What is done");
  app.add_flag("--retry-failed", options.plan.retry_failed, "Try again what failed before")->group("What is done");
  app.add_flag("--force", options.plan.force, "Do everything again")->group("What is done");
  app.add_flag("--dry-run", options.dry_run, "Print the paths of what would be done, and stop")->group("What is done");
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
              "Wait so long for inputs that went away together, as where their disk is\n"
              "not mounted any more; others go on (default: 3600; 0 is not at all)");
  add_seconds("--image-timeout", options.image_timeout,
              "End the run when an image takes longer, for it hangs; the next start\n"
              "tries it by itself (default: 3600; 0 is never)");
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
