#include "pipeline/compare/compare_options.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "io/catalog/table_writer.hpp"
#include "pipeline/options/command_options.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

constexpr const char* description =
    "Compares a new catalogue with a reference: which sources are lost or new, how every\n"
    "column differs, and whether the differences are within the rules.";

constexpr const char* footer = R"(REFERENCE and NEW are FITS tables (LDAC too; FILE[EXT] names an extension), ECSV, CSV,
VOTable or SExtractor's ASCII_HEAD, gzipped or not, or Parquet. They may also be two directories:
files with the same stem are compared, in subdirectories too. RULES is a YAML file; by default the
built-in rules are used (--dump-rules prints them).

Example:
  srcextract compare --junit report.xml reference/ out/ gate.yaml

Exit codes:
  0  within the rules
  1  internal error, or not enough memory
  2  the command line or the rules are wrong
  3  a catalogue cannot be read, or an output cannot be written
  5  beyond the rules)";

void add_files(CLI::App& app, CompareOptions& options) {
  app.add_option("REFERENCE", options.reference, "The trusted catalogue, or a directory of catalogues")
      ->type_name("")
      ->group("Files");
  app.add_option("NEW", options.other, "The catalogue to test, or a directory")->type_name("")->group("Files");
  app.add_option("RULES", options.rules, "The differences that are allowed (YAML)")->type_name("")->group("Files");
}

void add_outputs(CLI::App& app, CompareOptions& options) {
  app.add_option("--json", options.json, "Write all results as JSON; - is stdout")->type_name("FILE")->group("Outputs");
  app.add_option("--junit", options.junit, "Write the verdicts as the XML that CI systems read; - is stdout")
      ->type_name("FILE")
      ->group("Outputs");
  app.add_option("--matched", options.matched,
                 "Write the matched rows of both sides and their differences, in the\nformat of the ending of FILE: " +
                     table_endings())
      ->type_name("FILE")
      ->group("Outputs");
  app.add_option("--update", options.update,
                 "Replace REFERENCE by NEW, whatever the verdict. The log beside\nREFERENCE gets the reason WHY")
      ->type_name("WHY")
      ->group("Outputs");
  app.add_flag("--dump-rules", options.dump_rules,
               "Print the resolved RULES, or the built-in ones, and stop. Needs no\ncatalogue")
      ->group("Outputs");
}

void add_messages(CLI::App& app, CompareOptions& options, bool& quiet, bool& verbose) {
  app.add_option("--threads", options.threads, "CPU threads (default: all that this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""))
      ->group("Where it runs");
  add_memory_option(app, "--memory", options.memory, "Memory limit, e.g. 8G (default: all that this process can get)");
  auto* quiet_flag = app.add_flag("-q,--quiet", quiet, "Print only the verdict and the reasons");
  auto* verbose_flag = app.add_flag("-v,--verbose", verbose,
                                    "Also print the table of every file of directories, and of equal catalogues");
  quiet_flag->excludes(verbose_flag)->group("Messages");
  verbose_flag->group("Messages");
  app.set_help_flag("-h,--help", "This text")->group("Messages");
}

[[noreturn]] void fail(const std::string& problem) {
  throw Error(ErrorKind::config, problem + "; see srcextract compare --help");
}

void check(const CompareOptions& options, bool update) {
  if (options.dump_rules) return;
  if (options.reference.empty() || options.other.empty())
    fail("two catalogues, or two directories, are needed: srcextract compare REFERENCE NEW");
  if (update && options.update.find_first_not_of(" \t\r\n") == std::string::npos)
    fail("--update needs a line that says why the reference changes, for whoever reads its log");
  if (options.update.find('\n') != std::string::npos) fail("the reason after --update must be one line");
  if (options.json == "-" && options.junit == "-") fail("only one of --json and --junit can go to stdout");
}

}  // namespace

CompareOptions parse_compare_options(int argc, const char* const* argv) {
  CompareOptions options;
  options.threads = available_threads();
  bool quiet = false, verbose = false;
  CLI::App app(description, "srcextract compare");
  app.footer(footer);
  add_files(app, options);
  add_outputs(app, options);
  add_messages(app, options, quiet, verbose);
  options.answer = parse_arguments(app, argc, argv);
  if (!options.answer.empty()) return options;
  // With --dump-rules, a single name is the name of the rules file.
  if (options.dump_rules && options.other.empty()) std::swap(options.rules, options.reference);
  options.verbosity = quiet ? Verbosity::quiet : verbose ? Verbosity::verbose : Verbosity::normal;
  check(options, app.count("--update") > 0);
  return options;
}

}  // namespace srcextract
