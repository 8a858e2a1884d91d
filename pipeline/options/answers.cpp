#include "pipeline/options/answers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "pipeline/options/key_texts.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

constexpr const char* overview =
    R"(srcextract makes source catalogues of astronomical FITS images, on CPU or GPU alike.

  srcextract m31.fits                             the default: 5 sigma, deblended, into m31.cat.fits
  srcextract -o out survey.yaml night1/*.fits     your configuration, several images
  srcextract sextractor m31.fits -c default.sex   called as SExtractor is

Commands:
  batch            a survey of any size, which may be killed and started again
  status           how far a survey is: what is done, failed and left
  merge            the catalogues of a survey as one
  difference       what changed between two images
  crowd            the stars of a crowded field, all fitted together
  radio            the Gaussians of a radio map
  inject           which sources of a radio map are found, and how well they are measured
  psf              the PSF of an image, from its stars
  compare          one catalogue against another
  convert-config   a configuration of SExtractor's as one of srcextract
  sextractor       SExtractor's command line and output files
  columns          the columns that a catalogue may have
  keys             the keys of a configuration, with defaults
  help COMMAND     the options of a command; srcextract --help: those without one
)";

/// All columns, ordered so that the columns of a catalogue without output.columns come first.
std::vector<DeclaredColumn> all_columns() {
  const auto declared = declared_columns();
  std::vector<DeclaredColumn> all(declared.begin(), declared.end());
  std::stable_partition(all.begin(), all.end(), [](const DeclaredColumn& one) { return one.is_usual(); });
  return all;
}

std::string line_of(const Column& column) {
  return padded(column.name, 18) + padded(column.unit, 18) + column.description + "\n";
}

/// Lists the columns whose name or description contains `word`, regardless of case.
std::string columns_about(const std::string& word, const std::vector<DeclaredColumn>& all) {
  std::string list;
  for (const auto& [column, families, group, repeated, type, needs, file] : all)
    if (in_small_letters(std::string(column.name) + " " + column.description).find(in_small_letters(word)) !=
        std::string::npos)
      list += line_of(column);
  return list;
}

std::string of_columns(const std::string& asked) {
  std::string list, groups;
  const std::vector<DeclaredColumn> all = all_columns();
  for (const std::string& group : column_groups()) {
    std::string names;
    for (const DeclaredColumn& one : all) {
      if (one.group != group) continue;
      names += (names.empty() ? "" : " ") + std::string(one.column.name);
      if (asked == group || asked == "all" || asked == one.column.name) list += line_of(one.column);
    }
    if (group != "all") groups += group + "\n" + wrapped(names, "    ");
  }
  if (asked.empty())
    return groups +
           "srcextract columns GROUP (or all, a name, a word such as radius) has their units and meanings.\n"
           "output.columns takes groups and names. Without it the columns of the group default are written; the\n"
           "default configuration asks for [default, photometry]. Columns on the sky appear only if the image has a\n"
           "WCS.\n";
  if (list.empty()) list = columns_about(asked, all);
  if (!list.empty()) return list;
  const std::string near = nearest(asked, column_names());
  throw Error(ErrorKind::config, quoted(asked) + " is no column and no group of columns; " +
                                     (near.empty() ? "see srcextract columns" : "did you mean " + near + "?"));
}

}  // namespace

std::vector<std::string> command_names() {
  return {"batch", "status",  "merge",          "difference", "crowd",   "radio", "inject",
          "psf",   "compare", "convert-config", "sextractor", "columns", "keys",  "help"};
}

int command_after_options(int argc, const char* const* argv) {
  constexpr std::array<std::string_view, 15> without_value = {
      "--csv",          "--parquet", "--help", "--quiet",      "--verbose", "--report",      "--force",     "--dry-run",
      "--retry-failed", "--partial", "--json", "--prometheus", "--strict",  "--dump-config", "--dump-rules"};
  const std::vector<std::string> commands = command_names();
  int at = 1;
  for (; at < argc && std::string_view(argv[at]).starts_with('-'); ++at) {
    const std::string_view option = argv[at];
    if (option == "-" || option == "--") return 0;
    if (option.starts_with("--")) {
      const bool has_value = option.find('=') == option.npos && std::ranges::count(without_value, option) == 0;
      at += has_value ? 1 : 0;
    } else if (option.find_first_not_of("qvhV", 1) == option.size() - 1) {
      ++at;  // the value of the last of these letters, as in -qo out
    }
  }
  return at > 1 && at < argc && std::ranges::count(commands, argv[at]) > 0 ? at : 0;
}

bool is_answer(int argc, const char* const* argv) {
  if (argc < 2) return true;
  const std::string_view command = argv[1];
  return command == "columns" || command == "keys" || command == "help";
}

std::string answer(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  const std::string what = arguments.size() > 1 ? arguments[1] : "";
  if (arguments.size() > 2)
    throw Error(ErrorKind::config, command + " takes one name, not " + std::to_string(arguments.size() - 1));
  const bool asks_for_help = what == "-h" || what == "--help";
  if (command == "keys") return keys_text(asks_for_help ? "" : what);
  if (command == "columns") return of_columns(asks_for_help ? "" : what);
  if (what.empty() || asks_for_help) return overview;
  const std::string near = nearest(what, command_names());
  throw Error(ErrorKind::config, quoted(what) + " is no command; " +
                                     (near.empty() ? "see srcextract help" : "did you mean " + near + "?"));
}

}  // namespace srcextract
