#!/usr/bin/env python3
"""write_field.py SEED FILE: a field of fields.py as FITS with its truth, for tests that run without GalSim themselves."""
import sys

import numpy as np
from astropy.io import fits

import fields

SIDE, NOISE = 1024, fields.DEPTHS["deep"]

light, truth = fields.without_noise(int(sys.argv[1]), SIDE, fields.CROWDINGS["sparse"])
image, sky = fields.observed(light, int(sys.argv[1]), NOISE)
positions = fits.BinTableHDU.from_columns([fits.Column(name, "D", array=values) for name, values in
                                           (("X", truth.x), ("Y", truth.y), ("FLUX", truth.flux), ("GALAXY", truth.galaxy))])
fits.HDUList([fits.PrimaryHDU((image + sky).astype(np.float32)), positions]).writeto(sys.argv[2])
