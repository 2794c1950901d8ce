"""How public callers in Python call, and how they cut the reply apart (row 19 of the list of public
callers). Prints what it found, a line for each: NAME=VALUE.

Usage: /usr/bin/python3 callers.py WAY OPERATION URL VALUE...
"""

import sys

try:
    import bs4
    import requests
except ImportError:
    sys.exit("modules of Python are missing: apt-get install python3-bs4 python3-requests")

way, operation, url = sys.argv[1:4]
values = sys.argv[4:]

if operation == "Pair":
    names = ("AppName", "AppInfo", "SecretCode")
    reply = requests.get(f"{url}/pair.aspx", params=dict(zip(names, values)))
    soup = bs4.BeautifulSoup(reply.text, "html.parser")
    print(f"picture={soup.find('img')['src']}")
    print(f"setupCode={soup.find('a')['title'].replace('Manually pair with ', '')}")
else:
    pin, secret = values
    if way == "post":
        reply = requests.post(f"{url}/Validate.aspx?Pin={pin}&SecretCode={secret}")
        accepted = "true" in reply.text.lower()
    else:
        if way == "int":
            pin = int(pin)  # As from int(input()), which loses leading zeros.
        reply = requests.get(f"{url}/Validate.aspx", params={"Pin": pin, "SecretCode": secret})
        accepted = reply.text == "True"
    print(f"accepted={str(accepted).lower()}")
