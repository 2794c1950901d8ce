#!/bin/sh
#
# Installs a downloaded release as a service of systemd, or upgrades one. As root, in the folder of the
# download: sh install.sh
#
# Options in /etc/authenticator.env and drop-ins stay. Of another version that was there, the
# executable and the unit stay beside the new ones, with .old behind their names.

set -eu
fail() { echo "install.sh: error: $1" >&2 && exit 1; }

case $(uname -m) in
  x86_64) name=authenticator-linux-x64-bun ;;
  aarch64) name=authenticator-linux-arm64-bun ;;
  *) fail "there is no executable for $(uname -m)" ;;
esac
for file in "$name" authenticator.service; do
  line=$(grep "  $file\$" SHA256SUMS) || fail "SHA256SUMS in this folder does not name $file"
  echo "$line" | sha256sum --check --status || fail "$file is missing, or is not what SHA256SUMS says"
done

program=/usr/local/bin/authenticator unit=/etc/systemd/system/authenticator.service
cmp -s "$name" "$program" || for file in "$program" "$unit"; do
  [ ! -e "$file" ] || cp -p "$file" "$file.old"
done
install -m 755 "$name" "$program.new" && mv "$program.new" "$program"
install -m 644 authenticator.service "$unit"
systemctl daemon-reload
systemctl enable authenticator && systemctl restart authenticator
