"""One program's pipeline on one image, from the sky to AUTO fluxes, in a process of its own, so that its memory can be measured.

    python tests/bench/one_peer.py {srcextract,srcextract.sep,sep,photutils} IMAGE.fits

Prints, as JSON, the processor's seconds from the image in memory to the last flux, the least of three runs, and the number of objects.
"""
import importlib
import json
import sys
import time

import numpy
from astropy.io import fits

import photutils_steps
import python_sep
import sep_functions


def by_srcextract(image):
    import srcextract
    extractor = srcextract.Extractor(sep_functions.ROOT / "config/sextractor.yaml", backend="cpu", threads=1, segmentation=False)

    def once():
        begin = time.process_time()
        found = extractor(image)
        return (None, numpy.array([time.process_time() - begin])), len(found)

    return once


def by_functions(peer, image):
    module = importlib.import_module(peer)
    if peer == "srcextract.sep":
        module.set_threads(1)
    else:
        sep_functions.room_for(module, image)
    return lambda: python_sep.photometry(module, image)


def main():
    peer, path = sys.argv[1:]
    image = numpy.ascontiguousarray(fits.getdata(path), dtype="f4")
    if peer == "photutils":
        def once():
            return photutils_steps.photometry(image)
    else:
        once = by_srcextract(image) if peer == "srcextract" else by_functions(peer, image)
    runs = [once() for _ in range(3)]
    print(json.dumps({"seconds": min(float(processor.sum()) for (_, processor), _ in runs), "objects": runs[0][1]}))


if __name__ == "__main__":
    main()
