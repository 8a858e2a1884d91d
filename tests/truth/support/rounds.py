"""How much of what is random is done: all of it with SRCEXTRACT_LONG (scripts/test.sh --long), else a part."""
import os

LONG = "SRCEXTRACT_LONG" in os.environ


def first(few, all_of_them):
    """The first few, and with --long all."""
    return all_of_them if LONG else all_of_them[:few]
