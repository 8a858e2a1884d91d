"""What an array on a GPU costs from Python: srcextract.Extractor on arrays of CuPy, image after image of one shape, beside
the stages' own times and what the call adds to them. Prints a table; needs CuPy and a device."""
import argparse
import statistics
import time

import cupy

import srcextract
from bench_field import bench_field


def call_times(extractor, image, calls):
    """Seconds of each call, the catalogue of the last, and seconds of its stages, the median."""
    for _ in range(10):
        extractor(image)
    times, stages = [], []
    for _ in range(calls):
        begin = time.perf_counter()
        found = extractor(image)
        times.append(time.perf_counter() - begin)
        stages.append(found.times)
    medians = {stage: statistics.median(one[stage] for one in stages) for stage in stages[0]}
    return times, found, medians


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--config", help="a YAML file, as config/lesson.yaml; the defaults without it")
    arguments.add_argument("--density", type=float, default=1000, help="sources a million pixels")
    arguments.add_argument("--sides", type=int, nargs="+", default=[64, 1024, 2048, 4096, 8192, 16384])
    arguments.add_argument("--calls", type=int, default=200)
    given = arguments.parse_args()
    print("ms: a call (the fastest, median); its stages, median: on the device from pixels to sums, ingest of it, the host's "
          "columns, others; what the call adds")
    for segmentation in True, False:
        print(f"\nsegmentation={segmentation}")
        extractor = srcextract.Extractor(given.config, backend="cuda", segmentation=segmentation)
        for side in given.sides:
            image = cupy.asarray(bench_field(side, given.density))
            cupy.cuda.Device().synchronize()
            times, found, stages = call_times(extractor, image, given.calls)
            host = {"columns", "sky", "warnings", "flags"}
            there = sum(value for stage, value in stages.items() if stage not in host)
            median = statistics.median(times)
            print(f"{side:6}^2 {len(found):8} sources: call {min(times) * 1e3:8.3f} {median * 1e3:8.3f}   device "
                  f"{there * 1e3:8.3f} (ingest {stages.get('ingest', 0) * 1e3:.3f})   columns "
                  f"{stages.get('columns', 0) * 1e3:7.3f}   others {sum(stages.get(s, 0) for s in host - {'columns'}) * 1e3:7.3f}"
                  f"   added {(median - sum(stages.values())) * 1e3:7.3f}", flush=True)


if __name__ == "__main__":
    main()
