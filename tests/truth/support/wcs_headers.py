"""Headers for test_wcs.py: what there is to be read, by name. A header is a list of cards, each a text, or the bytes of
one; `tan(...)` and the like begin them."""

LATITUDE_PARAMETERS = {
    "AZP": (None, 2.0, 30.0), "SZP": (None, 2.0, 180.0, 60.0), "TAN": (), "STG": (), "SIN": (None, 0.1, -0.2), "ARC": (),
    "ZPN": (0.0, 1.0, 0.0, -0.1, 0.0, 0.02), "ZEA": (), "AIR": (None, 45.0), "CYP": (None, 1.0, 0.70710678),
    "CEA": (None, 0.75), "CAR": (), "MER": (), "COP": (None, 45.0, 25.0), "COE": (None, 45.0, 25.0), "COD": (None, 45.0, 25.0),
    "COO": (None, 45.0, 25.0), "SFL": (), "PAR": (), "MOL": (), "AIT": (), "BON": (None, 45.0), "PCO": (), "TSC": (),
    "CSC": (), "QSC": (), "HPX": (None, 4.0, 3.0), "XPH": ()}


def card(keyword, value):
    if isinstance(value, str):
        return f"{keyword:8}= '{value:8}'"
    return f"{keyword:8}= {value!r:>20}"


def cards(**values):
    return [card(keyword, value) for keyword, value in values.items()]


def axes(code, lon="RA--", lat="DEC-", suffix=""):
    return cards(CTYPE1=f"{lon}-{code}{suffix}", CTYPE2=f"{lat}-{code}{suffix}")


def projection(code):
    return [card(f"PV2_{m}", value) for m, value in enumerate(LATITUDE_PARAMETERS[code]) if value is not None]


PLACE = cards(CRVAL1=150.25, CRVAL2=32.5, CRPIX1=20.5, CRPIX2=33.25)
SCALE = cards(CDELT1=-0.05, CDELT2=0.06)
FINE = cards(CD1_1=-1e-3, CD1_2=2e-4, CD2_1=1.5e-4, CD2_2=1.1e-3)
LINEAR = {
    "cdelt": SCALE,
    "crota": SCALE + cards(CROTA2=33.0),
    "pc": SCALE + cards(PC1_1=0.8, PC1_2=-0.6, PC2_1=0.6, PC2_2=0.8),
    "old_pc": SCALE + cards(PC001001=0.8, PC001002=-0.6, PC002001=0.6, PC002002=0.8),
    "cd": cards(CD1_1=-0.04, CD1_2=0.01, CD2_1=0.012, CD2_2=0.05)}


def tan(*more):
    return axes("TAN") + PLACE + SCALE + list(more)


def sip(order, inverse=False, code="TAN", suffix="-SIP", **ctype):
    lines = axes(code, suffix=suffix, **ctype) + PLACE + FINE + cards(A_ORDER=order, B_ORDER=order)
    for p in range(order + 1):
        for q in range(order + 1 - p):
            if p + q < 2:
                continue
            size = 2e-4 * 0.02 ** (p + q - 2)
            lines += [card(f"A_{p}_{q}", size * (1 + p - 0.5 * q)), card(f"B_{p}_{q}", size * (0.7 * q - p))]
    if inverse:
        lines += cards(AP_ORDER=2, BP_ORDER=2, AP_1_0=1e-5, AP_2_0=-2e-4, BP_0_2=1e-4)
    return lines


def with_sip(*more):
    return axes("TAN", suffix="-SIP") + PLACE + SCALE + list(more)


def scamp(last, code="TPV", radial=False, suffix=""):
    lines = axes(code, suffix=suffix) + PLACE + FINE
    for axis, sign in ((1, 1), (2, -1)):
        lines += [card(f"PV{axis}_0", 1e-4 * sign), card(f"PV{axis}_1", 1.01), card(f"PV{axis}_2", 2e-3 * sign)]
        for m in range(3, last + 1):
            if m in (3, 11, 23, 39) and not radial:
                continue
            lines.append(card(f"PV{axis}_{m}", sign * 1e-2 / (m + 1)))
    return lines


def wat_text(axis, kind, surface, projp=""):
    name = ("lngcor", "latcor")[axis - 1]
    text = f"wtype={kind} axtype={('ra', 'dec')[axis - 1]} {projp}"
    return text + (f'{name} = "{surface} "' if surface else "")


def wat_cards(axis, text):
    return [f"WAT{axis}_{k // 68 + 1:03d}= '{text[k:k + 68]:68}'" for k in range(0, len(text), 68)]


def surface_terms(x_order, y_order, cross):
    def has(m, n):
        return m * n == 0 if cross == 0 else cross == 1 or m + n < max(x_order, y_order)
    return [(m, n) for n in range(y_order) for m in range(x_order) if has(m, n)]


def surface(basis, x_order, y_order, cross, offset=1.5):
    """With an offset of 1 some coefficients are zero: wcslib 7.12's parser takes the first zero for the end of them."""
    numbers = " ".join(f"{1e-5 * (offset + 3 * m - 2 * n):.8f}" for m, n in surface_terms(x_order, y_order, cross))
    return f"{basis}. {x_order}. {y_order}. {cross}. -0.11 0.12 -0.13 0.14 {numbers}"


def iraf(kind, surfaces, projp="", code=None):
    lines = axes(code or kind.upper()) + PLACE + FINE
    for axis in (1, 2):
        lines += wat_cards(axis, wat_text(axis, kind, surfaces[axis - 1], projp))
    return lines


PROJP = "projp0=0. projp1=1. projp2=0. projp3=337.74 "


def same_as_astropy():
    """Headers whose positions are astropy's."""
    headers = {}
    for code in LATITUDE_PARAMETERS:
        for name, matrix in LINEAR.items():
            headers[f"{code} {name}"] = axes(code) + PLACE + matrix + projection(code)
        headers[f"{code} poles"] = axes(code) + PLACE + SCALE + projection(code) + cards(LONPOLE=20.0, LATPOLE=40.0)
        headers[f"{code} reference"] = axes(code) + PLACE + SCALE + projection(code) + cards(PV1_1=10.0, PV1_2=70.0)
        headers[f"{code} galactic"] = axes(code, "GLON", "GLAT") + PLACE + SCALE + projection(code)
    for order in range(2, 10):
        headers[f"SIP {order}"] = sip(order)
        headers[f"SIP {order} and its inverse"] = sip(order, inverse=True)
    for code in ("SIN", "ZEA", "ARC", "STG"):
        headers[f"SIP of {code}"] = sip(3, code=code)
    headers["SIP galactic"] = sip(4, lon="GLON", lat="GLAT")
    headers["SIP beyond its order"] = sip(3) + cards(A_4_0=1.0, B_2_2=1.0)
    headers["SIP with linear terms"] = sip(3) + cards(A_0_0=0.5, A_1_0=0.01, A_0_1=0.02, B_0_1=-0.01)
    headers["SIP with suffix and PV"] = sip(3) + [c for c in scamp(10) if c.startswith("PV")]
    headers["SIP suffix alone"] = axes("TAN", suffix="-SIP") + PLACE + FINE
    headers["SIP without orders"] = axes("TAN") + PLACE + FINE + cards(A_2_0=1e-4, B_0_2=1e-4)
    headers["SIP of order 1"] = axes("TAN") + PLACE + FINE + cards(A_ORDER=1, B_ORDER=1, A_1_0=0.5)
    headers["SIP, A of order 3 and B of 1"] = axes("TAN") + PLACE + FINE + cards(A_ORDER=3, B_ORDER=1, A_2_0=1e-4)
    headers["SIP inverse alone"] = axes("TAN") + PLACE + FINE + cards(AP_ORDER=2, BP_ORDER=2, AP_2_0=1e-4)
    for last in (2, 6, 10, 16, 22, 30, 38):
        headers[f"TPV {last}"] = scamp(last)
        headers[f"TPV {last} with radial terms"] = scamp(last, radial=True)
    headers["TPV with CDELT"] = axes("TPV") + PLACE + SCALE + [c for c in scamp(6) if c.startswith("PV")]
    headers["TAN with PV2_1 = PV2_2 = 0"] = tan(*cards(PV2_1=0.0, PV2_2=0.0))
    headers["TAN with PV2_1 alone"] = tan(*cards(PV2_1=1.0))
    headers["TAN with PV2_0"] = tan(*cards(PV2_0=0.0))
    headers["TAN with LONPOLE as PV1_3"] = tan(*cards(PV1_3=170.0, PV1_4=10.0))
    for basis in (1, 2, 3):
        for cross in (0, 1, 2):
            for orders in ((2, 2), (4, 4), (3, 5), (4, 2)):
                text = surface(basis, *orders, cross)
                headers[f"TNX {basis} {cross} {orders}"] = iraf("tnx", (text, text))
        text = surface(basis, 4, 4, 2)
        headers[f"ZPX {basis}"] = iraf("zpx", (text, text), PROJP)
    headers["TNX of two kinds"] = iraf("tnx", (surface(1, 4, 4, 2), surface(3, 4, 4, 2)))
    headers["TNX without WAT"] = axes("TNX") + PLACE + FINE
    headers["TAN with other WAT"] = tan("WAT0_001= 'system=image'", "WAT1_001= 'wtype=tan axtype=ra'", "WAT2_001= 'wtype=tan axtype=dec'")
    for unit in ("deg", "degree", "DEG", "arcmin", "arcsec", "rad", "10**-1 deg"):
        headers[f"CUNIT {unit}"] = axes("TAN") + cards(CRVAL1=15.0, CRVAL2=0.5, CRPIX1=30.0, CRPIX2=30.0, CDELT1=-1e-3,
                                                       CDELT2=1e-3, CUNIT1=unit, CUNIT2=unit)
    headers["CUNIT of one axis"] = tan(*cards(CUNIT1="arcsec"))
    headers["latitude first"] = cards(CTYPE1="DEC--TAN", CTYPE2="RA---TAN", CRVAL1=-35.5, CRVAL2=0.01) + SCALE
    headers["latitude first, galactic"] = cards(CTYPE1="GLAT-CAR", CTYPE2="GLON-CAR", CRVAL1=-35.5, CRVAL2=0.01) + SCALE
    headers["NCP of AIPS"] = axes("NCP") + PLACE + SCALE
    headers["GLS of AIPS"] = axes("GLS") + PLACE + SCALE
    headers["pole"] = axes("TAN") + cards(CRVAL1=10.0, CRVAL2=90.0) + SCALE
    headers["CRVAL below 0"] = axes("TAN") + cards(CRVAL1=-0.3, CRVAL2=2.0, CRPIX1=30.0, CRPIX2=30.0) + SCALE
    headers["CRVAL above 360"] = axes("TAN") + cards(CRVAL1=1230.0, CRVAL2=2.0, CRPIX1=30.0, CRPIX2=30.0) + SCALE
    headers["no CRVAL"] = axes("TAN") + SCALE
    headers["no CDELT"] = axes("TAN") + PLACE
    headers["CD and CDELT"] = tan(*FINE)
    headers["CD and CROTA"] = tan(*FINE, *cards(CROTA2=30.0))
    headers["CD and PC"] = tan(*FINE, *cards(PC1_1=0.5))
    headers["PC and CROTA"] = tan(*cards(PC1_2=0.1, CROTA2=30.0))
    headers["CROTA1 alone"] = tan(*cards(CROTA1=30.0))
    headers["CROTA of both"] = tan(*cards(CROTA1=30.0, CROTA2=20.0))
    headers["ICRS"] = tan(*cards(RADESYS="ICRS", EQUINOX=2015.5))
    headers["FK5"] = tan(*cards(RADESYS="FK5", EQUINOX=2000.0))
    headers["RADECSYS"] = tan(*cards(RADECSYS="FK5", EPOCH=2000.0))
    headers["comments"] = tan("LONPOLE = 180. / it's", "COMMENT CRVAL1  = 3", "HISTORY = 3", "WCSNAME = 'O''Brien'")
    headers["a long comment on a number"] = tan("LATPOLE =" + " " * 60 + "30.0 / c")
    for year in ("'2000.0'", "'2000.'", "'J2000'", "'J2000.0'", "' j2000'", "2000"):
        headers[f"EQUINOX {year}"] = tan("EQUINOX = " + year)
        headers[f"EQUINOX {year}, FK5"] = tan("EQUINOX = " + year, "RADESYS = 'FK5'")
        headers[f"EPOCH {year}"] = tan("EPOCH   = " + year)
    headers["EQUINOX of no year, ICRS"] = tan("EQUINOX = 'unknown'", "RADESYS = 'ICRS'")
    headers["EPOCH of no year, EQUINOX"] = tan("EPOCH   = '2001-03-04'", "EQUINOX = 'J2000'")
    headers["RADESYS in small letters"] = tan("RADESYS = 'icrs'")
    headers["a keyword twice, the same"] = tan("CRVAL1  = 1.5025E2", "CRVAL1  = 150.250", "CTYPE1  = 'RA---TAN  '")
    headers["PC in two forms, the same"] = tan(*cards(PC1_2=0.25, PC001002=0.25))
    headers["no detector's distortion"] = tan("D2IMERR1= 0.0", "D2IMEXT = 'N/A'", "D2IMERR2=")
    headers["other keywords in lower case"] = tan("crval1a = 3.0", "crval   = 3", "exptime = 3.0", "filter= 'r'")
    headers["words of comments"] = tan("equinox of the observation", "COMMENT CRVAL1= 3", "        CRVAL1= 3", "HISTORY crval1 = 3")
    headers["undefined values"] = tan("LONPOLE =", "CUNIT1  = / none")
    headers["of an alternative description"] = tan("CTYPE1A = 'GLON-CAR'", "CRVAL1A = 3.0", "PV2_1A  = 5.0")
    headers["HIERARCH"] = tan("HIERARCH CRVAL1 = 3.0")
    headers["A_9_9 of 51 digits"] = tan("A_9_9   =" + "3" * 51)
    headers["AP_9_9 of 51 digits"] = tan("AP_9_9  =" + "3" * 51)
    return headers


