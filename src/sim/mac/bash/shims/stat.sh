#!/host/usr/bin/bash
# stat as BSD has it: -f takes a format of its own letters.
format=''
follow=()
while getopts 'f:Lqx' option; do
  case $option in
    f) format=$OPTARG ;;
    L) follow=(-L) ;;
    q) ;;
    *) echo "usage: stat [-L] -f format file ..." >&2 && exit 1 ;;
  esac
done
shift $((OPTIND - 1))
if [[ -z $format ]]; then
  echo 'stat: the simulated stat knows -f format only' >&2
  exit 1
fi
declare -a pairs=('%OLp=%a' '%Mp%Lp=%a' '%Lp=%a' '%p=%f' '%Su=%U' '%Sg=%G' '%u=%u' '%g=%g' '%z=%s' '%m=%Y' '%i=%i' '%N=%n' '%HT=%F' '%l=%h' '%d=%d' '%Sp=%A')
for pair in "${pairs[@]}"; do
  format=${format//"${pair%%=*}"/$'\x01'"${pair#*=%}"}
done
format=${format//$'\x01'/%}
exec /host/usr/bin/stat "${follow[@]}" -c "$format" "$@"
