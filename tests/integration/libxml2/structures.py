"""Reads XML documents with libxml2, each a JSON string on a line of standard input; prints what each
says as a JSON list of lines (`tests/support/xml/structure.ts` has their form), or null when it is refused.

Usage: python3 structures.py < DOCUMENTS
"""

import json
import sys

try:
    from lxml import etree
except ImportError:
    sys.exit("the module lxml of Python is missing: apt-get install python3-lxml")


def expanded(name):
    return name if name.startswith("{") else "{}" + name


def structure(root):
    lines = []

    def text(value):
        if not value:
            return
        if lines[-1].startswith("|"):
            lines[-1] += value
        else:
            lines.append("|" + value)

    def walk(element):
        lines.append("<" + expanded(element.tag))
        for name, value in element.attrib.items():
            lines.append(" " + expanded(name) + "=" + value)
        text(element.text)
        for child in element:
            if isinstance(child.tag, str):
                walk(child)
            text(child.tail)
        lines.append(">")

    walk(root)
    return lines


# libxml2 wants a URI for a namespace name. Namespaces 1.0 §2.3 says "URI reference" too, and adds that
# processors need not check that.
PASSED_OVER = {etree.ErrorTypes.WAR_NS_URI}


def read(document):
    # It goes on after an error, which the log then holds.
    parser = etree.XMLParser(recover=True, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError:
        return None
    for entry in parser.error_log:
        if entry.level >= etree.ErrorLevels.ERROR and entry.type not in PASSED_OVER:
            return None
    return None if root is None else structure(root)


for line in sys.stdin:
    # As bytes: lxml takes no text that declares an encoding.
    print(json.dumps(read(json.loads(line).encode("utf-8"))), flush=True)
