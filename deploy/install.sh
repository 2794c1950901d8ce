#!/bin/sh
#
# Installs a downloaded release as a service of systemd, or upgrades one. As root, in the folder of the
# download: sh install.sh
#
# Options in /etc/authenticator.env and drop-ins stay. Of another version that was there, the
# executable and the unit stay beside the new ones, with .old behind their names. A version that cannot
# start with these options is not installed: the one that runs goes on.

set -eu
fail() { echo "install.sh: error: $1" >&2 && exit 1; }

case $(uname -m) in
  x86_64) name=authenticator-linux-x64-bun ;;
  aarch64) name=authenticator-linux-arm64-bun ;;
  *) fail "there is no executable for $(uname -m)" ;;
esac
for file in "$name" authenticator.service authenticator-as-service; do
  line=$(grep "  $file\$" SHA256SUMS) || fail "SHA256SUMS in this folder does not name $file"
  echo "$line" | sha256sum --check --status || fail "$file is missing, or is not what SHA256SUMS says"
done

program=/usr/local/bin/authenticator unit=/etc/systemd/system/authenticator.service
running=$(systemctl list-units --plain --no-legend --state=active authenticator.service \
  'authenticator@*.service' | cut -d ' ' -f 1)
install -m 755 "$name" "$program.new"
for one in $running; do
  sh ./authenticator-as-service --unit "$one" --program "$program.new" check >/dev/null || [ $? = 1 ] || {
    rm "$program.new"
    fail "the new version cannot start as $one, and the old one runs on"
  }
done
cmp -s "$name" "$program" || for file in "$program" "$unit"; do
  [ ! -e "$file" ] || cp -p "$file" "$file.old"
done
mv "$program.new" "$program"
install -m 755 authenticator-as-service "$program-as-service"
# What systemctl status names as documentation, where it was downloaded too.
share=/usr/local/share
[ ! -e authenticator.1 ] || install -D -m 644 authenticator.1 "$share/man/man1/authenticator.1"
[ ! -e authenticator-deploy.tar.gz ] || {
  mkdir -p "$share/doc/authenticator"
  tar xzf authenticator-deploy.tar.gz --no-same-owner -C "$share/doc/authenticator"
}
install -m 644 authenticator.service "$unit"
# The template of several instances, where there is one.
[ ! -e "${unit%.service}@.service" ] || install -m 644 authenticator.service "${unit%.service}@.service"
systemctl daemon-reload
for one in $running; do [ "$one" = authenticator.service ] || systemctl restart "$one"; done
if [ -z "$running" ] || systemctl is-active --quiet authenticator; then
  # A unit that gave up would not be started again within the hour.
  systemctl reset-failed authenticator 2>/dev/null || true
  systemctl enable authenticator && systemctl restart authenticator
fi
