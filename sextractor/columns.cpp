#include "sextractor/columns.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/line_words.hpp"

namespace srcextract::sextractor {
namespace {

/// Names of SExtractor columns that srcextract does not compute, separated by blanks, and the reason, for messages.
struct Absent {
  std::string_view names;
  std::string_view why;
};

constexpr Absent absent[] = {
    {"CHI2_DETMODEL FLAGS_DETMODEL FLUXERR_DETMODEL FLUX_DETMODEL MAGERR_DETMODEL MAG_DETMODEL NITER_DETMODEL",
     "models are fitted to each image alone; FLUX_AUTO measured with -d DETECT is in one aperture in all bands"},
    {"ERRAPSF_IMAGE ERRAPSF_WORLD ERRBPSF_IMAGE ERRBPSF_WORLD ERRCXXPSF_IMAGE ERRCXXPSF_WORLD ERRCXYPSF_IMAGE "
     "ERRCXYPSF_WORLD ERRCYYPSF_IMAGE ERRCYYPSF_WORLD ERRTHETAPSF_B1950 ERRTHETAPSF_IMAGE ERRTHETAPSF_J2000 "
     "ERRTHETAPSF_SKY ERRTHETAPSF_WORLD ERRX2PSF_IMAGE ERRX2PSF_WORLD ERRXYPSF_IMAGE ERRXYPSF_WORLD ERRY2PSF_IMAGE "
     "ERRY2PSF_WORLD FWHMPSF_IMAGE FWHMPSF_WORLD NITER_PSF",
     "fits of PSFs tell flux, place and CHI2_PSF alone; ERRX2WIN_IMAGE and its like are errors of a position that is "
     "nearly as precise"},
    {"AMODEL_IMAGE AMODEL_WORLD BMODEL_IMAGE BMODEL_WORLD CXXMODEL_IMAGE CXXMODEL_WORLD CXYMODEL_IMAGE "
     "CXYMODEL_WORLD CYYMODEL_IMAGE CYYMODEL_WORLD DISK_ASPECTERR_WORLD DISK_SCALEERR_WORLD "
     "DISK_THETAERR_WORLD ELLIP1ERRMODEL_IMAGE ELLIP1ERRMODEL_WORLD ELLIP1MODEL_IMAGE ELLIP1MODEL_WORLD "
     "ELLIP2ERRMODEL_IMAGE ELLIP2ERRMODEL_WORLD ELLIP2MODEL_IMAGE ELLIP2MODEL_WORLD ELLIPCORRMODEL_IMAGE "
     "ELLIPCORRMODEL_WORLD ERRAMODEL_IMAGE ERRAMODEL_WORLD ERRBMODEL_IMAGE ERRBMODEL_WORLD ERRCXXMODEL_IMAGE "
     "ERRCXXMODEL_WORLD ERRCXYMODEL_IMAGE ERRCXYMODEL_WORLD ERRCYYMODEL_IMAGE ERRCYYMODEL_WORLD "
     "ERRTHETAMODEL_B1950 ERRTHETAMODEL_IMAGE ERRTHETAMODEL_J2000 ERRTHETAMODEL_SKY ERRTHETAMODEL_WORLD "
     "ERRX2MODEL_WORLD ERRXYMODEL_WORLD ERRY2MODEL_WORLD FLUXERR_HYBRID FLUXRATIOERR_POINTSOURCE "
     "FLUXRATIO_POINTSOURCE FLUX_EFF_MODEL FLUX_HYBRID FLUX_MAX_MODEL FLUX_MEAN_MODEL MAGERR_HYBRID MAG_HYBRID "
     "MATRIX_MODELERR MU_EFF_MODEL MU_MAX_MODEL MU_MEAN_MODEL NOISEAREA_MODEL POLAR1ERRMODEL_IMAGE "
     "POLAR1ERRMODEL_WORLD POLAR1MODEL_IMAGE POLAR1MODEL_WORLD POLAR2ERRMODEL_IMAGE POLAR2ERRMODEL_WORLD "
     "POLAR2MODEL_IMAGE POLAR2MODEL_WORLD POLARCORRMODEL_IMAGE POLARCORRMODEL_WORLD SPHEROID_ASPECTERR_WORLD "
     "SPHEROID_REFFERR_WORLD SPHEROID_THETAERR_WORLD THETAMODEL_B1950 THETAMODEL_IMAGE THETAMODEL_J2000 "
     "THETAMODEL_SKY THETAMODEL_WORLD VECTOR_MODEL VECTOR_MODELERR X2MODEL_IMAGE X2MODEL_WORLD "
     "XYMODEL_IMAGE XYMODEL_WORLD Y2MODEL_IMAGE Y2MODEL_WORLD ",
     "of fits of models there are fluxes, places, sizes, axis ratios, angles and indices, with their errors; the "
     "moments of a model and its parameters as vectors are not there"},
    {"ERROR_SOMFIT FLUXERR_SOMFIT FLUX_SOMFIT MAGERR_SOMFIT MAG_SOMFIT VECTOR_SOMFIT",
     "there are no self-organising maps"},
    {"DGEOXWIN_IMAGE DGEOX_IMAGE DGEOYWIN_IMAGE DGEOY_IMAGE VIGNET_DGEOX VIGNET_DGEOY",
     "there are no maps of differential geometry"},
    {"NUMBER_ASSOC VECTOR_ASSOC",
     "catalogues are not associated with lists; match them afterwards, or measure at the positions of a list by "
     "--positions"},
    {"XFOCAL_WORLD XPEAK_FOCAL XWIN_FOCAL X_FOCAL X_MAMA YFOCAL_WORLD YPEAK_FOCAL YWIN_FOCAL Y_FOCAL Y_MAMA",
     "there are no coordinates of the focal plane or of plates; X_IMAGE and X_WORLD are there, and Y"},
    {"DURATION_ANALYSIS", "IMAGE.run.json has the times of a run"},
    {"VIGNET_SHIFT", "VIGNET is there, whose pixels are not resampled"},
};

/// Maps the names of SExtractor columns that have a different name in srcextract to the names in srcextract.
const std::map<std::string, std::string>& renamed() {
  static const std::map<std::string, std::string> names = {{"X_IMAGE_DBL", "X_IMAGE"}, {"Y_IMAGE_DBL", "Y_IMAGE"}};
  return names;
}

/// Whether srcextract has a column of this name and SExtractor has not, or the name is srcextract's word for a group of
/// columns.
bool is_ours_alone(const std::string& name) {
  constexpr std::string_view own[] = {"ANNULUS_PIXELS", "ANNULUS_RMS", "ANNULUS_SKY", "DIPOLE",   "DIPOLE_RATIO",
                                      "DIPOLE_SEP",     "FLUXERR_NEW", "FLUXERR_REF", "FLUX_NEW", "FLUX_REF",
                                      "NPIX",           "OBJECT",      "PETRO_R50",   "SIGN",     "SNR"};
  return std::ranges::count(own, name) > 0 || std::ranges::count(column_groups(), name) > 0;
}

const std::map<std::string, std::string_view>& reasons() {
  static const std::map<std::string, std::string_view> all = [] {
    std::map<std::string, std::string_view> result;
    for (const auto& [names, why] : absent)
      for (const std::string_view name : words_of(names)) result.emplace(name, why);
    return result;
  }();
  return all;
}

/// Whether a column has the same name in SExtractor and srcextract.
bool is_common(const std::string& name) {
  // VIGNET and EXT_NUMBER are not in column_names(): srcextract names the first VIGNET(w,h), and only catalogues made
  // with output.one_catalogue contain the second.
  if (name == "VIGNET" || name == "EXT_NUMBER") return true;
  if (reasons().contains(name)) return false;
  return std::ranges::count(column_names(), name) > 0 && !is_ours_alone(name);
}

}  // namespace

std::vector<std::string> sextractor_columns() {
  std::vector<std::string> names = {"VIGNET", "EXT_NUMBER"};
  for (const std::string& name : column_names())
    if (is_common(name)) names.push_back(name);
  for (const auto& [name, ours] : renamed()) names.push_back(name);
  for (const auto& [name, why] : reasons()) names.push_back(name);
  return names;
}

bool is_sextractor_column(const std::string& name) {
  return is_common(name) || renamed().contains(name) || reasons().contains(name);
}

std::string our_column(const std::string& name) {
  if (const auto found = renamed().find(name); found != renamed().end()) return found->second;
  return is_common(name) ? name : "";
}

std::string why_no_column(const std::string& name) {
  const auto found = reasons().find(name);
  return found == reasons().end() ? "" : std::string(found->second);
}

}  // namespace srcextract::sextractor
