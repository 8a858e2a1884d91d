#include "pipeline/outputs/psf_files.hpp"

#include <utility>

#include "io/catalog/psf_file.hpp"
#include "io/catalog/table_writer.hpp"
#include "pipeline/outputs/psf_picture.hpp"

namespace srcextract {

Table star_table(const std::vector<PsfStar>& stars) {
  Table table;
  table.rows = std::ssize(stars);
  const auto add = [&](const char* name, const char* unit, const char* description, auto value_of) {
    std::vector<decltype(value_of(stars.front()))> values;
    for (const PsfStar& star : stars) values.push_back(value_of(star));
    table.columns.push_back({name, unit, "", description, std::move(values)});
  };
  add("X_IMAGE", "pixel", "x, 1-based; of the fit for stars that were used", [](const PsfStar& s) { return s.x + 1; });
  add("Y_IMAGE", "pixel", "y, 1-based; of the fit for stars that were used", [](const PsfStar& s) { return s.y + 1; });
  add("FLUX", "", "FLUX_AUTO; that of the fit for stars that were used", [](const PsfStar& s) { return s.flux; });
  add("SNR_WIN", "", "Signal to noise", [](const PsfStar& s) { return s.snr; });
  add("FLUX_RADIUS", "pixel", "Radius that holds half of the light", [](const PsfStar& s) { return s.radius; });
  add("ELLIPTICITY", "", "(A - B) / (A + B)", [](const PsfStar& s) { return s.ellipticity; });
  add("FLAGS", "", "As in catalogues", [](const PsfStar& s) { return static_cast<std::int32_t>(s.flags); });
  add("CHI2", "", "Reduced chi2 of the fit, for stars that were fitted", [](const PsfStar& s) { return s.chi2; });
  add("USED", "", "1: it made the PSF",
      [](const PsfStar& s) { return static_cast<std::int32_t>(s.verdict == StarVerdict::used ? 1 : 0); });
  add("REASON", "", "used, or why not: faint, saturated, edge, sharp, size, elongated, crowded, spare, misfit",
      [](const PsfStar& s) { return std::string(name_of(s.verdict)); });
  return table;
}

std::vector<OutputFile> write_psf_files(const PsfPaths& paths, const FoundPsf& found, const std::string& name,
                                        const CatalogMetadata& metadata, const Cpu& where) {
  std::vector<OutputFile> files;
  files.push_back(write_psf(paths.model, found.made.table, metadata.version));
  files.push_back(write_table(paths.stars, star_table(found.stars), metadata, where));
  files.push_back(OutputFile(paths.picture));
  files.back().write(psf_picture(found.made, found.stars, name));
  return files;
}

}  // namespace srcextract
