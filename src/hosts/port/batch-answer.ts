/**
 * The answer to a batch on the wire, line by line while it comes. Lines of a step begin with its id; no step can write any
 * other, so what stands without one comes from the driver.
 *
 *     macfleet-host epoch=<number> lock=<owner> artefacts=<sha256>,…      (`-` for none)
 *     <step>|<a line of its output, in pieces of at most 400 bytes>
 *     <step>=<phase> <exit code>
 *     <step>@<recorded digest>                                            its call has ended
 *     macfleet-refused <Code> <why>
 */
import type { FleetError } from '../../base/errors.ts';
import type { Batch, BatchAnswer, HostFacts, PhaseExit, StepAnswer, StepPhase } from '../port.ts';
import { redact } from '../redact.ts';
import { parseRefusal, REFUSED_EXIT } from './refusals.ts';

/** A longer line comes in pieces, all but the last of exactly this length. */
const PIECE_BYTES = 400;
/** Longer lines lose their end. */
const LINE_BYTES_MAX = 8_192;
/** Of a step, the last ones. */
const LINES_KEPT = 40;

export interface AnswerReader {
  push(chunk: Uint8Array): void;
  /** When the command has ended. */
  finish(): { readonly answer: BatchAnswer; readonly refusal: FleetError | undefined };
}

interface StepDraft {
  readonly phases: PhaseExit[];
  recorded: string | undefined;
  readonly lines: string[];
  /** The beginning of a line whose end has not come yet. */
  begun: Buffer;
}

interface Draft {
  readonly batch: Batch;
  readonly steps: ReadonlyMap<string, StepDraft>;
  facts: HostFacts;
  refusal: FleetError | undefined;
}

export const createAnswerReader = (batch: Batch): AnswerReader => {
  const draft: Draft = {
    ...{ batch, facts: { epoch: undefined, lockOwner: undefined, artefacts: [] }, refusal: undefined },
    steps: new Map(
      batch.calls.map(({ step }) => [step, { phases: [], recorded: undefined, lines: [], begun: Buffer.alloc(0) }]),
    ),
  };
  let pending = Buffer.alloc(0);
  return {
    push: (chunk) => {
      const bytes = Buffer.concat([pending, chunk]);
      let from = 0;
      for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', from)) {
        takeLine(draft, bytes.subarray(from, end));
        from = end + 1;
      }
      // What has no end for so long is no line of ours.
      pending = Buffer.from(bytes.subarray(from, from + LINE_BYTES_MAX));
    },
    finish: () => ({
      answer: { facts: draft.facts, steps: batch.calls.map(({ step }) => renderStep(draft, step)) },
      refusal: draft.refusal,
    }),
  };
};

const OF_STEP = /^([a-z0-9-]+)([|=@])/;
const PHASE = /^(check|apply|verify) (\d{1,3})$/;

const takeLine = (draft: Draft, line: Buffer): void => {
  const [head = '', id = '', mark] = OF_STEP.exec(line.subarray(0, PIECE_BYTES).toString('latin1')) ?? [];
  const step = draft.steps.get(id);
  if (step === undefined) {
    takeDriverLine(draft, line.toString());
    return;
  }
  const rest = line.subarray(head.length);
  if (mark === '|') takePiece(draft, step, rest);
  if (mark === '=') takePhase(draft, step, rest.toString());
  if (mark !== '@') return;
  step.recorded = rest.toString() === '-' ? undefined : rest.toString();
  draft.batch.onAnswer?.(renderStep(draft, id));
};

const takePiece = ({ batch }: Draft, step: StepDraft, piece: Buffer): void => {
  const line = Buffer.concat([step.begun, piece]);
  if (piece.length >= PIECE_BYTES) {
    step.begun = line.subarray(0, LINE_BYTES_MAX);
    return;
  }
  step.begun = Buffer.alloc(0);
  step.lines.push(batch.calls.reduce((text, { secrets }) => redact(text, secrets), renderLine(batch, line)));
  if (step.lines.length > LINES_KEPT) step.lines.shift();
};

/** A secret that is cut in two is found by nobody, so that a line which was cut loses as much as the longest has. */
const renderLine = ({ calls }: Batch, line: Buffer): string => {
  if (line.length <= LINE_BYTES_MAX) return line.toString();
  const values = calls.flatMap(({ secrets }) => Object.values(secrets).map((secret) => secret.reveal()));
  const longest = Math.max(0, ...values.map((value) => Buffer.byteLength(value)));
  return line.subarray(0, Math.max(0, LINE_BYTES_MAX - longest)).toString();
};

const takePhase = (draft: Draft, step: StepDraft, text: string): void => {
  const [, name, exit] = PHASE.exec(text) ?? [];
  const phase = PHASES.find((known) => known === name);
  if (phase === undefined) return;
  step.phases.push({ phase, exitCode: Number(exit) });
  if (Number(exit) === REFUSED_EXIT) draft.refusal ??= parseRefusal(step.lines.at(-1) ?? '', draft.batch.epoch);
};

const PHASES: readonly StepPhase[] = ['check', 'apply', 'verify'];
const FACTS = /^macfleet-host epoch=(\d+|-) lock=(.+) artefacts=([0-9a-f,]+|-)$/;

const takeDriverLine = (draft: Draft, line: string): void => {
  const [found, epoch, lock, artefacts] = FACTS.exec(line) ?? [];
  if (found === undefined) {
    draft.refusal ??= parseRefusal(line, draft.batch.epoch);
    return;
  }
  draft.facts = {
    epoch: epoch === '-' ? undefined : Number(epoch),
    lockOwner: lock === '-' ? undefined : lock,
    artefacts: artefacts === undefined || artefacts === '-' ? [] : artefacts.split(','),
  };
};

const renderStep = ({ steps }: Draft, id: string): StepAnswer => {
  const step = steps.get(id);
  const { phases = [], recorded, lines = [] } = step ?? {};
  return { step: id, phases: [...phases], recorded, output: lines.map((line) => `${line}\n`).join('') };
};

/** The answer as the driver prints it, for a Mac that has no bash. */
export const renderAnswer = ({ facts, steps }: BatchAnswer): Buffer => {
  const { epoch, lockOwner, artefacts } = facts;
  const head = `macfleet-host epoch=${epoch ?? '-'} lock=${lockOwner ?? '-'} artefacts=${artefacts.join(',') || '-'}`;
  return Buffer.from([head, ...steps.flatMap(renderStepLines)].map((line) => `${line}\n`).join(''), 'latin1');
};

/** With a character for each byte, so that pieces can be counted. */
const renderStepLines = ({ step, phases, recorded, output }: StepAnswer): readonly string[] => {
  const lines = output === '' ? [] : Buffer.from(output).toString('latin1').replace(/\n$/, '').split('\n');
  return [
    ...lines.flatMap(toPieces).map((piece) => `${step}|${piece}`),
    ...phases.map(({ phase, exitCode }) => `${step}=${phase} ${exitCode}`),
    ...(phases.length === 0 ? [] : [`${step}@${recorded ?? '-'}`]),
  ];
};

const toPieces = (line: string): readonly string[] => {
  const pieces: string[] = [];
  for (let at = 0; at <= line.length; at += PIECE_BYTES) pieces.push(line.slice(at, at + PIECE_BYTES));
  return pieces;
};
