/**
 * A batch on the wire: a bash program with its calls as words and its secrets on standard input. Both ends are here, so that
 * they cannot differ: the SSH adapter renders, a simulated Mac parses; on a real Mac steps/driver.sh reads it.
 *
 * `/bin/bash --norc -c <program> macfleet-steps <epoch> <word>…`, where a word is `<step>/<do>`, `<step>.<input>=<value>`,
 * `<step>@<digest>`, `next` before each further stage, `lock=<owner>` or `unlock=<owner>`. On standard input a line `<step>.<name> <base64>` for each secret,
 * and then `end`, by which the Mac knows that none is missing.
 */
import { Secret } from '../../base/secret.ts';
import type { Batch, StepCall } from '../port.ts';
import { bashArgv, parseBashArgv } from './remote-command.ts';

const NAME = 'macfleet-steps';
const END = 'end';
const NEXT = 'next';

/** A batch without the limits and listeners of the side that sends it. */
export type BatchOnWire = Pick<Batch, 'epoch' | 'calls' | 'lock'>;

export const renderBatchArgv = (program: string, { epoch, calls, lock }: BatchOnWire): readonly string[] => {
  const locking = lock === undefined ? [] : [`${lock.afterwards === 'keep' ? 'lock' : 'unlock'}=${lock.owner}`];
  const words = calls.flatMap((call, at) => {
    const stages = (call.stage ?? 0) - (calls[at - 1]?.stage ?? 0);
    return [...Array.from({ length: stages }, () => NEXT), ...renderCall(call)];
  });
  return bashArgv(program, [NAME, String(epoch), ...locking, ...words]);
};

const renderCall = ({ step, do: what, inputs, digest }: StepCall): readonly string[] => [
  `${step}/${what}`,
  ...Object.entries(inputs).map(([name, value]) => `${step}.${name}=${value}`),
  ...(digest === '' ? [] : [`${step}@${digest}`]),
];

export const renderSecrets = (calls: readonly StepCall[]): Buffer => {
  const lines = calls.flatMap(({ step, secrets }) =>
    Object.entries(secrets).map(
      ([name, secret]) => `${step}.${name} ${Buffer.from(secret.reveal()).toString('base64')}\n`,
    ),
  );
  return Buffer.from([...lines, `${END}\n`].join(''));
};

/** Undefined when the words are no batch, or its secrets were cut short. */
export const parseBatch = (argv: readonly string[], stdin: Uint8Array): BatchOnWire | undefined => {
  const [name, epoch, ...words] = parseBashArgv(argv)?.words ?? [];
  const lines = Buffer.from(stdin).toString().trimEnd().split('\n');
  if (name !== NAME || epoch === undefined || !EPOCH.test(epoch) || lines.pop() !== END) return undefined;
  const draft: Draft = { calls: new Map(), stage: 0 };
  const isUnderstood = words.every((word) => takeWord(draft, word)) && lines.every((line) => takeSecret(draft, line));
  if (!isUnderstood) return undefined;
  const { lock, calls } = draft;
  return {
    epoch: epoch === 'by-hand' || epoch === 'forced' ? epoch : Number(epoch),
    calls: [...calls.values()],
    ...(lock !== undefined && { lock }),
  };
};

interface Draft {
  lock?: NonNullable<Batch['lock']>;
  readonly calls: Map<string, DraftCall>;
  stage: number;
}

interface DraftCall extends StepCall {
  readonly inputs: Record<string, string>;
  readonly secrets: Record<string, Secret<string>>;
  digest: string;
}

const EPOCH = /^(?:\d+|by-hand|forced)$/;
const KINDS: readonly StepCall['do'][] = ['check', 'converge', 'verify'];
const LOCK = /^(un)?lock=(.*)$/s;
const WORD = /^([a-z0-9-]+)([/.@])(.*)$/s;

/** Whether it is a word of a batch. A call comes before its values. */
const takeWord = (draft: Draft, word: string): boolean => {
  if (word === NEXT) {
    draft.stage += 1;
    return true;
  }
  const lock = LOCK.exec(word);
  if (lock !== null) {
    draft.lock = { owner: lock[2] ?? '', afterwards: lock[1] === undefined ? 'keep' : 'release' };
    return true;
  }
  const [, step = '', mark, rest = ''] = WORD.exec(word) ?? [];
  const what = KINDS.find((known) => known === rest);
  if (mark === '/' && what !== undefined) {
    const stage = draft.stage === 0 ? {} : { stage: draft.stage };
    draft.calls.set(step, { step, do: what, inputs: {}, secrets: {}, digest: '', ...stage });
    return true;
  }
  const call = draft.calls.get(step);
  if (call === undefined || mark === '/') return false;
  const [name, value] = splitOnce(rest, '=');
  if (mark === '@') call.digest = rest;
  else call.inputs[name] = value;
  return true;
};

/** Whether it belongs to a call. */
const takeSecret = (draft: Draft, line: string): boolean => {
  const [place, encoded] = splitOnce(line, ' ');
  const [step, name] = splitOnce(place, '.');
  const call = draft.calls.get(step);
  if (call === undefined) return false;
  call.secrets[name] = new Secret(Buffer.from(encoded, 'base64').toString());
  return true;
};

const splitOnce = (text: string, separator: string): readonly [string, string] => {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
};
