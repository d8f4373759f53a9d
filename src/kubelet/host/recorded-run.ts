/**
 * The shell program that stands between us and a run that must outlive us. It belongs to no life of the agent: the pid, the
 * end and the VNC address of the run are files, written by it (and read by run-record.ts). It must work in bash 3.2 and dash.
 */

/** Words: the record's folder, the log, the program and its words. */
export const RECORDED_RUN = `
record=$1 log=$2
shift 2
umask 022
: >>"$log" || log=/dev/null
keep() { (umask 077 && printf '%s\\n' "$2" >"$record/$1.new") && mv -f "$record/$1.new" "$record/$1"; }
{
  /bin/sh -c 'printf "%s\\n" $$ >"$0/pid" && exec "$@"' "$record" "$@" </dev/null
  keep exit $?
} 2>&1 | while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    *vnc://*@*)
      address=\${line#*vnc://}
      keep vnc "$address"
      line="\${line%%vnc://*}vnc://:REDACTED@\${address##*@}"
      ;;
  esac
  printf '%s\\n' "$line"
done >>"$log"
`;
