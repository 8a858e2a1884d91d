#pragma once

#include "stages/settings/background_keys.hpp"
#include "stages/settings/beam_keys.hpp"
#include "stages/settings/convolve_keys.hpp"
#include "stages/settings/crowd_keys.hpp"
#include "stages/settings/deblend_keys.hpp"
#include "stages/settings/detection_keys.hpp"
#include "stages/settings/difference_keys.hpp"
#include "stages/settings/fit_keys.hpp"
#include "stages/settings/input_keys.hpp"
#include "stages/settings/map_keys.hpp"
#include "stages/settings/measurement_keys.hpp"
#include "stages/settings/output_keys.hpp"
#include "stages/settings/psf_keys.hpp"
#include "stages/settings/weights_keys.hpp"

namespace srcextract {

/// The only declaration of the configuration's keys: calls f(Field, member) for each, section by section. The section
/// `name` is declared in name_keys.hpp, but `mask` and `flags` in map_keys.hpp, `combine` in input_keys.hpp,
/// `morphology` in detection_keys.hpp, `quicklook` in output_keys.hpp. A header declares the fields of its sections,
/// and names_of, the words for their enumerations in the order of the enumerators. for_each_field and names_of are in
/// the namespace of the structs and enumerations, not in config, so that templates find them by argument-dependent
/// lookup. Parser, dump and error messages use this declaration; schema.json and the table in docs/configuration.md are
/// generated from it. A new key needs a member in its struct, a line in its section, and an entry in default.yaml,
/// which the tests check. A limit may depend on other members of `c`; limits are checked after every key has been read.
template <config::MaybeConst<Settings> AnySettings, class F>
void for_each_field(AnySettings& c, F&& f) {
  config::for_each_input_field(c, f);
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
  config::for_each_measurement_field(c, f);
  config::for_each_difference_field(c, f);
  config::for_each_psf_field(c, f);
  config::for_each_crowd_field(c, f);
  config::for_each_output_field(c, f);
  config::for_each_quicklook_field(c, f);
}

}  // namespace srcextract
