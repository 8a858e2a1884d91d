#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// Makes an ImageConfig: reads the numbers in the files of kernel, PSF and network, and adds the YAML text and the
/// hash. The hash covers the text, and size and modification time of the files that keys name. With `of_difference`, an
/// overlay of ellipses in pictures becomes one of pixels. Values from an image's header are added later
/// (pipeline/resolve). Throws Error{config} if a file cannot be read; the message begins with the place of the key that
/// names the file.
std::shared_ptr<const ImageConfig> make_image_config(const GivenConfig& given, bool of_difference = false);

/// Makes the configuration of the reference frame that is subtracted from an image: the image's configuration without
/// its mask and weight map, changed by `own`. If `own` names the file or HDU of one of these maps, the other keys of
/// that map's section are as for the image. An exception is weights.threshold, which `own` must give again if it sets
/// weights.type. Throws the errors of override_given().
GivenConfig override_for_reference(const GivenConfig& image, const std::string& name, const Overrides& own);

/// Makes variants of a configuration. Calls with equal arguments return the same object. Equal variants from different
/// settings also share one object, except those with `own` settings.
class ConfigVariants {
 public:
  explicit ConfigVariants(const GivenConfig& given);

  /// The configuration changed by `settings` (`section.key=value`); the unchanged configuration if `settings` is empty.
  /// Throws Error{config} of override_given() for a wrong setting.
  std::shared_ptr<const ImageConfig> with(const std::vector<std::string>& settings);

  /// The changed configuration for an image from which a reference is subtracted: with() and `of_difference` of
  /// make_image_config().
  std::shared_ptr<const ImageConfig> of_difference(const std::vector<std::string>& settings);

  /// The configuration of a detection image or band: changed by the `settings` of the measured image, then by its `own`
  /// settings. Error messages about `own` begin with `option`.
  std::shared_ptr<const ImageConfig> with_own(const std::vector<std::string>& settings,
                                              const std::vector<std::string>& own, const std::string& option);

  /// The configuration of a reference frame, made in the same way by override_for_reference(); null if `own` is empty.
  std::shared_ptr<const ImageConfig> of_reference(const std::vector<std::string>& settings,
                                                  const std::vector<std::string>& own, const std::string& option);

 private:
  GivenConfig given_;
  std::shared_ptr<const ImageConfig> config_;
  using BySettings = std::map<std::vector<std::string>, std::shared_ptr<const ImageConfig>>;
  std::shared_ptr<const ImageConfig> variant(const std::vector<std::string>& settings, bool of_difference,
                                             BySettings& known);
  using Override = GivenConfig (*)(const GivenConfig&, const std::string&, const Overrides&);
  std::shared_ptr<const ImageConfig> beside(const std::vector<std::string>& settings,
                                            const std::vector<std::string>& own, const std::string& option,
                                            Override override_with);

  BySettings by_settings_, of_differences_;
  std::map<std::string, std::shared_ptr<const ImageConfig>> by_yaml_;  ///< finds equal variants of different settings,
                                                                       ///< such as 4.5 and 4.50
};

}  // namespace srcextract
