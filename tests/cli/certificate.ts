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
