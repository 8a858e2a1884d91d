"""A merged survey in SQLite, PostgreSQL and DuckDB: by the commands that stand in docs/surveys.md, as they stand there."""

import csv
import json
import os
import pathlib
import pwd
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

from driver import ROOT
from fits_files import hdu, write
from survey_support import sky, write_survey


SECTION = re.search(r"^## In a database\n(.*?)^## ", (ROOT / "docs/surveys.md").read_text(), re.M | re.S)[1]


def commands(database):
    """The block of commands that follows the paragraph which begins with that name."""
    return re.search(rf"^{database}.*?^```\w+\n(.*?)^```", SECTION, re.M | re.S)[1]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A directory with a survey of images, of which one has no sky, and one is none; `srcextract` there is the program."""
    directory = tmp_path_factory.mktemp("survey")
    write_survey(directory / "images", 6, kinds=3)
    write(directory / "images" / "night1" / "no sky.fits", hdu((200, 200), values=sky(4)))
    (directory / "c.yaml").write_text("output: {columns: [all]}\nmeasurement: {apertures: [3, 5]}\nextends: none\n")
    (directory / "bin").mkdir()
    (directory / "bin" / "srcextract").symlink_to(os.environ["SRCEXTRACT_PROGRAM"])
    done = subprocess.run([directory / "bin" / "srcextract", "batch", "-q", "--backend", "cpu", "c.yaml", "images", "-o", "out"],
                          cwd=directory, capture_output=True, text=True)
    assert done.returncode == 6, done.stderr
    return directory


def run_commands(directory, text, **environment):
    path = f"{directory / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=directory, capture_output=True, text=True, timeout=120,
                          env=os.environ | {"PATH": path} | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


NAMES = ["0231", "1e2", "inf", "nan", "plain"]
HOSTILE = ["a);DROP/**/TABLE/**/images;--", 'b" TEXT); DROP TABLE images; --', "c' || d", "e, f", "$(touch owned)", "`touch owned`",
           "%s %I :header", "select", "\\! touch owned"]


@pytest.fixture(scope="module")
def odd_survey(tmp_path_factory):
    """A survey of images whose names look like numbers, measured at positions whose columns have names that say things to
    a shell or a database."""
    directory = tmp_path_factory.mktemp("odd")
    (directory / "bin").mkdir()
    (directory / "bin" / "srcextract").symlink_to(os.environ["SRCEXTRACT_PROGRAM"])
    for seed, name in enumerate(NAMES):
        write(directory / f"{name}.fits", hdu((60, 60), values=sky(seed, 60, 60)))
    with open(directory / "places.csv", "w", newline="") as file:
        csv.writer(file).writerows([["X_IMAGE", "Y_IMAGE", *HOSTILE], [20, 30, *range(9)], [40, 10, *(0.5 * i for i in range(9))]])
    lines = [f"{name}.fits,{name},places.csv\n" for name in NAMES]
    (directory / "images.csv").write_text("path,name,positions\n" + "".join(lines))
    (directory / "c.yaml").write_text("measurement: {apertures: [3]}\nextends: none\n")
    run_commands(directory, "srcextract batch -q --backend cpu c.yaml images.csv -o out")
    return directory


def check_odd(directory, names, rows):
    """Every image has its two rows under its own name, and every column what its file has."""
    told_names, told = expected(directory)
    assert [name.lower() for name in names] == [name.lower() for name in told_names]
    assert sorted(row[0] for row in rows) == sorted(2 * NAMES)
    for name in HOSTILE:
        at = told_names.index(name)
        assert sorted(float(row[at]) for row in rows) == sorted(float(row[at]) for row in told), name
    assert not (directory / "owned").exists()


def expected(directory, name="survey.csv"):
    """The rows of the file, with None where a number is missing."""
    with open(directory / name, newline="") as file:
        names, *rows = csv.reader(file)
    return names, [[None if word == "nan" else word for word in row] for row in rows]


def check(directory, rows):
    """Rows of a database, in the order of the file, are those of the file."""
    names, told = expected(directory)
    assert len(rows) == len(told) > 100 and any(None in row for row in told)
    for row, words in zip(rows, told):
        assert row[0] == words[0]
        for name, value, word in zip(names[1:], row[1:], words[1:]):
            # SQLite rounds what it reads in its own way.
            assert value is None if word is None else abs(value - float(word)) <= 2.0**-52 * abs(value), name


def test_sqlite(survey):
    if shutil.which("sqlite3") is None:
        pytest.skip("sqlite3 is not installed")
    (survey / "survey.db").unlink(missing_ok=True)
    run_commands(survey, commands("SQLite"))
    with sqlite3.connect(survey / "survey.db") as database:
        check(survey, database.execute("SELECT * FROM sources ORDER BY rowid").fetchall())
        # Numbers, which compare as such: text is above every number, and beside text 9 is above 10.
        (bright,) = database.execute("SELECT count(*) FROM sources WHERE FLUX_ISO > 450.5 AND alpha_j2000 >= 0").fetchone()
    names, rows = expected(survey)
    flux, alpha = names.index("FLUX_ISO"), names.index("ALPHA_J2000")
    assert 0 < bright == sum(float(row[flux]) > 450.5 and row[alpha] is not None for row in rows)


def test_sqlite_runs_no_name_and_keeps_names_of_images(odd_survey):
    if shutil.which("sqlite3") is None:
        pytest.skip("sqlite3 is not installed")
    (odd_survey / "survey.db").unlink(missing_ok=True)
    with sqlite3.connect(odd_survey / "survey.db") as database:
        database.execute("CREATE TABLE images (IMAGE TEXT)")
    database.close()
    run_commands(odd_survey, commands("SQLite"))
    with sqlite3.connect(odd_survey / "survey.db") as database:
        assert {name for (name,) in database.execute("SELECT name FROM sqlite_master")} == {"images", "sources"}
        rows = database.execute("SELECT * FROM sources")
        check_odd(odd_survey, [column[0] for column in rows.description], rows.fetchall())
    database.close()


class Server:
    """A PostgreSQL of its own, which listens to a socket in its directory alone."""

    def __init__(self, directory, programs):
        self.directory, self.programs = directory, programs
        self.run("initdb", "-D", directory / "data", "-A", "trust", "-U", "survey", "--no-sync")
        self.run("pg_ctl", "-D", directory / "data", "-w", "-l", directory / "log", "-o",
                 f"-k '{directory}' -c listen_addresses=''", "start")

    def run(self, program, *arguments):
        # It refuses to run as root.
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        done = subprocess.run([*user, self.programs / program, *map(str, arguments)], cwd=self.directory,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def postgresql():
    """The environment of a client."""
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed")
    # A path of a socket has at most 107 bytes, and whose it is has to be able to enter.
    directory = pathlib.Path(subprocess.run(["mktemp", "-d", "/tmp/srcextract-pg-XXXXXX"], capture_output=True, text=True,
                                            check=True).stdout.strip())
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(directory, user.pw_uid, user.pw_gid)
        server = Server(directory, programs[-1].parent)
        try:
            yield {"PGHOST": str(directory), "PGUSER": "survey", "PGDATABASE": "postgres", "PGCLIENTENCODING": "UTF8"}
        finally:
            server.run("pg_ctl", "-D", directory / "data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(directory)


def test_postgresql(survey, postgresql):
    run_commands(survey, commands("PostgreSQL"), **postgresql)
    out = run_commands(survey, 'psql -q -c "\\copy sources TO back.csv WITH (FORMAT csv, NULL \'nan\')"', **postgresql)
    assert out == ""
    with open(survey / "back.csv", newline="") as file:
        rows = [[row[0], *(None if word == "nan" else float(word) for word in row[1:])] for row in csv.reader(file)]
    check(survey, rows)
    count = run_commands(survey, 'psql -At -c "SELECT count(*), count(alpha_j2000), pg_typeof(max(flux_iso)) FROM sources"',
                         **postgresql)
    of_images = commands("PostgreSQL").replace("sources", "images").replace("survey.csv", "survey.images.csv")
    run_commands(survey, of_images.replace("srcextract merge out -o survey.images.csv\n", "").replace("double precision", "text"),
                 **postgresql)
    done = run_commands(survey, 'psql -At -c "SELECT sum(sources::int), count(*), count(width) FROM images"', **postgresql)
    assert done == f"{len(expected(survey)[1])}|8|7\n"
    alpha = expected(survey)[0].index("ALPHA_J2000")
    told = [row[alpha] for row in expected(survey)[1]]
    assert count == f"{len(told)}|{len(told) - told.count(None)}|double precision\n"


def test_postgresql_runs_no_name_and_keeps_names_of_images(odd_survey, postgresql):
    run_commands(odd_survey, 'psql -q -c "CREATE TABLE images (image text)"', **postgresql)
    run_commands(odd_survey, commands("PostgreSQL"), **postgresql)
    tables = run_commands(odd_survey, "psql -At -c \"SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1\"",
                          **postgresql)
    assert tables == "images\nsources\n"
    run_commands(odd_survey, 'psql -q -c "\\copy sources TO back.csv WITH (FORMAT csv, HEADER)"', **postgresql)
    with open(odd_survey / "back.csv", newline="") as file:
        names, *rows = csv.reader(file)
    check_odd(odd_survey, names, rows)


DUCKDB = """
import json, sys
import duckdb
database = duckdb.connect()
last = [database.execute(statement).fetchall() for statement in sys.argv[1].split(";") if statement.strip()][-1]
rows = database.execute("FROM sources").fetchall()
names = [column[0] for column in database.description]
places = [database.execute("SELECT IMAGE, NUMBER, FLAGS " + source).fetchall() for source in ("FROM sources", sys.argv[2])]
print(json.dumps([rows, last, *places, names]))
"""


def by_duckdb(directory):
    """The rows of `sources`, the last answer, the same three columns of both files, and the names of the columns."""
    python = os.environ.get("SRCEXTRACT_READERS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import duckdb"], capture_output=True).returncode != 0:
        pytest.skip("SRCEXTRACT_READERS_PYTHON names no Python that has duckdb")
    run_commands(directory, "srcextract merge out -o survey.csv; srcextract merge out -o survey.parquet")
    from_parquet = re.search(r"`(FROM read_parquet\('survey\.parquet'\))`", SECTION)[1]
    return json.loads(run_commands(directory, 'exec "$PYTHON" -c "$SCRIPT" "$SQL" "$SOURCE"', PYTHON=python,
                                   SCRIPT=DUCKDB, SQL=commands("DuckDB"), SOURCE=from_parquet))


def test_duckdb(survey):
    rows, last, *places, _ = by_duckdb(survey)
    check(survey, rows)
    assert len(places[0]) == len(rows) and places[0] == places[1]
    names = [row[0] for row in expected(survey)[1]]
    images = [row[0] for row in expected(survey, "survey.images.csv")[1]]
    assert len(images) == 8 and last == [[name, names.count(name)] for name in sorted(images)]


def test_duckdb_runs_no_name_and_keeps_names_of_images(odd_survey):
    rows, last, *_, names = by_duckdb(odd_survey)
    check_odd(odd_survey, names, rows)
    assert last == [[name, 2] for name in sorted(NAMES)]
