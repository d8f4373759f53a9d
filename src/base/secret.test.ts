/** A secret does not leave by any of the ways in which values usually get printed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { format, inspect } from 'node:util';
import { FleetError } from './errors.ts';
import { createLogger } from './logger.ts';
import { REDACTED, Secret } from './secret.ts';
import { createManualClock } from './testing/manual-clock.ts';

const CANARY = 'c4n4ry-value';
const secret = new Secret(CANARY);

const logged = (fields: Readonly<Record<string, unknown>>): string => {
  let text = '';
  const destination = {
    write: (line: string) => {
      text += line;
    },
  };
  createLogger({ clock: createManualClock(), level: 'debug', destination })
    .with({ bound: secret })
    .error('Failed', fields);
  return text;
};

const withDetails = new FleetError('denied', {
  ...{ code: 'X', message: `password ${secret} refused`, details: { secret }, cause: new Error(`${secret}`) },
});

describe('a secret shows as redacted', () => {
  const rows: readonly { readonly way: string; readonly text: string }[] = [
    { way: 'in a template', text: `${secret}` },
    { way: 'added to a string', text: `a ${String(secret)}` },
    { way: 'joined in an array', text: [secret, secret].join() },
    { way: 'as JSON', text: JSON.stringify(secret) },
    { way: 'deep inside JSON', text: JSON.stringify({ a: [{ secret }] }) },
    { way: 'as a key of an object', text: JSON.stringify({ [`${secret}`]: 1 }) },
    { way: 'inspected', text: inspect(secret) },
    { way: 'inspected deep inside', text: inspect({ a: [{ secret }] }, { depth: 9, showHidden: true }) },
    { way: 'formatted as a string', text: format('%s', secret) },
    { way: 'formatted as an object', text: format('%o and %O', secret, secret) },
    { way: 'formatted as JSON', text: format('%j', secret) },
    { way: 'in the message of an error', text: withDetails.message },
    { way: 'in an error that is inspected', text: inspect(withDetails, { depth: 9, showHidden: true }) },
    { way: 'in the fields of a log line', text: logged({ secret }) },
    { way: 'deep in the fields of a log line', text: logged({ a: [{ secret }] }) },
    { way: 'in an error that is logged', text: logged({ error: withDetails }) },
  ];
  for (const { way, text } of rows) {
    test(way, () => {
      assert.ok(text.includes(REDACTED), text);
      assert.ok(!text.includes(CANARY), text);
    });
  }
});

describe('a secret keeps its value to itself', () => {
  const rows: readonly { readonly way: string; readonly text: string }[] = [
    {
      way: 'when inspection ignores what it says about itself',
      text: inspect(secret, { customInspect: false, showHidden: true }),
    },
    { way: 'when its properties are listed', text: JSON.stringify({ ...secret, keys: Reflect.ownKeys(secret) }) },
    { way: 'when it is cloned', text: JSON.stringify(structuredClone(secret)) },
    { way: 'when it becomes a number', text: `${Number(secret)}` },
  ];
  for (const { way, text } of rows) test(way, () => assert.ok(!text.includes(CANARY), text));

  test('and gives it only when asked to reveal it', () => {
    assert.equal(secret.reveal(), CANARY);
  });
});
