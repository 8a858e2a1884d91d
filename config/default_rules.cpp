#include "config/rules.hpp"

namespace srcextract {

CompareRules default_rules() {
  using enum Difference;
  CompareRules rules;
  // Members of each rule: pattern, difference, bias, tolerance, outliers, error. The first rule whose pattern matches
  // decides, so rules for exceptions stand before more general rules.
  rules.columns = {
      {"NUMBER", ignore},
      {"ID_PARENT", ignore},
      {"EXT_NUMBER", ignore},
      {"VECTOR_ASSOC*", ignore},
      {"DURATION_*", ignore},

      {"FLAGS", equal, 0, 0, 0.1},
      {"FLAGS_*", equal, 0, 0, 0.1},
      {"IMAFLAGS*", equal, 0, 0, 0.02},
      {"NIMAFLAGS*", equal, 0, 0, 0.02},

      {"XMIN_IMAGE", absolute, 0.25, 2, 0.02},
      {"XMAX_IMAGE", absolute, 0.25, 2, 0.02},
      {"YMIN_IMAGE", absolute, 0.25, 2, 0.02},
      {"YMAX_IMAGE", absolute, 0.25, 2, 0.02},
      {"XPEAK_IMAGE", absolute, 0.25, 2, 0.02},
      {"YPEAK_IMAGE", absolute, 0.25, 2, 0.02},

      {"X2*", relative, 0.02, 0.1},
      {"Y2*", relative, 0.02, 0.1},
      {"XY*_IMAGE", absolute, 0.05, 0.5},
      {"XY*", relative, 0.05, 0.5},

      {"X*_IMAGE", absolute, 0.01, 0.5},
      {"Y*_IMAGE", absolute, 0.01, 0.5},
      {"X*_WORLD", absolute, 3e-6, 1.5e-4},
      {"Y*_WORLD", absolute, 3e-6, 1.5e-4},
      {"ALPHA*", absolute, 3e-6, 1.5e-4},
      {"DELTA*", absolute, 3e-6, 1.5e-4},

      {"A_*", relative, 0.01, 0.1},
      {"B_*", relative, 0.01, 0.1},
      {"AWIN_*", relative, 0.01, 0.1},
      {"BWIN_*", relative, 0.01, 0.1},
      {"THETA*", angle, 1, 10},
      {"ERRTHETA*", angle, 1, 10},
      {"ELONGATION", absolute, 0.02, 0.1},
      {"ELLIP*", absolute, 0.02, 0.1},
      {"POLAR*", absolute, 0.02, 0.1},
      {"KRON_RADIUS", absolute, 0.02, 0.1},
      {"PETRO_RADIUS", absolute, 0.02, 0.1},
      {"CLASS_STAR", absolute, 0.02, 0.1},

      {"FLUX_MAX", relative, 0.01, 0.1},
      {"FLUX_RADIUS", relative, 0.01, 0.1},
      {"FLUX_*", relative, 0.003, 0.02},
      {"FLUXERR_*", relative, 0.03, 0.1},
      {"MAG_*", absolute, 0.003, 0.02},
      {"MAGERR_*", relative, 0.03, 0.1},
      {"MU_*", absolute, 0.01, 0.1},
      {"SNR", relative, 0.03, 0.1},
      {"SNR_*", relative, 0.03, 0.1},
      {"BACKGROUND", sigma, 0.03, 0.2, 0.01, "THRESHOLD"},
      {"ANNULUS_SKY", sigma, 0.03, 0.2, 0.01, "ANNULUS_RMS"},
      {"ANNULUS_*", relative, 0.03, 0.2},
      {"NLOW*", absolute, 0.25, 2, 0.02},
      {"THRESHOLD", relative, 0.03, 0.2},

      {"NPIX", relative, 0.02, 0.2},
      {"ISOAREA*", relative, 0.02, 0.2},
      {"FWHM_*", relative, 0.01, 0.1},

      {"*", relative, 0.01, 0.1},
  };
  return rules;
}

}  // namespace srcextract