def by_definition():
    """Headers whose positions are those that astropy gives another one, in which the same is written as it reads it. SIP
    counts where CTYPE says so, as in the convention and in SExtractor; astropy applies it in any case."""
    terms = cards(A_ORDER=2, B_ORDER=2, A_2_0=1e-5, B_1_1=-1e-5)
    zpn = axes("ZPN") + PLACE + SCALE + projection("ZPN")
    without_suffix = {f"SIP {order} without suffix": (sip(order, suffix=""), axes("TAN") + PLACE + FINE) for order in range(2, 10)}
    return without_suffix | {
            "SIP without suffix, SCAMP 1": (scamp(10, code="TAN") + terms, scamp(10)),
            "SIP without suffix, TPV": (scamp(6) + terms, scamp(6)),
            "SIP without suffix, ZPN": (zpn + terms, zpn),
            "SIP without suffix, one axis": (tan(*cards(A_ORDER=2, A_2_0=1e-5)), tan()),
            "SIP without suffix, order 12": (tan(*cards(A_ORDER=12, B_ORDER=2, A_2_0=1e-5)), tan()),
            "SIP without suffix, a term twice": (tan(*terms, *cards(A_2_0=9e-4)), tan()),
            "SIP without suffix, an alternative with": (tan(*terms, "CTYPE1A = 'RA---TAN-SIP'"), tan()),
            "SIP of one CTYPE": (cards(CTYPE1="RA---TAN", CTYPE2="DEC--TAN-SIP") + PLACE + SCALE + terms,
                                 axes("TAN", suffix="-SIP") + PLACE + SCALE + terms),
            "SCAMP 1 calls it TAN": (scamp(10, code="TAN"), scamp(10)),
            "SCAMP 1 to the seventh degree": (scamp(38, code="TAN"), scamp(38)),
            "SIP and PV with radial terms": (sip(3) + [c for c in scamp(10, radial=True) if c.startswith("PV")], sip(3)),
            "WAT1_000": (tan("WAT1_000= 'wtype=tnx lngcor = \"1. 2. 3. 4. 1 2 3 4 5 6 7 8 9\"'"), tan()),
            "a wtype without end": (tan("WAT1_001= 'wtype=" + "A" * 61 + "'"), tan()),
            "SCAMP 1 to no end": (axes("TAN") + PLACE + FINE + cards(PV1_0=0.0, PV1_1=1.0, PV1_2=0.0, PV2_1=1.0),
                                  axes("TAN") + PLACE + FINE),
            "exponents D": (axes("TAN") + ["CRVAL1  = 1.5D+02", "CRVAL2  = 2.5d0"] + SCALE,
                            axes("TAN") + cards(CRVAL1=150.0, CRVAL2=2.5) + SCALE),
            "no blank after =": (axes("TAN") + PLACE + ["CDELT1  =-0.05", "CDELT2  =0.06"], tan())}


