"""Reads a WSDL with zeep and suds; prints a JSON object with what they warned of, in either way that
Python has, and the operations of each port that zeep found.

Usage: /usr/bin/python3 wsdl_zeep.py WSDL-URL
"""

import json
import logging
import sys
import warnings

try:
    import suds.client
    import zeep
except ImportError:
    sys.exit("modules of Python are missing: apt-get install python3-zeep python3-suds")

said = []


class Listener(logging.Handler):
    def emit(self, record):
        said.append(f"{record.name}: {record.getMessage()}")


logging.getLogger().addHandler(Listener(logging.WARNING))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    services = zeep.Client(sys.argv[1], settings=zeep.Settings(strict=True)).wsdl.services
    suds.client.Client(sys.argv[1], cache=None)
said += [str(warning.message) for warning in caught if warning.category is not DeprecationWarning]
ports = {
    name: sorted(port.binding._operations) for name, port in services["AuthenticatorAPI"].ports.items()
}
print(json.dumps({"warnings": said, "ports": ports}))
