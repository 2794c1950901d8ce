#!/bin/sh
# A stand-in for the program of its name, in a block of commands: it notes its call in $CALLS, and fails as
# call number $FAIL_AT. A member of a pipeline before the last is no call of its own; where $FAIL is piped,
# it fails. Programs for files do what they do; the others do nothing.
name=${0##*/}
if [ -n "${PIPED-}" ]; then
  unset PIPED
  [ "$FAIL" != piped ] || exit 1
else
  line=$name
  for word in "$@"; do line="$line $word"; done
  PATH=$REAL_PATH
  printf %s "$line" | tr '\n' ' ' >>"$CALLS"
  echo >>"$CALLS"
  [ "$(wc -l <"$CALLS")" -ne "${FAIL_AT:-0}" ] || exit 1
fi
PATH=$REAL_PATH
case $name in
  chmod | cp | ln | mkdir | mv | rm) exec "$name" "$@" ;;
  # A test has none of the owners.
  install) case " $* " in *' -o '*) ;; *) exec "$name" "$@" ;; esac ;;
  authenticator | authenticator-linux-*)
    # As the program: what is in the file stays, and a key of the guard is alone in it.
    [ "${1-}" = keygen ] || exit 0
    [ "$2" != guard ] || [ ! -e "$3" ] || exit 1
    : >>"$3"
    ;;
esac
