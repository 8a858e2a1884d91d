"""`srcextract compare` with its default rules: pure noise is no alarm, from pixels to verdict."""
import subprocess

from program import run
from skies import make_field, write_fits

PAIRS = 40


def test_exposures_of_one_sky_are_within_the_rules(program, tmp_path):
    """The fields of 512 x 512 pixels have about 60 sources, a tenth of which one of the two exposures misses."""
    alarms = []
    for seed in range(PAIRS):
        for exposure in (1, 2):
            field = make_field(512, 512, seed=seed, level=500.0, exposure=exposure)
            image = tmp_path / f"{seed}_{exposure}.fits"
            write_fits(image, field)
            run(program, "plain", image, tmp_path, "--set", "output.formats=[fits]")
        files = [tmp_path / f"{seed}_{exposure}.cat.fits" for exposure in (1, 2)]
        done = subprocess.run([program, "compare", *files], capture_output=True, text=True)
        assert done.returncode in (0, 5), done.stderr
        matched = int(done.stdout.split(" matched by pixel")[0].split()[-1])
        assert matched > 20
        if done.returncode == 5:
            alarms.append(f"seed {seed}: " + done.stdout.partition("BEYOND")[2])
    assert alarms == []


def test_many_sources_of_one_sky_are_within_the_rules(program, tmp_path):
    for exposure in (1, 2):
        write_fits(tmp_path / f"{exposure}.fits",
                   make_field(2048, 2048, per_mpix=2000, seed=3, level=500.0, noise=0.3, exposure=exposure))
        run(program, "plain", tmp_path / f"{exposure}.fits", tmp_path, "--set", "output.formats=[fits]")
    done = subprocess.run([program, "compare", tmp_path / "1.cat.fits", tmp_path / "2.cat.fits"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout
