#include "pipeline/options/inject_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>

#include "pipeline/options/key_texts.hpp"
#include "stages/core/error.hpp"
#include "stages/core/line_words.hpp"

namespace srcextract {
namespace {

constexpr const char* inject_description =
    "Tests which sources of a radio map an extraction finds, and how well it measures them:\n"
    "subtracts the sources of the map, adds Gaussians of known fluxes to the residual, and\n"
    "extracts it again.";

constexpr const char* inject_footer = R"(Example:
  srcextract inject radio map.fits
  srcextract inject --number 5000 --snr 4,50 --shapes catalogue -o out my.yaml map.fits

S/N is the peak divided by the noise of a pixel. A round adds at most one Gaussian per 50 beams.
The number of a Gaussian determines its place, so a repeated run writes the same bytes.

Outputs, for an image map.fits, in the formats of `output.formats`:
  map.inject.fits    completeness, bias of fluxes, and pulls (measured - true) / error, by S/N
  map.injected.fits  each Gaussian: the truth, and what was measured
  map.inject.json    the same by S/N, with times, statistics, versions, configuration
The table by S/N is also printed. For images of stars, output.report_copies measures the
completeness with copies of their own stars, and the report shows it.

)";

const std::map<std::string, InjectedShapes> shape_names = {{"points", InjectedShapes::points},
                                                           {"catalogue", InjectedShapes::catalogue}};

}  // namespace

InjectCommand parse_inject_options(int argc, const char* const* argv) {
  InjectCommand command;
  // A text, since a CLI11 option with a list of numbers would also take the arguments after LOW,HIGH.
  std::string snr = "3,100";
  std::string shapes = "points";
  CLI::App app(inject_description, "srcextract inject");
  app.footer([] {
    return inject_footer +
           keys_that_matter({"beam.source", "beam.fwhm", "detection.threshold", "detection.seed",
                             "background.mesh_beams", "fit.refine", "output.formats"},
                            "radio") +
           "\nExit codes: see srcextract --help";
  });
  RunOptionParser parser(app, command, "MAP", "FITS images of radio maps");
  app.add_option("--number", command.plan.number, "How many Gaussians (default: 2000)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->group("Gaussians");
  app.add_option("--snr", snr, "Least and largest S/N (default: 3,100)")->type_name("LOW,HIGH")->group("Gaussians");
  app.add_option("--shapes", shapes,
                 "points, which have the shape of the beam, or catalogue: shapes of the\nmap's own Gaussians above 10 "
                 "sigma (default: points)")
      ->type_name("NAME")
      ->check(CLI::IsMember(std::vector<std::string>{"points", "catalogue"}).description(""))
      ->group("Gaussians");
  app.add_option("--rounds", command.plan.rounds,
                 "Extractions over which they are spread (default: as many as are\nneeded)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->group("Gaussians");
  parser.parse(argc, argv);
  if (!command.answer.empty()) return command;
  const auto fail = [](const std::string& problem) {
    throw Error(ErrorKind::config, problem + "; see srcextract inject --help");
  };
  if (command.inputs.empty())
    fail(command.config.empty() ? "MAP is required: srcextract inject radio map.fits"
                                : command.config + " is the CONFIG, and MAP is required");
  if (std::ranges::count(command.settings, "output.report=true") > 0)
    fail("a report is of an extraction: srcextract --report --set output.report_copies=2000 has the same table in it");
  const std::size_t comma = std::min(snr.find(','), snr.size());
  const double least = finite_number(snr.substr(0, comma)).value_or(0);
  const double most = comma < snr.size() ? finite_number(snr.substr(comma + 1)).value_or(0) : 0;
  if (!(least > 0 && least < most && most <= 1e6))
    fail("--snr needs two numbers, the smaller first, above 0 and up to 1e6, as in 3,100");
  command.plan.least_snr = least;
  command.plan.most_snr = most;
  command.plan.shapes = shape_names.at(shapes);
  return command;
}

}  // namespace srcextract
