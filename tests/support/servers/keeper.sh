#!/usr/bin/env bash
# keeper.sh DIRECTORY SIGNAL COMMAND…: keeps a server until standard input ends, then ends it with SIGNAL and removes
# DIRECTORY and DIRECTORY.json. A line "start" starts the server, "kill" kills it and everything that it started; each is answered by its own
# line. Whoever holds the other end of standard input may be killed itself: the server ends all the same.
set -um # a group of its own for the server
directory=$1 signal=$2
shift 2
server=

start() {
  "$@" >>"$directory/log" 2>&1 </dev/null &
  server=$!
}

end() {
  [ -n "$server" ] || return
  kill -"$1" "$server" 2>/dev/null
  wait "$server" 2>/dev/null
  # What it started itself goes with it.
  kill -KILL -- "-$server" 2>/dev/null
  server=
}

trap '' INT TERM HUP
while read -r command; do
  case $command in
    start) start "$@" ;;
    kill) end KILL ;;
  esac
  echo "$command"
done
end "$signal"
rm -rf "$directory" "$directory.json"
