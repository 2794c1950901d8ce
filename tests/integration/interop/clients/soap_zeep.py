"""Calls an operation through a port with zeep, made from a WSDL; prints what came of it as JSON.

Usage: python3 soap_zeep.py WSDL-URL PORT OPERATION < PARAMETERS.json
"""

import json
import sys

try:
    import zeep
    from zeep.helpers import serialize_object
except ImportError:
    sys.exit("the module zeep of Python is missing: apt-get install python3-zeep")


def call(wsdl, port, operation, parameters):
    service = zeep.Client(wsdl).bind("AuthenticatorAPI", port)
    try:
        return {"result": serialize_object(service[operation](**parameters))}
    except zeep.exceptions.Fault as fault:
        message = fault.message
        if isinstance(message, bytes):  # Of the ports without SOAP: the body as it came.
            message = message.decode("utf-8").rstrip("\r\n")
        return {"fault": {"code": fault.code or "", "message": message}}


print(json.dumps(call(*sys.argv[1:], json.load(sys.stdin))))
