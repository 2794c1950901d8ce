import json
import secrets
import urllib.error
import urllib.request

URL = "{{url}}"
API_KEY = "{{apiKey}}"  # Empty where the server asks for none.
APP_NAME = "Example Corp"
ACCOUNT = "jane@example.com"
USER_ADDRESS = "203.0.113.7"  # IP address of the user who types the pin.


def call(operation, **arguments):
    request = urllib.request.Request(
        f"{URL}/{operation}",
        data=json.dumps(arguments).encode(),
        headers={
            "Content-Type": "application/json",
            "X-Api-Key": API_KEY,
            "X-Authenticator-Source": USER_ADDRESS,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.load(reply)["d"]
    except urllib.error.HTTPError as error:
        raise SystemExit(json.load(error)["Message"])


# Keep the secret encrypted or sealed beside the account: each login needs it.
secret = "{{secretStart}}"
while len(secret) < 32:
    secret += secrets.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

pairing = call("Pair", appName=APP_NAME, appInfo=ACCOUNT, secretCode=secret)
print("Setup key:", pairing["ManualSetupCode"])
print("QR code for your page:", pairing["Html"])

pin = input("Pin: ")
is_right = call("ValidatePin", pin=pin, secretCode=secret) is True
print("The pin is right." if is_right else "The pin is not right.")
