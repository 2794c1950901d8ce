#!/usr/bin/env bash
#
# Makes a certificate for names that callers have built in, and your own CA that signs it, in the folder
# that you are in:
#
#   mkdir -p ca && (cd ca && ../deploy/internal-ca.sh authenticatorapi.com www.authenticatorapi.com)
#
# ca.pem goes into the trust store of each calling machine, cert.pem and key.pem to the server. ca.pem
# is a root whose key is never written down. It certified ca.key, which can sign only the given names and
# names below them, for servers: a thief of it cannot pose as a bank or an address. Run it again in the
# same folder before cert.pem expires: the CA stays the same. Where anything fails, all stays as it was.

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
readonly EXCLUDED='excluded;IP:0.0.0.0/0.0.0.0, excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0'
# A common name has 64 characters at most (RFC 5280, ub-common-name); clients read the whole name elsewhere.
readonly SHORT=${1:0:40}
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

# The parts of a PEM file that are certificates.
certificates() {
  sed -n '/^-----BEGIN CERTIFICATE-----$/,/^-----END CERTIFICATE-----$/p' "$1"
}

new=$(mktemp -d new.XXXXXX)
trap 'rm -rf "$new"' EXIT
ca=. made='cert.pem and key.pem; the CA is the same'
if [[ ! -e ca.pem ]]; then
  for file in ca.key cert.pem key.pem; do
    [[ ! -e $file ]] || { echo "$file is here without ca.pem: put that back, or use an empty folder" >&2 && exit 1; }
  done
  ca=$new made='ca.pem, ca.key, cert.pem and key.pem'
  # Java reads no constraints of a root, so they are of the CA below it.
  root=$(command openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256)
  openssl req -x509 -key <(echo "$root") -days "$CA_DAYS" -subj "/CN=Internal root for $SHORT" \
    -out "$ca/ca.pem" -config /dev/stdin <<EOF
[req]
distinguished_name = name
x509_extensions = root
[name]
[root]
basicConstraints = critical, CA:TRUE, pathlen:1
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
EOF
  key "$ca/ca.key"
  openssl req -new -key "$ca/ca.key" -subj "/CN=Internal authority for $SHORT" -out "$ca/request"
  openssl x509 -req -in "$ca/request" -CA "$ca/ca.pem" -CAkey <(echo "$root") -days "$CA_DAYS" \
    -out "$ca/signer" -extfile <(cat <<EOF
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
nameConstraints = critical, ${permitted#,}, $EXCLUDED
EOF
)
  unset root
  # With its certificate in one file, neither can be lost without the other.
  certificates "$ca/signer" >>"$ca/ca.key"
  rm "$ca/request" "$ca/signer"
elif [[ ! -e ca.key ]]; then
  echo 'ca.key is missing, and ca.pem is here: put it back, or use an empty folder' >&2
  exit 1
fi
certificates "$ca/ca.key" >"$new/signer"
signer=$new/signer
if [[ ! -s $signer ]]; then
  signer=$ca/ca.pem
  echo 'This CA was made by an earlier version: a thief of ca.key can also sign addresses, mail and,' \
    'for Java, every name. One made in an empty folder has no such hole.' >&2
fi

key "$new/key.pem"
openssl req -new -key "$new/key.pem" -subj "/CN=${1:0:64}" |
  openssl x509 -req -CA "$signer" -CAkey "$ca/ca.key" -days "$CERT_DAYS" \
    -out "$new/cert.pem" -extfile <(cat <<EOF
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = ${names#,}
EOF
)
cat "$new/signer" >>"$new/cert.pem"
# openssl signs every name, also one that callers then do not accept from this CA.
if ! verified=$(openssl verify -CAfile "$ca/ca.pem" -untrusted "$new/cert.pem" "$new/cert.pem" 2>&1); then
  case $verified in
    *'permitted subtree'*)
      verified="the CA here may not sign $*: it was made for other names. Use an empty folder."
      ;;
  esac
  echo "$verified" >&2
  exit 1
fi
rm "$new/signer"
chmod 644 "$ca/ca.pem" "$new/cert.pem"
# The new key has the owner and permissions of the one in use, also where that is read-only.
if [[ -e key.pem ]]; then
  cp -p key.pem "$new/in-use"
  closed=
  [[ -w $new/in-use ]] || { closed=yes && chmod u+w "$new/in-use"; }
  cat "$new/key.pem" >"$new/in-use"
  [[ ! $closed ]] || chmod u-w "$new/in-use"
  mv -f "$new/in-use" "$new/key.pem"
fi
mv -f "$new"/* .
echo "Made $made."
