#pragma once

#include "stages/settings/background_keys.hpp"
#include "stages/settings/convolve_keys.hpp"
#include "stages/settings/crowd_keys.hpp"
#include "stages/settings/deblend_keys.hpp"
#include "stages/settings/detection_keys.hpp"
#include "stages/settings/difference_keys.hpp"
#include "stages/settings/fit_keys.hpp"
#include "stages/settings/input_keys.hpp"
#include "stages/settings/map_keys.hpp"
#include "stages/settings/measurement_keys.hpp"
#include "stages/settings/model_keys.hpp"
#include "stages/settings/output_keys.hpp"
#include "stages/settings/psf_keys.hpp"

namespace srcextract {

/// Calls f(Field, member) for each key of the configuration, section by section. The keys are declared only here:
/// parser, dump and error messages call this function, and schema.json and the table in docs/configuration.md are
/// generated with it.
///
/// A section is declared in the header <section>_keys.hpp, with these exceptions: `weights`, `mask` and `flags` in
/// map_keys.hpp, `wcs`, `beam` and `combine` in input_keys.hpp, `morphology` in detection_keys.hpp, `quicklook` in
/// output_keys.hpp. Each of these headers also defines names_of() for the enumerations of its sections: the words in
/// YAML, in the order of the enumerators. for_each_field and names_of are in the namespace of the structs and
/// enumerations, not in config, so that templates find them by argument-dependent lookup.
///
/// A new key needs a member in its struct and a line in its section; scripts/generate_config.sh adds the key to
/// config/default.yaml, which the tests check.
/// A limit may depend on other members of `c`; callers check limits after every key has been read.
template <config::MaybeConst<Settings> AnySettings, class F>
void for_each_field(AnySettings& c, F&& f) {
  config::for_each_input_field(c, f);
  config::for_each_wcs_field(c, f);
  config::for_each_beam_field(c, f);
  config::for_each_combine_field(c, f);
  config::for_each_background_field(c, f);
  config::for_each_weights_field(c, f);
  config::for_each_mask_field(c, f);
  config::for_each_flags_field(c, f);
  config::for_each_convolve_field(c, f);
  config::for_each_detection_field(c, f);
  config::for_each_morphology_field(c, f);
  config::for_each_deblend_field(c, f);
  config::for_each_fit_field(c, f);
  config::for_each_model_field(c, f);
  config::for_each_measurement_field(c, f);
  config::for_each_difference_field(c, f);
  config::for_each_psf_field(c, f);
  config::for_each_crowd_field(c, f);
  config::for_each_output_field(c, f);
  config::for_each_quicklook_field(c, f);
}

}  // namespace srcextract
