"""What the pages of --report hold."""

import html.parser
import json

import pytest

EVIL = "</script><script>alert(1)</script>"


class Page(html.parser.HTMLParser):
    """What a page holds: the text of each element with an id, its tables, its pictures; fails on tags that do not match."""

    VOID = {"meta", "link", "img", "input", "br"}

    def __init__(self, path):
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.open, self.texts, self.pictures, self.addresses, self.script_count = [], {}, [], [], 0
        self.feed(self.source)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        self.script_count += tag == "script"
        if tag == "img":
            self.pictures.append(given)
        if tag not in self.VOID:
            self.open.append((tag, given.get("id")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, tag

    def handle_data(self, text):
        for _, name in self.open:
            if name:
                self.texts[name] = self.texts.get(name, "") + text

    @property
    def data(self):
        return json.loads(self.texts["data"], parse_constant=pytest.fail)
