/**
 * A step on the wire: a bash script with its call as arguments and its secrets on standard input, and the way in which a
 * Mac refuses one. Both ends are here, so that they cannot differ: the SSH adapter renders, a simulated Mac parses.
 *
 * `/bin/bash --norc -c <script> <step> <phase> <epoch> <name>=<value>…`, and a line `<name> <base64>` for each secret.
 */
import type { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { StepAnswer, StepCall, StepPhase } from '../port.ts';
import { bashArgv, parseBashArgv } from './remote-command.ts';
import { notFenced, notWiped, staleEpoch } from './session-errors.ts';

export const renderStepArgv = (script: string, { step, phase, epoch, inputs }: StepCall): readonly string[] =>
  bashArgv(script, [step, phase, String(epoch), ...Object.entries(inputs).map(([name, value]) => `${name}=${value}`)]);

export const renderSecrets = (secrets: StepCall['secrets']): Buffer =>
  Buffer.from(
    Object.entries(secrets)
      .map(([name, secret]) => `${name} ${Buffer.from(secret.reveal()).toString('base64')}\n`)
      .join(''),
  );

const PHASES: readonly StepPhase[] = ['check', 'apply', 'verify'];

/** Undefined when the words are no step. */
export const parseStepCall = (argv: readonly string[], stdin: Uint8Array): StepCall | undefined => {
  const [step, given, epoch, ...inputs] = parseBashArgv(argv)?.words ?? [];
  const phase = PHASES.find((known) => known === given);
  if (step === undefined || phase === undefined || epoch === undefined) return undefined;
  return {
    ...{ step, phase, epoch: Number(epoch) },
    inputs: Object.fromEntries(inputs.map((input) => splitOnce(input, '='))),
    secrets: parseSecrets(Buffer.from(stdin).toString()),
  };
};

const parseSecrets = (text: string): StepCall['secrets'] =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => splitOnce(line, ' '))
      .map(([name, value]) => [name, new Secret(Buffer.from(value, 'base64').toString())]),
  );

const splitOnce = (text: string, separator: string): readonly [string, string] => {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
};

/** A script that finds the fence closed exits with this, and its last line on standard output says why. */
const REFUSED_EXIT = 97;
const REFUSAL = /^macfleet-refused (StaleEpoch (\d+)|NotWiped (.+)|NotFenced)$/;

/** The refusal as a script prints it; undefined for any other error. */
export const renderRefusal = ({ code, details }: FleetError): StepAnswer | undefined => {
  const more = code === 'StaleEpoch' ? ` ${details['seen']}` : code === 'NotWiped' ? ` ${details['why']}` : '';
  const line = `macfleet-refused ${code}${more}`;
  return REFUSAL.test(line) ? { exitCode: REFUSED_EXIT, output: `${line}\n` } : undefined;
};

/** Undefined when the answer is no refusal. */
export const parseRefusal = ({ step, epoch }: StepCall, { exitCode, output }: StepAnswer): FleetError | undefined => {
  if (exitCode !== REFUSED_EXIT) return undefined;
  const found = REFUSAL.exec(output.trimEnd().split('\n').at(-1) ?? '');
  if (found === null) return undefined;
  if (found[2] !== undefined) return staleEpoch(epoch, Number(found[2]));
  return found[3] === undefined ? notFenced(step) : notWiped(found[3]);
};
