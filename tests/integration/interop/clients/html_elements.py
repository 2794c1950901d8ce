"""Reads HTML on standard input as a browser would, and prints a JSON list of what is in it: for
each start-tag its name and attributes, for anything else between them its text.

Usage: python3 html_elements.py < FRAGMENT.html
"""

import html.parser
import json
import sys


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append({"name": tag, "attributes": attrs})

    def handle_data(self, data):
        self.found.append({"text": data})

    handle_comment = handle_decl = handle_pi = unknown_decl = handle_data


reader = Reader()
reader.feed(sys.stdin.buffer.read().decode("utf-8"))
reader.close()
print(json.dumps(reader.found))
