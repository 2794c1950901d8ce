/**
 * A certificate for tests, made out for another name than the address that a test connects to, and
 * valid for a hundred years: `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1
 * -nodes -days 36500 -subj /CN=pin.example.com -addext subjectAltName=DNS:pin.example.com`.
 *
 * @module
 */

/** The certificate. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBpzCCAU2gAwIBAgIUFgt2pcISDqJAp5iGuwmEK8HEmPwwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPcGluLmV4YW1wbGUuY29tMCAXDTI2MTEyMDEwMjMyOFoYDzIx
MjYxMDI3MTAyMzI4WjAaMRgwFgYDVQQDDA9waW4uZXhhbXBsZS5jb20wWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAT/OuKoeaaYVHFhhF9abWR9u4cerSSp8gyTjXnu
edUk1f7UXH9JnqhqUFt1bxo1VLr5WHupaWpfNNOJHXlz19GNo28wbTAdBgNVHQ4E
FgQUPR4AWUNUoB0/xJ1MOHYLe3+BI68wHwYDVR0jBBgwFoAUPR4AWUNUoB0/xJ1M
OHYLe3+BI68wDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg9waW4uZXhhbXBs
ZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgDA16sN8pu5/t/OFcc4ePeNQiSutKoJlc
1EhxOH96k78CIQC19jiLPlMDL75QPeWsPBuhThttflG6ajAeaAk9rJIoDg==
-----END CERTIFICATE-----
`;

/** Its private key. */
export const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJw1nhrzOt+WSIVb4
tKamAj0oKl3LW3d33kc+jWcUGE2hRANCAAT/OuKoeaaYVHFhhF9abWR9u4cerSSp
8gyTjXnuedUk1f7UXH9JnqhqUFt1bxo1VLr5WHupaWpfNNOJHXlz19GN
-----END PRIVATE KEY-----
`;

/** An authority that ended on 23 November 2026, a hundred years before `CERTIFICATE`. */
export const ENDED = `-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIUC+g4v2JNh1pzHv2+yExFkdzefFYwCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDb2xkMB4XDTI2MTEyMjE4MzI0N1oXDTI2MTEyMzE4MzI0N1ow
DjEMMAoGA1UEAwwDb2xkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEE011cHRd
zhirXn7glCBGw+calScwqj9QLx+20YrkYRMM2GgQzVbM5w4N8ueTklexaSqrvWAx
aN2RvN+JfacV9qNTMFEwHQYDVR0OBBYEFJX4qSfit4kEpoJcRPPDm1HqVT34MB8G
A1UdIwQYMBaAFJX4qSfit4kEpoJcRPPDm1HqVT34MA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIgCGvKYq8udWkNvCtsrFRDd6D7aWLaiQsobR5uL375
8KoCIQCkcTRghF05eA9NLO4mFFXsQSjnXsoL7URdwUvlXoPTuQ==
-----END CERTIFICATE-----
`;
