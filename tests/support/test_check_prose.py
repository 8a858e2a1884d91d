"""scripts/check_prose.py counts what a reader reads, and finds the sentences that it is for."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_prose

PAGE = """# A heading

One sentence. Another `one.with` a dot, e.g. this. [A link](to/some/page.md#there) ends it!

| a | table |
|---|---|
| has no | sentence. None |

- An item of two words
  and a line more.
- What begins so has no noun.

```sh
not counted. Nor this.
```
"""


def test_sentences():
    assert list(check_prose.sentences(check_prose.without_code(PAGE))) == [
        "One sentence.", "Another `one.with` a dot, e.g. this.", "A link ends it!", "An item of two words and a line more.",
        "What begins so has no noun."]


def test_words():
    assert check_prose.words("two words, 3 and * one") == 4
    assert check_prose.words(check_prose.without_code("```\nnone\n```\n<!-- none -->\n[one](target)\n")) == 1


def test_subjects():
    assert check_prose.SUBJECT.match("What begins so has no noun.") and check_prose.SUBJECT.match("Who came is here.")
    assert not check_prose.SUBJECT.match("What is a mesh?") and not check_prose.SUBJECT.match("Whatever comes is taken.")
