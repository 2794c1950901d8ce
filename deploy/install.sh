#!/bin/sh
#
# Installs a downloaded release as a service of systemd, or upgrades one. As root, in the folder of the
# download:
#
#   sh install.sh
#
# Options and keys in /etc/authenticator, which it makes, and drop-ins stay. Before anything is replaced, the
# checksums of all files are compared, and the new version checks the options of every unit that runs,
# failed or starts at boot: if one of them, or a drop-in, would not be in force, the previous version stays.
# A service that was disabled stays disabled. If the new version does not start, or a step fails, the
# previous version is put back whole. This script is installed, too. This goes back to the version before:
#
#   sh /usr/local/lib/authenticator/install.sh --roll-back
#
# This removes all that it installed; your options stay:
#
#   sh /usr/local/lib/authenticator/install.sh --remove

set -eu
umask 022
say() { printf '%s\n' "install.sh: $1" >&2; }
fail() { say "error: $1" && exit 1; }

bin=/usr/local/bin units=/etc/systemd/system share=/usr/local/share options=/etc/authenticator
# Holds this script and the previous version (old/); while this runs, the one that it installs (new/) and
# the one that it replaces (now/).
keep=/usr/local/lib/authenticator
program=$bin/authenticator
helper=$bin/authenticator-as-service
unit=$units/authenticator.service
# The same for several instances: authenticator@1.
template=$units/authenticator@.service

[ "$(id -u)" = 0 ] || fail 'run it as root'
[ -d /run/systemd/system ] || fail 'systemd does not run here: run the executable itself, or a container'
version=$(systemctl --version | sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p')
[ "$version" -ge 249 ] || fail "this is systemd $version, and the unit needs 249 or newer"
[ ! -e /usr/lib/systemd/system/authenticator.service ] ||
  fail 'the package authenticator is installed: upgrade with that, or remove it first'
action=${1:-install}
case $action in
  install) ;;
  --roll-back | --remove) [ $# = 1 ] || fail "$action takes nothing behind it" ;;
  *) fail "there is no $action: give --roll-back, --remove or nothing" ;;
esac

# The service and its instances that are in one of some states of systemd.
states=$(systemctl list-units --all --plain --no-legend authenticator.service 'authenticator@*.service')
units_that() {
  echo "$states" | awk -v are=" $1 " '$2 == "loaded" && index(are, " " $3 " ") { print $1 }'
}
is_enabled() { systemctl is-enabled --quiet "$1" 2>/dev/null; }
is_among() { case " $(echo $2) " in *" $1 "*) ;; *) return 1 ;; esac }

put() { install -m "$3" "$1" "$2.new" && mv "$2.new" "$2"; }

# Puts the previous version back: program, helper, unit and template, or nothing where there was none.
back() {
  [ -d "$keep/old" ] || [ ! -d "$keep/gone" ] || mv "$keep/gone" "$keep/old"
  for file in "$program" "$helper" "$unit" "$template"; do
    saved=$keep/now/${file##*/}
    if [ -e "$saved" ]; then
      cp -p "$saved" "$file.new" && mv "$file.new" "$file" || return
    else
      rm -f "$file" || return
    fi
  done
  systemctl daemon-reload
  rm -rf "$keep/done"
  mv "$keep/now" "$keep/done" && rm -rf "$keep/done"
}

stage=$keep/new first='' running='' started='' made=''
finish() {
  status=$?
  trap - EXIT
  trap '' HUP INT TERM PIPE
  set +e
  rm -rf "$keep/now.new" "$keep/done" "$stage"
  rm -f "$program.new" "$helper.new" "$unit.new" "$template.new" "$keep/install.sh.new"
  if [ "$action" != --remove ] && [ -d "$keep/now" ]; then
    [ -z "$first" ] || systemctl disable --now authenticator.service 2>/dev/null
    if ! back; then
      say "the previous version could not be put back from $keep/now: run this again"
    elif [ -n "$first" ]; then
      say 'nothing is installed'
    else
      for one in $started; do
        if is_among "$one" "$running"; then systemctl restart "$one"; else systemctl stop "$one"; fi
      done
      say 'the previous version is back'
    fi
  fi
  [ "$status" = 0 ] || [ -z "$first" ] || [ -z "$made" ] || rm -f "$made"
  rmdir "$keep" "$options" 2>/dev/null
  exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# A run that was killed.
[ ! -d "$keep/now" ] || { say 'a run was cut before its end: going back first' && back; }

if [ "$action" = --remove ]; then
  [ -e "$unit" ] || [ -e "$program" ] || fail 'it is not installed'
  for one in authenticator.target $(units_that 'active reloading activating deactivating inactive failed') \
    $(cd "$units" && find . -path './*.wants/authenticator@*.service' | sed 's#.*/##'); do
    systemctl disable --now "$one" 2>/dev/null || systemctl stop "$one" 2>/dev/null || true
  done
  rm -f "$program" "$helper" "$unit" "$template" "$units/authenticator.target" "$share/man/man1/authenticator.1"
  rm -rf "$keep" "$share/doc/authenticator"
  systemctl daemon-reload
  systemctl reset-failed authenticator.service 'authenticator@*.service' 2>/dev/null || true
  echo "Removed. What is yours stays: $options and drop-ins in $units"
  exit
fi

rm -rf "$stage"
mkdir -p "$stage"
if [ "$action" = --roll-back ]; then
  [ -d "$keep/old" ] || fail 'there is no previous version'
  ! cmp -s "$keep/old/authenticator" "$program" || { echo 'The previous version is installed already.' && exit; }
  grep -q '^ExecStart=.*authenticator\.conf' "$keep/old/authenticator.service" ||
    fail "the previous version does not read $options/authenticator.conf, and would start without its options"
  cp -p "$keep/old/"* "$stage"
  # The newer script asks the questions: an older one may not know them.
  asks=$stage/asks
  cp "$helper" "$asks"
else
  case $(uname -m) in
    x86_64) name=authenticator-linux-x64-bun ;;
    aarch64) name=authenticator-linux-arm64-bun ;;
    *) fail "there is no executable for $(uname -m)" ;;
  esac
  for file in SHA256SUMS "$name" authenticator.service authenticator-as-service install.sh; do
    [ -f "$file" ] || fail "$file is missing in this folder"
  done
  for file in "$name" authenticator.service authenticator-as-service install.sh authenticator.1 \
    authenticator-deploy.tar.gz; do
    # The manual and the pages are optional.
    [ -e "$file" ] || continue
    line=$(grep "^[0-9a-f]*  $file\$" SHA256SUMS) || fail "SHA256SUMS in this folder does not name $file"
    # The copy is compared, and installed.
    cp "$file" "$stage/$file"
    (cd "$stage" && echo "$line" | sha256sum --check --status) || fail "$file is not what SHA256SUMS says"
  done
  mv "$stage/$name" "$stage/authenticator"
  asks=$stage/authenticator-as-service
