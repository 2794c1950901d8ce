#!/usr/bin/env bash
#
# Makes a certificate for names that callers have built in, and your own CA that signs it:
#
#   ./internal-ca.sh authenticatorapi.com
#
# ca.pem goes into the trust store of each calling machine, cert.pem and key.pem to the server. The
# CA can sign only the given names, so a thief of ca.key cannot pose as a bank. Run it again in the same
# folder before cert.pem expires: the CA stays the same.

set -euo pipefail
(($#)) || { echo 'usage: internal-ca.sh NAME...' >&2 && exit 2; }
umask 077

readonly CA_DAYS=3650 CERT_DAYS=397
names=$(printf ',DNS:%s' "$@")
permitted=$(printf ',permitted;DNS:%s' "$@")
key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

if [[ ! -e ca.pem ]]; then
  key ca.key
  openssl req -x509 -key ca.key -days "$CA_DAYS" -subj "/CN=Internal authority for $1" -out ca.pem \
    -config /dev/stdin <<EOF
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

key key.pem
openssl req -new -key key.pem -subj "/CN=$1" |
  openssl x509 -req -CA ca.pem -CAkey ca.key -days "$CERT_DAYS" -out cert.pem -extfile <(cat <<EOF
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = ${names#,}
EOF
)
chmod 644 ca.pem cert.pem
