#include "pipeline/options/status_options.hpp"

#include <CLI/CLI.hpp>

#include "pipeline/options/command_options.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* status_description =
    "Shows the progress of a survey: images that are done or failed, reasons, speed and time left.\nThe survey may "
    "run, have ended, or have been killed. Nothing is locked or changed.";

constexpr const char* status_footer =
    R"(DIR is the directory that `srcextract batch` writes into. STATE of a shard is
  planning  it reads its inputs and the journals
  running   it extracts images
  finished  it has no work left
  stopped   it was stopped with work left; the same command continues it
  killed    it was killed; the same command continues it
  unknown   it has not ended; the file system has no locks that would tell more
While a shard runs, the speed is that of its last ten minutes, afterwards of its whole session.
The time left is that of the slowest shard, by bytes. A dash marks an unknown value.

Example:
  watch srcextract status out
  srcextract status out --json | jq .files_left
  srcextract status out --prometheus > t.$$ && mv t.$$ /var/lib/node_exporter/survey.prom

Exit codes:
  0  printed
  2  the command line is wrong, or DIR has no survey
  3  DIR cannot be read)";

}  // namespace

StatusCommand parse_status_options(int argc, const char* const* argv) {
  StatusCommand command;
  bool json = false, prometheus = false;
  CLI::App app(status_description, "srcextract status");
  app.footer(status_footer);
  app.add_option("DIR", command.directory, "Directory that batch writes into")->type_name("")->group("Files");
  CLI::Option* const as_json = app.add_flag("--json", json, "Print one JSON object")->group("Messages");
  app.add_flag("--prometheus", prometheus, "Print Prometheus' text format, for node_exporter's textfile collector")
      ->group("Messages")
      ->excludes(as_json);
  // All that status prints is its result, so there is nothing that these leave out or add.
  app.add_flag("-q,--quiet")->group("");
  app.add_flag("-v,--verbose")->group("");
  app.set_help_flag("-h,--help", "This text")->group("Messages");
  command.answer = parse_arguments(app, argc, argv);
  if (!command.answer.empty()) return command;
  if (command.directory.empty())
    throw Error(ErrorKind::config,
                "a directory that batch writes into is needed: srcextract status DIR; see srcextract status --help");
  if (json) command.form = StatusCommand::Form::json;
  if (prometheus) command.form = StatusCommand::Form::prometheus;
  return command;
}

}  // namespace srcextract
