#!/usr/bin/env python3
"""Tables of srcextract's speed and memory beside limits and peers, from one run on this machine, as Markdown.

Every table says by itself what the machine lacks."""
import argparse
import os
import pathlib
import subprocess
import tempfile

import columns
import compressed
import device
import difference
import end_to_end
import growth
import host
import images
import memory
import million
import radio
import regression
import sep_functions
import sky
import surveys
import visit
from session import Session

TABLES = {"device": device, "end-to-end": end_to_end, "cpu": host, "compressed": compressed, "growth": growth,
          "sky": sky, "columns": columns, "images": images, "radio": radio, "difference": difference, "surveys": surveys,
          "memory": memory, "million": million, "visit": visit, "compare": regression, "sep": sep_functions}


def output_of(*command):
    """Its first two lines in one; nothing where there is no such program."""
    try:
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    except FileNotFoundError:
        return ""
    return "; ".join(" ".join(line.split()) for line in lines[:2])


def describe_machine(program):
    cpu = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), "unknown")
    gpu = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    print(f"{output_of('date', '-u', '+%Y-%m-%dT%H:%MZ')}, load {' '.join(map('{:.1f}'.format, os.getloadavg()))}; "
          f"{cpu}, {len(os.sched_getaffinity(0))} cores; GPU: {gpu or 'none'}; {output_of(program, '--version')}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="srcextract")
    parser.add_argument("--stages", help="bench_stages")
    parser.add_argument("--largest", type=int, default=4096, help="largest image side (default: 4096)")
    parser.add_argument("--only", default=",".join(TABLES), help=f"some of {','.join(TABLES)}")
    options = parser.parse_args()
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(TABLES):
        parser.error(f"no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    describe_machine(options.program)
    with tempfile.TemporaryDirectory() as work:
        session = Session(options.program, options.stages, options.largest, work)
        for name in chosen:
            TABLES[name].report(session)
    describe_machine(options.program)


if __name__ == "__main__":
    main()
