#!/bin/sh
url='{{url}}'
api_key='{{apiKey}}' # Empty where the server asks for none.
app_name='Example Corp'
account='jane@example.com'
user_address='203.0.113.7' # IP address of the user who types the pin.

# Keep the secret encrypted or sealed beside the account: each login needs it.
secret={{secretStart}}$(LC_ALL=C tr -dc A-Z2-7 </dev/urandom | head -c 32)

# The secret comes by a pipe, since other users of the machine can see the words of a command. Beside
# other users, put the API key into a file too: --header @FILE.
call() {
  printf '%s' "$secret" | curl --silent --show-error --fail-with-body --max-time 10 \
    --header "X-Api-Key: $api_key" --header "X-Authenticator-Source: $user_address" \
    --data-urlencode secretCode@- "$@"
}

fail() {
  printf '%s\n' "$reply" >&2
  exit 1
}

reply=$(call "$url/Pair" --data-urlencode "appName=$app_name" \
  --data-urlencode "appInfo=$account") || fail
printf '%s\n' "$reply"

printf 'Pin: '
read -r pin
reply=$(call "$url/ValidatePin" --data-urlencode "pin=$pin") || fail
case $reply in
  *'>true</boolean>') echo 'The pin is right.' ;;
  *) echo 'The pin is not right.' ;;
esac