def ambiguous():
    """Headers that programs read differently, or that FITS has no more or has not: the same three as of refused()."""
    place = cards(CRVAL2=32.5, CRPIX1=20.5, CRPIX2=33.25)
    twice, no_card = "comes more than once", "is none of FITS"
    fine = axes("TAN") + PLACE + FINE
    headers = {
        "CRVAL1 twice": (tan("CRVAL1  = 20.0"), "CRVAL1 " + twice, False),
        "CRVAL1 twice, the last undefined": (tan("CRVAL1  ="), "CRVAL1 " + twice, False),
        "CRVAL1 twice, the first undefined": (["CRVAL1  ="] + tan(), "CRVAL1 " + twice, True),
        "CTYPE1 twice": (tan("CTYPE1  = 'RA---SIN'"), "CTYPE1 " + twice, True),
        "CTYPE1 twice, the last undefined": (tan("CTYPE1  ="), "CTYPE1 " + twice, False),
        "CD1_1 twice, the last undefined": (fine + ["CD1_1   ="], "CD1_1 " + twice, False),
        "A_2_0 twice": (sip(3) + cards(A_2_0=9e-4), "A_2_0 " + twice, False),
        "A_ORDER twice": (sip(3) + cards(A_ORDER=2), "A_ORDER " + twice, False),
        "B_0_2 twice, the last undefined": (sip(3) + ["B_0_2   ="], "B_0_2 " + twice, False),
        "PV1_4 twice": (scamp(6) + cards(PV1_4=0.5), "PV1_4 " + twice, False),
        "EQUINOX twice": (tan(*cards(EQUINOX=2000.0), "EQUINOX = 1950."), "EQUINOX " + twice, False),
        "WAT1_001 twice": (iraf("tnx", (surface(3, 2, 2, 0),) * 2) + ["WAT1_001= 'wtype=tan'"], "WAT1_001 " + twice, False),
        "PC in two forms": (tan(*cards(PC1_1=0.9, PC001001=0.5)), "PC001001 and PC1_1 are one", False),
        "PV in two forms": (scamp(6) + cards(PV1_04=0.5), "PV1_04 and PV1_4 are one", False),
        "CD001001": (axes("TAN") + PLACE + cards(CD001001=-1e-3, CD002002=1e-3), "CD001001 is no keyword", False),
        "CD002002 and CDELT": (tan(*cards(CD002002=1e-3)), "CD002002 is no keyword", False),
        "CD001003": (fine + cards(CD001003=0.5), "CD001003 is no keyword", True),
        "D2IMDIS": (tan("D2IMDIS1= 'Lookup'"), "D2IMDIS1", False),
        "D2IMERR": (tan("D2IMERR2= 0.1"), "D2IMERR2", False),
        "D2IMEXT": (tan("D2IMEXT = 'd2im.fits'"), "D2IMEXT", False),
        "AXISCORR": (tan("AXISCORR= 1"), "AXISCORR", False),
        "records of a distortion alone": (tan("DP1     = 'EXTVER: 1'"), "DP1", True),
        "CPDIS of another kind": (tan("CPDIS2  = 'SIP'"), "CPDIS2", False),
        "TAN and linear PV": (fine + cards(PV1_0=0.01, PV1_1=1.0, PV2_0=0.01, PV2_1=1.0), "'RA---TPV'", False),
        "TAN and PV to the first degree": (fine + cards(PV1_1=10.0, PV2_1=1.0), "'RA---TPV'", False),
        "TAN and PV to PV1_4": (scamp(4, code="TAN"), "'RA---TPV'", False),
        "TAN and PV of swapped axes": (fine + cards(PV1_2=1.0, PV2_2=1.0), "'RA---TPV'", False)}
    misspelt = {
        "crval1": tan("crval1  = 20.0"), "crval alone": axes("TAN") + place + SCALE + ["crval1  = 150.25"],
        "Cd1_1": axes("TAN") + PLACE + ["Cd1_1   = -1e-3", "Cd2_2   = 1e-3"], "lonpole": tan("lonpole = 90.0"),
        "cunit1": tan("cunit1  = 'arcsec'"), "ctype": ["ctype1  = 'RA---TAN'", "ctype2  = 'DEC--TAN'"] + PLACE + SCALE,
        "a_order": axes("TAN", suffix="-SIP") + PLACE + FINE + ["a_order = 2", "b_order = 2", "a_2_0   = 2e-4"],
        "pv2_1": axes("SIN") + PLACE + SCALE + ["pv2_1   = 0.3", "pv2_2   = 0.4"], "radesys": tan("radesys = 'FK4'"),
        "cpdis1": tan("cpdis1  = 'Lookup'"), "= in column 8": axes("TAN") + place + SCALE + ["CRVAL1 = 150.25"],
        "= in column 7": axes("TAN") + place + SCALE + ["CRVAL1= 150.25"], "no blank": axes("TAN") + place + ["CRVAL1=150.25"],
        "= in column 10": axes("TAN") + place + SCALE + ["CRVAL1   = 150.25"], "no =": axes("TAN") + place + ["CRVAL1    150.25"],
        "behind a blank": axes("TAN") + place + SCALE + [" CRVAL1 = 150.25"], "CTYPE1=": ["CTYPE1= 'RA---TAN'"] + tan()[1:],
        "behind a tabulator": axes("TAN") + place + SCALE + ["CRVAL1\t = 150.25"]}
    return headers | {name: (lines, no_card, name == "cpdis1") for name, lines in misspelt.items()}