fi

[ -e "$stage/authenticator@.service" ] || cp "$stage/authenticator.service" "$stage/authenticator@.service"

[ -e "$unit" ] || [ -e "$template" ] || first=yes
[ "$(systemctl is-enabled authenticator.service 2>/dev/null)" != masked ] ||
  fail 'authenticator.service is masked: systemctl unmask authenticator'
running=$(units_that 'active reloading activating')
checked=$running
for one in $(units_that failed) $(for one in $(units_that inactive); do ! is_enabled "$one" || echo "$one"; done); do
  checked="$checked $one"
done
[ -n "$checked" ] || [ ! -e "$unit" ] || checked=authenticator.service
# The operator port: health, metrics, status and the guard commands.
[ -e "$options/authenticator.conf" ] || [ "$action" != install ] || {
  [ -d "$options" ] || install -d -m 700 "$options"
  made=$options/authenticator.conf
  printf '%s\n' '# Options, one AUTHENTICATOR_NAME=value a line. After a change: authenticator-as-service restart' \
    AUTHENTICATOR_METRICS_PORT=9101 | install -m 600 /dev/stdin "$made"
}
install -m 755 "$stage/authenticator" "$program.new"
for one in $checked; do
  sh "$asks" --unit "$one" --program "$program.new" --unit-file "$stage/authenticator.service" check >/dev/null ||
    [ $? = 1 ] || fail "this version cannot start as $one, and the previous one stays"
done

# The previous version is saved whole, or not at all.
rm -rf "$keep/now.new" "$keep/done"
mkdir "$keep/now.new"
for file in "$program" "$helper" "$unit" "$template"; do
  [ ! -e "$file" ] || cp -p "$file" "$keep/now.new"
done
mv "$keep/now.new" "$keep/now"
mv "$program.new" "$program"
put "$stage/authenticator-as-service" "$helper" 755
put "$stage/authenticator.service" "$unit" 644
put "$stage/authenticator@.service" "$template" 644
systemctl daemon-reload
[ -z "$first" ] || systemctl enable authenticator.service
starts=$running
is_among authenticator.service "$running" || ! is_enabled authenticator.service ||
  starts="authenticator.service $running"
# One after the other, so that a proxy always finds one.
for one in $starts; do
  started="$started $one"
  sh "$asks" --unit "$one" restart
done
# From here on, this version stays. A second run keeps the version before it.
if [ "$action" = --roll-back ] || cmp -s "$keep/now/authenticator" "$program" || [ -n "$first" ]; then
  mv "$keep/now" "$keep/done"
else
  rm -rf "$keep/gone"
  [ ! -d "$keep/old" ] || mv "$keep/old" "$keep/gone"
  mv "$keep/now" "$keep/old"
fi
rm -rf "$keep/gone" "$keep/done"
if [ "$action" = install ]; then
  put "$stage/install.sh" "$keep/install.sh" 755
  # What systemctl status names as documentation, where it was downloaded too.
  [ ! -e "$stage/authenticator.1" ] ||
    install -D -m 644 "$stage/authenticator.1" "$share/man/man1/authenticator.1"
  [ ! -e "$stage/authenticator-deploy.tar.gz" ] || {
    rm -rf "$share/doc/authenticator"
    mkdir -p "$share/doc/authenticator"
    tar xzf "$stage/authenticator-deploy.tar.gz" --no-same-owner --no-same-permissions \
      -C "$share/doc/authenticator"
  }
fi
if [ -z "$starts" ]; then
  echo "Installed: $("$program" version). authenticator.service is disabled, and was not started."
else
  echo "Installed: $("$program" version), which runs as" $starts
fi
