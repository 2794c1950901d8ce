"""Codes of PyOTP for Base32 secrets, and whether it accepts codes of ours; null for a secret that it
refuses.

Usage: /usr/bin/python3 totp_pyotp.py WINDOW < [["SECRET", "CODE"], ...]; prints [["ITS CODE", true], ...]
"""

import json
import sys

try:
    import pyotp
except ImportError:
    sys.exit("modules of Python are missing: apt-get install python3-pyotp")


def answer(secret, code):
    totp = pyotp.TOTP(secret)
    try:
        return [totp.now(), totp.verify(code, valid_window=int(sys.argv[1]))]
    except ValueError:
        return None


print(json.dumps([answer(*row) for row in json.load(sys.stdin)]))
