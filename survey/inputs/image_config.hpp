#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// The configuration with the contents of its kernel and network files, with its text and hash. A difference shows
/// changes as pixels, not as ellipses. What an image's header adds: pipeline/resolve. Throws Error{config}, which
/// begins with the place of the key that names the file, if a file cannot be read.
std::shared_ptr<const ImageConfig> make_image_config(const GivenConfig& given, bool of_difference = false);

/// The configuration of the frame that is subtracted from an image: that of the image, but for the maps, which are of
/// the image alone, and then `own`. Of a section of maps whose file or HDU `own` names, the other keys are those of the
/// image. Throws the errors of override_given().
GivenConfig override_for_reference(const GivenConfig& image, const std::string& name, const Overrides& own);

/// A configuration and its variations. Each is made once, however many images ask for it.
class ConfigVariants {
 public:
  explicit ConfigVariants(const GivenConfig& given);

  /// `settings` are `dotted.key=value`, as for override_given, whose Error{config} it throws. If they change nothing,
  /// returns the configuration itself.
  std::shared_ptr<const ImageConfig> with(const std::vector<std::string>& settings);

  /// The same for a difference (make_image_config).
  std::shared_ptr<const ImageConfig> of_difference(const std::vector<std::string>& settings);

  /// The configuration of an image beside another: the other's `settings` and its `own`. Errors in `own` begin with
  /// `option` (Overrides).
  std::shared_ptr<const ImageConfig> with_own(const std::vector<std::string>& settings,
                                              const std::vector<std::string>& own, const std::string& option);

  /// The same of a reference (override_for_reference); null if it has no settings of its own.
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
