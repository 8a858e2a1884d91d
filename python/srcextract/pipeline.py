"""Images into catalogues: `extract`, and `Extractor`, which keeps what it needs from image to image."""
import logging

from srcextract import _core, configuration, images
from srcextract.catalogue import Catalogue
from srcextract.errors import ConfigError

logger = logging.getLogger("srcextract")
logger.addHandler(logging.NullHandler())


def pass_on_log():
    """Gives Python's logging what the compiled half logged."""
    for level, text in _core.take_log():
        logger.log(level, "%s", text)


class Extractor:
    """Takes images of one configuration through the pipeline, and keeps memory and the CUDA graph between them.

    Parameters
    ----------
    config : path, dict or None
        The YAML file that the command takes, sections with their keys, or the defaults.
    backend : {'auto', 'cpu', 'cuda'}
        `auto` takes a GPU where the work is done sooner with one. Catalogues are the same to the last bit.
    device : int, optional
        Index of the GPU; None is the first.
    threads : int, optional
        Of the host; None is as many as this process may use.
    **section__key
        Keys of the configuration, as in ``detection__threshold=3``.

    Raises
    ------
    ConfigError
        If the configuration is wrong: with the place, the reason, and the key that may be meant.
    """

    def __init__(self, config=None, *, backend="auto", device=None, threads=None, **keys):
        self._configuration = configuration.read(config, keys)
        self._engine = _core.Extractor(backend, [] if device is None else [int(device)], int(threads or 0))

    @property
    def config(self):
        """The configuration as YAML, with every key."""
        return self._configuration.yaml

    def __call__(self, image, *, header=None, wcs=None, mask=None, weight=None, error=None, name=None):
        """The catalogue of an image; see `extract`."""
        path = images.path_of(image)
        try:
            if path is not None:
                given = {"header": header, "wcs": wcs, "mask": mask, "weight": weight, "error": error}
                wrong = [key for key, value in given.items() if value is not None]
                if wrong:
                    raise ConfigError(f"{' and '.join(wrong)} cannot be given with a path, whose file says it; use "
                                      "weights.file, mask.file, or open the image")
                found = self._engine.extract_file(self._configuration, path)
                if len(found) != 1:
                    raise ConfigError(f"input.hdu selects {len(found)} images of {path}; name one of them")
                return Catalogue(found[0])
            inputs, alive = images.inputs_of(image, header=header, wcs=wcs, mask=mask, weight=weight, error=error,
                                             name=name)
            found = self._engine.extract(self._configuration, inputs)
            del alive
            return Catalogue(found)
        finally:
            pass_on_log()


def extract(image, config=None, *, header=None, wcs=None, mask=None, weight=None, error=None, name=None, backend="auto",
            device=None, threads=None, **keys):
    """The sources of an image.

    Parameters
    ----------
    image : path, array, masked array, HDU, NDData
        A FITS file (of which ``input.hdu`` names the image), or pixels: a 2-D array of any real type, byte order and
        strides, which is read where it lies.
    config, backend, device, threads, **keys
        As of `Extractor`.
    header : astropy.io.fits.Header or str, optional
        Of the image: its WCS, GAIN, BUNIT, BLANK and what the catalogue repeats. That of an HDU by default.
    wcs : astropy.wcs.WCS, optional
        Takes the place of the header's.
    mask : array, optional
        Of the image's shape: pixels where it is not 0 (or True) are left out.
    weight, error : array, optional
        Of the image's shape: inverse variances, or standard deviations, of its pixels. Only one of them.
    name : str, optional
        What the image is called in messages.

    Returns
    -------
    Catalogue

    Raises
    ------
    ConfigError, InputError, DeviceError, OutOfMemoryError
    """
    if mask is not None:
        keys.setdefault("mask__hdu", "MASK")
    if weight is not None and error is not None:
        raise ConfigError("weight and error both tell how noisy pixels are; give one of them")
    if weight is not None or error is not None:
        keys.setdefault("weights__type", "weight" if weight is not None else "rms")
        keys.setdefault("weights__hdu", "WEIGHT" if weight is not None else "RMS")
    extractor = Extractor(config, backend=backend, device=device, threads=threads, **keys)
    return extractor(image, header=header, wcs=wcs, mask=mask, weight=weight, error=error, name=name)
