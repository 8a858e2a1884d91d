"""Random masks, cleaned by the program's own stages through clean_masks and by scipy.ndimage."""
import dataclasses
import subprocess

import numpy as np
from scipy import ndimage

OPERATIONS = (ndimage.binary_erosion, ndimage.binary_opening, ndimage.binary_dilation)
ELEMENTS = (ndimage.generate_binary_structure(2, 1), ndimage.generate_binary_structure(2, 2))


@dataclasses.dataclass(frozen=True)
class Case:
    mask: np.ndarray
    operation: int
    element: int
    iterations: int

    def request(self):
        head = np.array([*self.mask.shape[::-1], self.operation, self.element, self.iterations], np.int32)
        return head.tobytes() + self.mask.tobytes()

    def truth(self):
        return OPERATIONS[self.operation](self.mask, ELEMENTS[self.element], self.iterations)

    def __str__(self):
        return (f"{OPERATIONS[self.operation].__name__}, {('cross', 'square')[self.element]}, {self.iterations} times, "
                f"of {self.mask.shape[1]} x {self.mask.shape[0]} pixels")


def random_cases(count=6000, seed=1):
    """Widths that end anywhere in a word, single rows and columns; dense, sparse, and blobs that survive n times."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        width, height = rng.integers(1, 131), rng.integers(1, 48)
        if i % 20 == 0:
            height = 1
        elif i % 20 == 1:
            width = 1
        mask = rng.uniform(size=(height, width)) < rng.uniform(0.05, 0.99)
        if i % 3 == 0:  # blobs
            mask = ndimage.binary_dilation(mask & (rng.uniform(size=mask.shape) < 0.1), ELEMENTS[1],
                                           int(rng.integers(1, 5)))
        yield Case(mask, int(rng.integers(3)), int(rng.integers(2)), int(rng.integers(1, 6)))


def cleaned(tool, backend, cases):
    """The masks that the program leaves of them."""
    done = subprocess.run([tool, "--backend", backend], input=b"".join(case.request() for case in cases),
                          stdout=subprocess.PIPE, check=True)
    pixels = np.frombuffer(done.stdout, np.bool_)
    ends = np.cumsum([case.mask.size for case in cases])
    if pixels.size != ends[-1]:
        raise RuntimeError(f"{pixels.size} pixels, not {ends[-1]}")
    return [part.reshape(case.mask.shape) for part, case in zip(np.split(pixels, ends[:-1]), cases)]


def compare(tool, backend, count=6000):
    """What does not agree (nothing, if all does) and a summary."""
    cases = list(random_cases(count))
    left = cleaned(tool, backend, cases)
    problems = [f"case {i}, {case}: another mask" for i, (case, ours) in enumerate(zip(cases, left))
                if not np.array_equal(ours, case.truth())]
    return problems[:10], f"{len(cases)} masks, eroded, opened and dilated"
