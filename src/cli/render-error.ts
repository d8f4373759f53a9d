/** An error as a person at a terminal reads it: what happened, why, and what to do. */
import { type FleetError, messageOf } from '../base/errors.ts';
import { KIND_HINTS } from './explain/kind-meanings.ts';

/** Deeper chains say nothing more, and a chain that bites its tail must end somewhere. */
const CAUSES_MAX = 8;

export interface RenderOptions {
  readonly detail: 'short' | 'stack';
}

/** Several lines that end in a newline. Only `detail: 'stack'` shows stack traces. */
export const renderError = (error: FleetError, { detail }: RenderOptions): string => {
  const chain = chainOf(error);
  // One that comes from another program, as the API, brings none.
  const hint = error.hint || KIND_HINTS[error.kind];
  const reasons = [...new Set(chain.map(messageOf))].slice(1);
  const lines = [
    `error: ${error.message}`,
    ...reasons.map((reason) => `  because: ${reason}`),
    `  what to do: ${hint}`,
    `  code: ${error.code}`,
    ...(detail === 'stack' ? chain.flatMap(stackOf) : []),
  ];
  return `${lines.join('\n')}\n`;
};

/** The error and its causes, outermost first. */
const chainOf = (error: FleetError): readonly unknown[] => {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (next !== undefined && chain.length <= CAUSES_MAX) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
};

const stackOf = (thrown: unknown): readonly string[] =>
  thrown instanceof Error && thrown.stack !== undefined ? ['', thrown.stack] : [];
