#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace srcextract {

/// Who does the next image, when workers may have the CPU as well as GPUs: it goes where it is done first, by what
/// images took in this run so far, reading and writing included. A GPU that is fed by more workers than it can serve
/// makes all of them wait, so that in the end they are as many as are served no later than the CPU would. Workers ask
/// before every image: what becomes slower, or is lost, costs no more than the images that are there.
class Roster {
 public:
  /// A GPU by its index, or the CPU.
  using Place = std::optional<int>;

  /// What an image took, or several that one worker did together.
  struct Turn {
    Place place;
    std::int64_t images = 1;
    double pixels = 0;  ///< of all of them; 0: nothing is known
    double seconds = 0;
    bool first = false;  ///< the worker's first there, for which memory was taken
  };

  /// For so many workers.
  explicit Roster(int workers) : workers_(workers) {}

  /// A GPU that takes images from now on, of so many workers at most, who each keep memory there. `tried`: an image has
  /// gone through it as quickly as it should; else a few workers go first, so that not all wait where it is slow.
  void add(int device, std::int64_t most_workers, bool tried);

  /// One that takes no more.
  void remove(int device);

  /// Where a worker does its next image, and is counted until done(). `left`: images that nobody has taken yet.
  /// `own`: whether it has memory on a device already.
  Place choose(const std::function<bool(int)>& own, std::int64_t left);

  /// What became of a turn that choose() gave.
  void done(const Turn& turn);

 private:
  /// A mean that forgets.
  class Mean {
   public:
    void add(double value);
    bool known() const { return count_ > 0; }
    double value() const { return value_; }
    void forget() { count_ = 0; }

   private:
    double value_ = 0;
    int count_ = 0;
  };

  struct Rates {
    Mean pixel;  ///< seconds of a turn for a pixel
    bool tried = false, of_first_turns = false;
    int working = 0;        ///< workers that have images there
    std::int64_t room = 0;  ///< workers that may yet take memory
    std::int64_t turns_elsewhere = 0;
  };

  bool takes(const Rates& rates, std::int64_t left) const;
  void try_again(Rates& rates, std::int64_t left) const;
  bool is_cpu_untried(std::int64_t left) const;
  double least_rate() const;
  double seconds_by_cpu(std::int64_t left) const;

  std::mutex mutex_;
  int workers_;
  Rates cpu_;
  std::map<int, Rates> devices_;
  Mean pixels_of_image_;
};

}  // namespace srcextract
