// Stub of CudaExtractor for a build without the CUDA toolkit. In that build, cuda/absent.cpp reports that there is no
// GPU before this class is used.
#include "pipeline/engine/extractor.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

[[noreturn]] void throw_not_built() {
  throw Error(ErrorKind::device, "this srcextract was built without the CUDA back end");
}

}  // namespace

class CudaExtractor::Session {};
class CudaExtractor::Found {};

CudaExtractor::CudaExtractor(int device, const Cpu& host) : device_(device), host_(host) {}

CudaExtractor::~CudaExtractor() = default;

Extraction CudaExtractor::extract(const Exposure&, const Config&, const Observer&, const Found*,
                                  const ForcedPositions*) {
  throw_not_built();
}

DeviceNeeds CudaExtractor::memory_needed(const Plan&) {
  throw_not_built();
}

void CudaExtractor::allow_host_memory(std::int64_t) noexcept {}

void CudaExtractor::leave_all_to_the_system() {}

std::shared_ptr<const CudaExtractor::Found> CudaExtractor::find(const DetectionImage&, const Observer&) {
  throw_not_built();
}

}  // namespace srcextract
