/** Samples of what bash 3.2 does not know, and of what it does. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
import { testRule } from '../testing/test-rule.ts';
import { oldBash } from './old-bash.ts';

const PATH = 'src/hosts/steps/a.sh';
const inScript = (code: string): Readonly<Record<string, string>> => ({ [PATH]: `${code}\n` });

const REFUSED: Readonly<Record<string, string>> = {
  mapfile: 'mapfile -t lines < <(ls)',
  readarray: 'readarray -t lines',
  'an associative array': 'declare -A seen',
  'a local associative array': '  local -rA seen',
  'a reference': 'local -n other=$1',
  'upper case': 'say "${x^^}"',
  'a first letter in lower case': 'say "${x,}"',
  'an operator': 'say "${x@Q}"',
  'a negative length': 'say "${x:0:-1}"',
  'a negative index': 'say "${list[-1]}"',
  'an appended pair': 'make &>>log',
  'a piped pair': 'make |& tee log',
  'a case that falls through': '  a) one ;&',
  'a coprocess': 'coproc cat',
  'the time in a variable': 'start=$EPOCHSECONDS',
  'the own process': 'echo "${BASHPID}"',
  'waiting for any': 'wait -n',
  'the time in printf': "printf '%(%s)T' -1",
  'a test for a variable': 'if [[ -v x ]]; then say; fi',
  'another test for a variable': 'test ! -v x',
  'reading an exact number': 'IFS= read -r -N 3 x',
  'a short wait': 'read -t 0.5 x',
  'a named descriptor': 'exec {fd}<file',
  'a range with a step': 'for i in {1..9..2}; do say; done',
  'a pipe whose end is here': 'shopt -s lastpipe',
  'a list that may be empty': 'run "${words[@]}"',
  'a secret in a here-string': 'cat <<<"$secret_password"',
  'a secret in the environment': 'export secret_password',
  'a secret as an argument of root': 'root dscl . -authonly m1 "$secret_password"',
  'a secret for echo, which is no builtin elsewhere': 'echo "$secret_password" | sudo -S true',
};

const ACCEPTED: Readonly<Record<string, string>> = {
  'a guarded list': 'run ${words[@]+"${words[@]}"}',
  'a guarded list of arguments': 'run "$@" "$*"',
  'the length of a list': 'say "${#words[@]}"',
  'a range': 'for i in {1..9}; do say; done',
  'an end of a case': '  a) one ;;',
  'both outputs in one file': 'make >log 2>&1 && say "${x:-1}" "${x: -1}"',
  'a remark about mapfile': '# no mapfile here',
  'a here-document without a secret': 'cat <<END\n$name uses mapfile\nEND',
  'a secret from printf': 'printf \'%s\\n\' "$secret_password" | sudo -S true',
  'a secret in a test': '[ -n "$secret_password" ] || exit 1',
  'replacing, with a comma': 'say "${x//,/ }" "${x%,}"',
};

testRule(oldBash, [
  ...Object.entries(REFUSED).map(([story, code]) => ({ story, files: inScript(code), finds: [`${PATH}:1`] })),
  ...Object.entries(ACCEPTED).map(([story, code]) => ({ story, files: inScript(code), finds: [] })),
  {
    story: 'a secret in a here-document',
    files: inScript('cat <<END\n${secret_password}\nEND\nmapfile x'),
    finds: [`${PATH}:2`, `${PATH}:4`],
  },
  { story: 'scripts that run on our own machines', files: { '.ci/run.sh': 'mapfile -t x\n' }, finds: [] },
]);
