import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createHarness, type HarnessOptions, WIDGETS } from '../testing/harness.ts';
import { createEventRecorder } from './events.ts';
import type { EventReport } from './outcome.ts';

const SUBJECT = { metadata: { namespace: 'ns', name: 'a', uid: 'uid-a' } };
const REPORT: EventReport = { type: 'Warning', reason: 'HostAway', message: 'The host does not answer' };

const startRecorder = (options: HarnessOptions = {}) => {
  const harness = createHarness(options);
  const { client, clock, ids, stop } = harness;
  const recorder = createEventRecorder({
    client,
    clock,
    ids,
    logger: silentLogger,
    component: 'test',
    signal: stop.signal,
  });
  const stored = () => harness.api.objects('/api/v1/events');
  return { ...harness, recorder, stored };
};

describe('event recorder', () => {
  it('names the object, the component and the time', async () => {
    const { recorder, stored } = startRecorder();
    recorder.publish(WIDGETS, SUBJECT, [REPORT]);
    await recorder.flush();
    const [event] = stored();
    assert.deepEqual(event?.['involvedObject'], {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      name: 'a',
      namespace: 'ns',
      uid: 'uid-a',
    });
    assert.deepEqual([event?.['count'], event?.['firstTimestamp']], [1, '2026-01-01T00:00:00Z']);
  });

  it('counts what it already said instead of saying it again', async () => {
    const { recorder, stored, clock } = startRecorder();
    for (let time = 0; time < 31; time += 1) {
      recorder.publish(WIDGETS, SUBJECT, [REPORT]);
      clock.advance(10_000);
    }
    await recorder.flush();
    assert.equal(stored().length, 1);
    assert.equal(stored()[0]?.['count'], 31);
    assert.equal(stored()[0]?.['lastTimestamp'], '2026-01-01T00:05:00Z');
  });

  it('keeps events of two objects apart', async () => {
    const { recorder, stored } = startRecorder();
    recorder.publish(WIDGETS, SUBJECT, [REPORT]);
    recorder.publish(WIDGETS, { metadata: { namespace: 'ns', name: 'b', uid: 'uid-b' } }, [REPORT]);
    await recorder.flush();
    assert.equal(stored().length, 2);
  });

  it('puts the events of a cluster-scoped object into the default namespace', async () => {
    const { recorder, stored } = startRecorder();
    recorder.publish({ ...WIDGETS, scope: 'Cluster' }, { metadata: { name: 'a', uid: 'uid-a' } }, [REPORT]);
    await recorder.flush();
    assert.equal(stored()[0]?.metadata.namespace, 'default');
  });

  it('outlives an API server that refuses events', async () => {
    let isRefused = true;
    const { recorder, stored } = startRecorder({
      intercept: () => {
        if (isRefused) throw new FleetError('denied', { code: 'Forbidden', message: 'no' });
      },
    });
    recorder.publish(WIDGETS, SUBJECT, [REPORT]);
    await recorder.flush();
    isRefused = false;
    recorder.publish(WIDGETS, SUBJECT, [{ ...REPORT, reason: 'HostBack' }]);
    await recorder.flush();
    assert.deepEqual(
      stored().map((event) => event['reason']),
      ['HostBack'],
    );
  });
});