def refused():
    """Headers without positions here: a part of the reason, and whether astropy has none either. Where it has some they
    are not of this sky."""
    whole = surface(3, 2, 2, 0)
    tnx = iraf("tnx", (whole, whole))
    two = iraf("tnx", (whole, whole))
    two = [c for c in two if not c.startswith("WAT2")]

    def damaged(text):
        return iraf("tnx", (whole, text))
    return {
        "nothing": ([], "no celestial WCS", False),
        "linear RA": (cards(CTYPE1="RA", CTYPE2="DEC", CRVAL1=350.0, CRVAL2=2.0, CDELT1=20.0, CDELT2=3.0), "linear axis", False),
        "RA--TAN": (cards(CTYPE1="RA--TAN", CTYPE2="DEC-TAN"), "linear axis", False),
        "one axis": (cards(CTYPE1="RA---TAN"), "no pair of celestial axes", True),
        "two longitudes": (cards(CTYPE1="RA---TAN", CTYPE2="RA---TAN"), "no pair of celestial axes", True),
        "lower case": (axes("tan", "ra--", "dec-"), "no pair of celestial axes", True),
        "unknown projection": (axes("QQQ") + PLACE, "wcslib says", True),
        "two projections": (cards(CTYPE1="RA---TAN", CTYPE2="DEC--SIN"), "wcslib says", True),
        "a table": (axes("TAB") + PLACE, "table", True),
        "CD of one element": (axes("TAN") + PLACE + cards(CD1_1=0.1), "singular", False),
        "CD as good as singular": (axes("TAN") + PLACE + cards(CD1_1=-1e-4, CD1_2=2e-4, CD2_1=-3e-4, CD2_2=6e-4 * (1 + 1e-12)),
                                   "singular", False),
        "CD of 1e-300": (axes("TAN") + PLACE + cards(CD1_1=-1e-300, CD2_2=1e-300), "singular", False),
        "CDELT of 1e-300": (axes("TAN") + PLACE + cards(CDELT1=-1e-300, CDELT2=1e-300), "singular", False),
        "PC of one direction": (tan(*cards(PC1_1=0.3, PC1_2=0.1, PC2_1=0.9, PC2_2=0.3)), "singular", False),
        "CRPIX of 1e300": (axes("TAN") + SCALE + cards(CRPIX1=1e300, CRPIX2=1.0), "CRPIX1 is no pixel", False),
        "CRPIX of -1e15": (axes("CAR") + SCALE + cards(CRPIX1=1.0, CRPIX2=-1e15), "CRPIX2 is no pixel", True),
        "CDELT of 0": (axes("TAN") + PLACE + cards(CDELT1=0.0, CDELT2=1.0), "singular", True),
        "a declination of 100": (axes("TAN") + cards(CRVAL1=1.0, CRVAL2=100.0), "wcslib says", True),
        "CRVAL beyond sense": (axes("TAN") + cards(CRVAL1=1e300, CRVAL2=1.0), "CRVAL1 is no angle", False),
        "LONPOLE beyond sense": (tan(*cards(LONPOLE=1e308)), "LONPOLE is no angle", True),
        "no unit": (tan(*cards(CUNIT1="furlong")), "CUNIT1 = 'furlong'", True),
        "a unit of lengths": (tan(*cards(CUNIT1="m")), "CUNIT1 = 'm'", True),
        "a unit that is no ASCII": (tan(b"CUNIT1  = '\x80\x80      '"), "CUNIT1 cannot be read", True),
        "a text for a number": (tan("LONPOLE = 'north'"), "LONPOLE cannot be read", False),
        "a text without end": (axes("TAN") + PLACE + ["RADESYS = 'FK5"], "RADESYS cannot be read", False),
        "apparent": (tan(*cards(RADESYS="GAPPT")), "GAPPT", False),
        "of the Sun": (axes("TAN", "HPLN", "HPLT") + PLACE, "HPLN, HPLT", False),
        "tied to a third axis": (tan(*cards(PC1_3=0.5)), "mixes the first two axes", True),
        "a look-up table": (tan("CPDIS1  = 'LOOKUP'"), "CPDIS1", True),
        "SIP of one axis": (with_sip(*cards(A_ORDER=2, A_2_0=1e-5)), "B_ORDER", True),
        "SIP of the other axis": (with_sip(*cards(B_ORDER=2, B_2_0=1e-5)), "A_ORDER", True),
        "SIP inverse of one axis": (sip(2) + cards(AP_ORDER=2, AP_2_0=1e-5), "BP_ORDER", True),
        "SIP of order 12": (with_sip(*cards(A_ORDER=12, B_ORDER=2, A_2_0=1e-5)), "A_ORDER is none", False),
        "SIP of order 2.5": (with_sip(*cards(A_ORDER=2.5, B_ORDER=2, A_2_0=1e-5)), "A_ORDER is none", False),
        "SIP of order -1": (with_sip(*cards(A_ORDER=-1, B_ORDER=2, A_2_0=1e-5)), "A_ORDER is none", True),
        "SIP without CRPIX": (axes("TAN", suffix="-SIP") + SCALE + cards(A_ORDER=2, B_ORDER=2, A_2_0=1e-5), "CRPIX1", True),
        "SIP, CTYPE1 alone": (cards(CTYPE1="RA---TAN-SIP", A_ORDER=2, A_2_0=1e-5), "no pair of celestial axes", True),
        "SIP and TPV": (scamp(6, suffix="-SIP") + cards(A_ORDER=2, B_ORDER=2, A_2_0=1e-5), "two distortions", False),
        "SIP and TNX": (axes("TNX", suffix="-SIP") + tnx[2:] + cards(A_ORDER=2, B_ORDER=2, A_2_0=1e-5), "two distortions", False),
        "SIP and a slant": (sip(2, code="SIN") + cards(PV2_1=0.1, PV2_2=0.1), "another projection than TAN", False),
        "TPV without terms": (axes("TPV") + PLACE + FINE, "TPV", False),
        "TPV of one axis": (axes("TPV") + PLACE + FINE + cards(PV1_1=1.0, PV1_4=0.01), "TPV", False),
        "TPV with PV1_40": (scamp(6) + cards(PV1_40=1.0), "PV1_40 is beyond", True),
        "TAN with PV2_1 of 0.9 alone": (tan(*cards(PV2_1=0.9)), "PV2_1 is none of TAN", False),
        "TAN with PV2_0 of 0.1 and PV2_1": (tan(*cards(PV2_0=0.1, PV2_1=1.0)), "PV2_0 is none of TAN", False),
        "TAN with PV2_5 alone": (tan(*cards(PV2_5=0.01)), "PV2_5 is none of TAN", False),
        "TAN with PV2_1 to PV2_5": (tan(*cards(PV2_1=1.0, PV2_4=0.01, PV2_5=0.01)), "PV2_4 is none of TAN", False),
        "TAN with PV1_5 alone": (tan(*cards(PV1_5=1.0)), "wcslib says", True),
        "PV2_30": (axes("ZPN") + PLACE + SCALE + cards(PV2_1=1.0, PV2_30=1.0), "PV2_30 is beyond", False),
        "ZPN without parameters": (axes("ZPN") + PLACE + SCALE, "wcslib says", True),
        "TNX of one axis": (two, "two axes or none", True),
        "TNX of the other axis": ([c for c in tnx if not c.startswith("WAT1")], "two axes or none", False),
        "TNX, damaged": (damaged('3. 2. 2. 0. -1. 1. -1. 1. 1e-5 garbage'), "'garbage' is no number", False),
        "TNX, cut": (damaged('3. 2. 2. 0. -1. 1. -1. 1. 1e-5'), "1 coefficients, and its orders ask for 3", False),
        "TNX, too long": (damaged(whole + " 1e-6"), "4 coefficients, and its orders ask for 3", False),
        "TNX, cut in its head": (damaged("3. 2. 2."), "has no surface", False),
        "TNX of an unknown kind": (damaged("4. 2. 2. 0. -1. 1. -1. 1. 1e-5 1e-5 1e-5"), "kind of the surface", False),
        "TNX with unknown cross terms": (damaged("3. 2. 2. 4. -1. 1. -1. 1. 1e-5 1e-5 1e-5"), "cross terms", True),
        "TNX of order 11": (iraf("tnx", (surface(3, 11, 11, 0),) * 2), "order of the surface", True),
        "TNX of order 1e300": (damaged("3. 1e300 2. 0. -1. 1. -1. 1. 1e-5"), "order of the surface", False),
        "TNX of degree 10": (iraf("tnx", (surface(3, 6, 6, 1),) * 2), "degree", True),
        "TNX defined nowhere": (damaged("1. 2. 2. 0. 1. 1. -1. 1. 1e-5 1e-5 1e-5"), "limits", True),
        "TNX with a name alone": (damaged(None) + ["WAT2_002= 'latcor'"], "has no value", True),
        "TNX without a correction": (iraf("tnx", (None, None)), "no correction", True),
        "TNX, an open quote": ([c.replace(' "', "") if c.startswith("WAT1_002") else c for c in tnx], "has no end", False),
        "CTYPE says TNX, WAT another": (axes("TNX") + PLACE + FINE + ["WAT1_001= 'wtype=tan'", "WAT2_001= 'wtype=tan'"],
                                        "no such distortion", False),
        "CTYPE says SIN, WAT tnx": (iraf("tnx", (whole, whole), code="SIN"), "of the kind tnx", False),
        "ZPX without parameters": (iraf("zpx", (whole, whole)), "wcslib says", True),
        "ZPX with two sets": (axes("ZPX") + PLACE + FINE + wat_cards(1, wat_text(1, "zpx", whole, PROJP)) +
                              wat_cards(2, wat_text(2, "zpx", whole, "projp1=2. ")), "different parameters", False)}
