"""Runs the plain implementation of SExtractor's definitions (tests/truth/oracle)."""
import os
import subprocess

import numpy as np

KERNEL = np.array([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]])


def text_of(value):
    return " ".join(repr(float(one)) for one in np.ravel(value))


def run(image, noise, variance=None, nodes=None, mesh=(64, 64), kernel=KERNEL, labels=None, command=None, **settings):
    """{column: array} of the objects in `image`, a float32 array above the sky, whose global noise is `noise`. `labels`
    names a file for int32 labels of the pixels. Settings are those of oracle/field.hpp. `command` is another program that
    reads and writes the same."""
    height, width = image.shape
    lines = {"size": (width, height), "noise": noise, "mesh": mesh}
    planes = [image]
    if kernel is not None:
        lines["kernel"] = [kernel.shape[1], kernel.shape[0], *kernel.ravel()]
    if variance is not None:
        lines["variance"] = 1
        planes.append(variance)
    if nodes is not None:
        lines["nodes"] = nodes.shape[::-1]
        planes.append(nodes)
    head = "".join(f"{name} {text_of(value)}\n" for name, value in (lines | settings).items()) + "data\n"
    data = b"".join(np.ascontiguousarray(plane, "<f4").tobytes() for plane in planes)
    command = command or [os.environ["SRCEXTRACT_SEXTRACTOR_ORACLE"], *(["--labels", str(labels)] if labels else [])]
    done = subprocess.run(command, input=head.encode() + data, stdout=subprocess.PIPE, check=True)
    names, *rows = done.stdout.decode().splitlines() or [""]
    values = np.array([row.split() for row in rows], float).reshape(len(rows), len(names.split()))
    return dict(zip(names.split(), values.T))
