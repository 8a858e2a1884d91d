"""extract_many with an executor gives what it gives alone: results, failures, the bar. Processes, threads, and Dask's
scheduler with two worker processes, and Ray with two."""
import concurrent.futures
import multiprocessing
import os
import pathlib
import re

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")


def field(seed):
    random = numpy.random.default_rng(seed)
    image = random.normal(20, 3, (90, 110)).astype("f4")
    image[20:24, 30 + 5 * seed:34 + 5 * seed] += 60
    return image


class Deadly:
    """An image that ends the process that reads it."""

    def __array__(self, *_arguments, **_keys):
        os._exit(3)


class Large:
    """An image for which there is no memory."""

    def read(self, *_size):
        raise MemoryError("a worker is small")


class NotSent:
    """An image that no process can be sent."""

    def __reduce__(self):
        raise TypeError("it stays here")


@pytest.fixture(scope="module")
def dask():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            client.wait_for_workers(2)
            assert len(set(client.run(os.getpid).values()) - {os.getpid()}) == 2
            yield client


@pytest.fixture(scope="module")
def ray_executor():
    """The executor of docs/python.md, on a Ray of two processes."""
    pytest.importorskip("ray.util")  # a folder "ray" is no package
    import ray
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
    if not page.is_file():
        pytest.skip("no data: docs/ is not here")
    code, = re.findall(r"^```python\n([^`]*^class RayExecutor.*?)^```", page.read_text(), re.M | re.S)
    names = {}
    exec(code, names)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield names["RayExecutor"]()
    ray.shutdown()


@pytest.fixture(params=["fork", "spawn", "threads", "dask", "ray"])
def executor(request):
    if request.param == "dask":
        yield request.getfixturevalue("dask").get_executor()
        return
    if request.param == "ray":
        yield request.getfixturevalue("ray_executor")
        return
    if request.param == "threads":
        pool = concurrent.futures.ThreadPoolExecutor(2)
    else:
        pool = concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context(request.param))
    with pool:
        yield pool


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """Paths, arrays, a file of several images, and what fails."""
    folder = tmp_path_factory.mktemp("images")
    several = folder / "several.fits"
    fits.HDUList([fits.PrimaryHDU(), *(fits.ImageHDU(field(seed)) for seed in (1, 2))]).writeto(several)
    one = folder / "one.fits"
    fits.PrimaryHDU(field(3)).writeto(one)
    text = folder / "text.fits"
    text.write_text("no image")
    return [one, field(4), several, str(text), folder / "lost.fits", numpy.zeros(5), one.read_bytes(), *map(field, range(5)), "", one]


def assert_same(found, expected):
    assert [type(one) for one in found] == [type(one) for one in expected]
    for mine, theirs in zip(found, expected):
        assert mine.name == theirs.name
        if isinstance(mine, srcextract.Failure):
            assert type(mine.error) is type(theirs.error) and str(mine.error) == str(theirs.error)
            continue
        assert mine.columns == theirs.columns and mine.warnings == theirs.warnings
        for name in mine.columns:
            numpy.testing.assert_array_equal(mine[name], theirs[name], name)
        for name in ("segmentation", "background", "rms"):
            numpy.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), name)


def test_results_and_failures_are_as_alone(executor, images):
    keys = {"input__hdu": "all", "progress": False, "backend": "cpu"}
    images = [image for image in images if not isinstance(image, numpy.ndarray)]
    expected = list(srcextract.extract_many(images, **keys))
    assert len(expected) == len(images) + 1 and sum(map(bool, expected)) == 5
    assert_same(list(srcextract.extract_many(images, executor=executor, **keys)), expected)


def test_arrays_too(executor, images):
    keys = {"progress": False, "backend": "cpu", "detection__threshold": 4}
    expected = list(srcextract.extract_many(images, **keys))
    found = list(srcextract.extract_many(iter(images), executor=executor, **keys))
    assert_same(found, expected)
    assert sum(map(bool, found)) == 10 and len(found) == len(images)


def test_the_bar_counts_as_alone(executor, images, counted):
    list(srcextract.extract_many(images[:6], backend="cpu"))
    alone, counted[:] = list(counted), []
    list(srcextract.extract_many(images[:6], backend="cpu", executor=executor))
    assert counted == alone == [6, *[1] * 6, "closed"]


