import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../kube/types/pod.ts';
import { parseScript, planMoment } from './pod-script.ts';

const DEFAULTS = { startMs: 300, runMs: 2_000, exitCode: 0, stopMs: 100 };

describe('the script of a Pod', () => {
  const good: readonly (readonly [string | undefined, object])[] = [
    [undefined, DEFAULTS],
    ['{}', DEFAULTS],
    ['{"runMs":5}', { ...DEFAULTS, runMs: 5 }],
    ['{"startMs":0,"runMs":0,"exitCode":3,"stopMs":7}', { startMs: 0, runMs: 0, exitCode: 3, stopMs: 7 }],
  ];
  for (const [text, expected] of good) {
    it(`reads ${text ?? 'no annotation'}`, () => assert.deepEqual(parseScript(text), expected));
  }

  const bad: readonly (readonly [string, RegExp])[] = [
    ['', /it is not JSON/],
    ['{"runMs":', /it is not JSON/],
    ['[1]', /no JSON object/],
    ['null', /no JSON object/],
    ['{"runMs":"5"}', /"runMs" must be a whole number from 0 on, not "5"/],
    ['{"runMs":-1}', /"runMs" must be/],
    ['{"runMs":1.5}', /"runMs" must be/],
    ['{"sleep":1}', /"sleep" is no field/],
    ['{"__proto__":1}', /"__proto__" is no field/],
  ];
  for (const [text, message] of bad) {
    it(`refuses ${text || 'an empty one'}`, () =>
      assert.throws(() => parseScript(text), { kind: 'invalid', code: 'BadPodScript', message }));
  }
});

describe('where a Pod is in its script', () => {
  const rows: readonly (readonly [string | undefined, number, number, string])[] = [
    ['Never', 0, 0, 'Pending until 1300'],
    ['Never', 299, 0, 'Pending until 1300'],
    ['Never', 300, 0, 'Running until 3300'],
    ['Never', 2_299, 0, 'Running until 3300'],
    ['Never', 2_300, 0, 'Succeeded at 3300'],
    ['OnFailure', 9_000, 4, 'Failed at 3300'],
    ['Always', 9_000, 0, 'Running'],
    [undefined, 9_000, 4, 'Running'],
  ];
  for (const [restartPolicy, afterMs, exitCode, expected] of rows) {
    it(`restart ${restartPolicy ?? 'unsaid'}, exit code ${exitCode}, after ${afterMs} ms: ${expected}`, () => {
      const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [], ...(restartPolicy && { restartPolicy }) } };
      const moment = planMoment(pod, { ...DEFAULTS, exitCode }, { acceptedMs: 1_000, nowMs: 1_000 + afterMs });
      const until = 'untilMs' in moment ? ` until ${moment.untilMs}` : '';
      const at = 'endedMs' in moment ? ` at ${moment.endedMs}` : '';
      assert.equal(`${moment.phase}${until}${at}`, expected);
    });
  }
});
