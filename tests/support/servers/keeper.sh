#!/usr/bin/env bash
# keeper.sh DIRECTORY SIGNAL COMMAND…: keeps a server until standard input ends, then ends it with SIGNAL and removes
# DIRECTORY and DIRECTORY.json. A line "start" starts the server, "kill" kills it and everything that it started; each is
# answered by its own line. The server also ends when the process at the other end of standard input is killed.
set -um # a group of its own for the server
directory=$1 signal=$2
shift 2
server=

start() {
  "$@" >>"$directory/log" 2>&1 </dev/null &
  server=$!
}

# end SIGNAL. KILL also ends the processes of the server, as a failing machine would. Those of PostgreSQL have groups of
# their own and may go on with a statement for hours; until they end, no new server starts with the same data.
end() {
  [ -n "$server" ] || return
  local children=() child
  if [ "$1" = KILL ]; then
    kill -STOP "$server" 2>/dev/null # starts no more processes
    read -ra children 2>/dev/null <"/proc/$server/task/$server/children"
  fi
  kill -"$1" "$server" "${children[@]}" 2>/dev/null
  wait "$server" 2>/dev/null
  for child in "${children[@]}"; do
    while grep -qs '^State:.[^ZX]' "/proc/$child/status"; do sleep 0.01; done
  done
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