def test_both_worker_processes_do_it(dask, images):
    list(srcextract.extract_many(images[-7:] * 4, executor=dask.get_executor(), progress=False))
    did = dask.run(lambda: "srcextract.elsewhere" in __import__("sys").modules)
    assert len(did) == 2 and all(did.values())


def test_relative_paths_are_those_of_the_caller(dask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fits.PrimaryHDU(field(1)).writeto("mine.fits")
    keys = {"progress": False, "backend": "cpu"}
    expected = list(srcextract.extract_many(["mine.fits", "none.fits"], **keys))
    assert [one.name for one in expected] == ["mine.fits", "none.fits"] and expected[0]
    assert_same(list(srcextract.extract_many(["mine.fits", "none.fits"], executor=dask.get_executor(), **keys)), expected)


def test_every_kind_of_failure_comes_back(dask):
    found = list(srcextract.extract_many([Large(), field(1)], executor=dask.get_executor(), progress=False))
    assert [bool(one) for one in found] == [False, True]
    assert type(found[0].error) is srcextract.OutOfMemoryError and "a worker is small" in str(found[0].error)


def test_a_lost_worker_is_a_failure_and_the_cluster_goes_on(dask):
    # Dask tries again; an image that waits on such a worker each time is lost with it, so there is none beside it.
    lost, = srcextract.extract_many([Deadly()], executor=dask.get_executor(), progress=False)
    assert not lost and isinstance(lost.error, srcextract.WorkerError) and "KilledWorker" in str(lost.error) and lost.name == "image 0"
    dask.wait_for_workers(2)
    assert_same(list(srcextract.extract_many([field(1), field(2)], executor=dask.get_executor(), progress=False)),
                list(srcextract.extract_many([field(1), field(2)], progress=False)))


def test_a_lost_worker_of_ray_is_a_failure(ray_executor):
    class Here:  # sent as it is, for workers of Ray do not find this file
        def __array__(self, *_arguments, **_keys):
            os._exit(3)

    lost, found = srcextract.extract_many([Here(), field(1)], executor=ray_executor, progress=False)
    assert not lost and isinstance(lost.error, srcextract.WorkerError) and "WorkerCrashedError" in str(lost.error)
    assert_same([found], list(srcextract.extract_many([field(1)], progress=False)))


def test_ray_has_other_processes_and_forgets_what_nobody_waits_for(ray_executor):
    import time
    assert ray_executor.submit(os.getpid).result() != os.getpid()
    waiting = [ray_executor.submit(time.sleep, 60) for _ in range(4)]
    begun = time.monotonic()
    assert all(one.cancel() for one in waiting)
    assert ray_executor.submit(int, "7").result() == 7 and time.monotonic() - begun < 50


def test_a_broken_pool_ends_the_run():
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        with pytest.raises(concurrent.futures.BrokenExecutor):
            list(srcextract.extract_many([field(1), Deadly(), field(2)], executor=pool, progress=False))


def test_what_cannot_be_sent_is_a_failure():
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        found = list(srcextract.extract_many([field(1), NotSent(), field(2)], executor=pool, progress=False))
    assert [bool(one) for one in found] == [True, False, True]
    assert isinstance(found[1].error, srcextract.WorkerError) and "it stays here" in str(found[1].error)


def test_a_wrong_configuration_is_told_at_once():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with pytest.raises(srcextract.ConfigError, match="did you mean 'threshold'"):
            srcextract.extract_many([field(1)], executor=pool, detection__treshold=3)
    with pytest.raises(TypeError, match="concurrent.futures.Executor"):
        srcextract.extract_many([field(1)], executor="dask")


def test_a_client_is_no_executor_and_told_which_is(dask):
    with pytest.raises(TypeError, match="client.get_executor"):
        srcextract.extract_many([field(1)], executor=dask)


def test_leaving_early_ends_the_work():
    asked = []

    def images():
        for number in range(100_000):
            asked.append(number)
            yield field(number % 5)

    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for one in srcextract.extract_many(images(), executor=pool, progress=False):
            assert one
            break
        assert len(asked) <= 8


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_after_threads_of_this_one(method):
    """A process that is forked after many threads worked here still extracts."""
    image = numpy.tile(field(1), (8, 8))
    expected = srcextract.extract(image, threads=4)
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        found = list(srcextract.extract_many([image] * 3, executor=pool, threads=3, progress=False))
    for one in found:
        numpy.testing.assert_array_equal(one["FLUX_ISO"], expected["FLUX_ISO"])
