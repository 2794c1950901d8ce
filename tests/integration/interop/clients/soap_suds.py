"""Calls an operation with suds, made from a WSDL; prints what came of it as JSON. suds speaks SOAP
1.1 alone, whichever port it takes.

Usage: /usr/bin/python3 soap_suds.py WSDL-URL OPERATION < PARAMETERS.json
"""

import json
import sys

try:
    import suds
    import suds.client
except ImportError:
    sys.exit("the module suds of Python is missing: apt-get install python3-suds")


def call(wsdl, operation, parameters):
    service = suds.client.Client(wsdl, cache=None).service["AuthenticatorAPISoap"]
    try:
        result = service[operation](**parameters)
    except suds.WebFault as raised:
        fault = raised.fault
        return {"fault": {"code": fault.faultcode, "message": fault.faultstring}}
    return {"result": result if isinstance(result, bool) else suds.client.Client.dict(result)}


print(json.dumps(call(*sys.argv[1:], json.load(sys.stdin))))
