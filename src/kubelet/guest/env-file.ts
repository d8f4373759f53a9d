/**
 * The environment as a guest reads it: `KEY=value` lines, where a line break is written as a backslash and a letter. The
 * guests of the Go original turn every such pair back, also one that was in the value: for those who need every
 * byte the same is there as JSON. Pure.
 */

export const renderEnvFile = (env: ReadonlyMap<string, string>): string =>
  sorted(env)
    .map(([name, value]) => `${name}=${value.replaceAll('\r', '\\r').replaceAll('\n', '\\n')}\n`)
    .join('');

export const renderEnvJson = (env: ReadonlyMap<string, string>): string =>
  `${JSON.stringify(Object.fromEntries(sorted(env)))}\n`;

const sorted = (env: ReadonlyMap<string, string>): readonly (readonly [string, string])[] =>
  [...env].sort(([left], [right]) => (left < right ? -1 : 1));
