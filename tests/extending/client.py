# Calls Echo over both versions of SOAP by the WSDL of the server: client.py WSDL TEXT
import sys

import zeep

client = zeep.Client(sys.argv[1])
for port in ("AuthenticatorAPISoap", "AuthenticatorAPISoap12"):
    service = client.bind("AuthenticatorAPI", port)
    print(service.Echo(text=sys.argv[2]) == sys.argv[2])
    print(service.ValidatePin(pin="1", secretCode="s"))
