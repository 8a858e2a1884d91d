"""The cards of a FITS header (FITS Standard 4.0, 4.1), with the standard library alone."""


def card(keyword, value):
    """80 characters with a fixed-format logical, text or number."""
    if isinstance(value, bool):
        text = f"{'T' if value else 'F':>20}"
    elif isinstance(value, str):
        text = f"'{value:<8}'"
    else:
        text = f"{repr(value).upper():>20}"
    return f"{keyword:<8}= {text}".ljust(80)


def header(cards):
    """The blocks of a header with these keywords and values."""
    text = "".join(card(keyword, value) for keyword, value in cards.items()) + "END".ljust(80)
    return text.ljust(-(-len(text) // 2880) * 2880).encode("ascii")
