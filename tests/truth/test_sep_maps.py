"""Level and noise of SEP's own test image beside the maps that it comes with, which SExtractor made with its defaults
(meshes of 64, a filter of 3), at the tolerances of SEP's tests."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from program import SHARED, extract

SEP = SHARED / "sep"


@pytest.mark.skipif(not SEP.exists(), reason="no data: sep/image.fits")
@pytest.mark.parametrize("name, reference, tolerance", (("background", "back.fits", 1e-5), ("rms", "rms.fits", 1e-4)))
def test_the_maps_are_those_of_the_reference(program, tmp_path, name, reference, tolerance):
    extract(program, "plain", SEP / "image.fits", tmp_path, "--backend", "cpu", "--set", "background.mesh_size=64",
            "--set", f"output.check_images=[{name}]")
    found, true = fits.getdata(tmp_path / f"image.{name}.fits"), fits.getdata(SEP / reference)
    assert found.shape == true.shape and np.ptp(true) > 100 * tolerance * true.mean()
    np.testing.assert_allclose(found, true, rtol=tolerance)
