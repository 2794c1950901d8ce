#!/usr/bin/env bash
#
# Makes a certificate for names that callers have built in, and your own CA that signs it, in the folder
# that you are in:
#
#   mkdir ca
#   (cd ca && ../deploy/internal-ca.sh authenticatorapi.com www.authenticatorapi.com)
#
# ca.pem goes into the trust store of each calling machine, cert.pem and key.pem to the server. The
# CA can sign only the given names, so a thief of ca.key cannot pose as a bank. Run it again in the same
# folder before cert.pem expires: the CA stays the same. Where anything fails, all stays as it was.

set -euo pipefail
readonly USAGE='usage: internal-ca.sh NAME...'
(($#)) || { echo "$USAGE" >&2 && exit 2; }
for name in "$@"; do
  case $name in
    -h | --help) echo "$USAGE" && exit ;;
    -* | '') echo "$USAGE" >&2 && exit 2 ;;
    *[!a-zA-Z0-9.*-]* | *.[0-9] | *.[0-9][0-9] | *.[0-9][0-9][0-9])
      echo "$name is no DNS name: give a name, not an address or a URL" >&2
      exit 2
      ;;
  esac
done
umask 077

readonly CA_DAYS=3650 CERT_DAYS=397
names=$(printf ',DNS:%s' "$@")
permitted=$(printf ',permitted;DNS:%s' "$@")
# OpenSSL tells of success too: what it says is shown only if it fails.
openssl() {
  local said
  { said=$(command openssl "$@" 2>&1 >&3); } 3>&1 || {
    echo "$said" >&2
    return 1
  }
}
key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

new=$(mktemp -d new.XXXXXX)
trap 'rm -r "$new"' EXIT
ca=. made='cert.pem and key.pem; the CA is the same'
if [[ ! -e ca.pem ]]; then
  ca=$new made='ca.pem, ca.key, cert.pem and key.pem'
  key "$ca/ca.key"
  openssl req -x509 -key "$ca/ca.key" -days "$CA_DAYS" -subj "/CN=Internal authority for $1" \
    -out "$ca/ca.pem" -config /dev/stdin <<EOF
[req]
distinguished_name = name
x509_extensions = authority
[name]
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
nameConstraints = critical, ${permitted#,}
EOF
fi

key "$new/key.pem"
openssl req -new -key "$new/key.pem" -subj "/CN=$1" |
  openssl x509 -req -CA "$ca/ca.pem" -CAkey "$ca/ca.key" -days "$CERT_DAYS" -out "$new/cert.pem" -extfile <(cat <<EOF
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = ${names#,}
EOF
)
# openssl signs every name, also one that callers then do not accept from this CA.
if ! verified=$(openssl verify -CAfile "$ca/ca.pem" "$new/cert.pem" 2>&1); then
  case $verified in
    *'permitted subtree'*)
      verified="the CA here may not sign $*: it was made for other names. Use an empty folder."
      ;;
  esac
  echo "$verified" >&2
  exit 1
fi
chmod 644 "$ca/ca.pem" "$new/cert.pem"
# Whoever may read the key in use may read the new one.
if [[ -e key.pem ]]; then
  cp -p key.pem "$new/in-use"
  cat "$new/key.pem" >"$new/in-use"
  mv "$new/in-use" "$new/key.pem"
fi
mv "$new"/* .
echo "Made $made."
