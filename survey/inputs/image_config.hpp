#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// Completes a configuration: reads the numbers in the files of its kernel, PSF and network, and adds its text and its
/// hash. The hash covers the text, and size and time of the files that keys name. For a difference, pictures show
/// changes as pixels, not as ellipses. Values from an image's header are added later (pipeline/resolve). Throws
/// Error{config}, which begins with the place of the key that names the file, if a file cannot be read.
std::shared_ptr<const ImageConfig> make_image_config(const GivenConfig& given, bool of_difference = false);

/// Makes the configuration of the frame that is subtracted from an image: the image's without its maps, changed by
/// `own`. If `own` names the file or HDU of a map, the other keys of that map's section are the image's. Throws the
/// errors of override_given().
GivenConfig override_for_reference(const GivenConfig& image, const std::string& name, const Overrides& own);

/// Makes variations of a configuration. Each variation is made once, however many images ask for it.
class ConfigVariants {
 public:
  explicit ConfigVariants(const GivenConfig& given);

  /// `settings` are `dotted.key=value`, as for override_given, whose Error{config} it throws. If they change nothing,
  /// returns the configuration itself.
  std::shared_ptr<const ImageConfig> with(const std::vector<std::string>& settings);

  /// The same for a difference (make_image_config).
  std::shared_ptr<const ImageConfig> of_difference(const std::vector<std::string>& settings);

  /// The configuration of an image beside another one: changed by the other's `settings`, then by its `own`. Errors in
  /// `own` begin with `option` (Overrides).
  std::shared_ptr<const ImageConfig> with_own(const std::vector<std::string>& settings,
                                              const std::vector<std::string>& own, const std::string& option);

  /// The configuration of a reference frame, likewise (override_for_reference); null if `own` is empty.
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
  std::map<std::string, std::shared_ptr<const ImageConfig>> by_yaml_;  ///< 4.5 and 4.50 are equal in it
};

}  // namespace srcextract
