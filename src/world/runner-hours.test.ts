/** What takes hours in the life of a runner, on the virtual clock: a guest that never asks, and an end that nobody can be told of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../base/clock.ts';
import { EVENTS, SERVICE_ACCOUNTS } from '../kube/types/core.ts';
import { checkRest, die, isUp, openStage, type RunnersStage, runFor, runUntil } from './testing/runners-run.ts';

const HOUR_MS = 3_600_000;

describe('a runner that waits for hours (R8 of the runners, §7-28)', () => {
  const namesOf = ({ pods }: RunnersStage): readonly string[] => pods().map(({ metadata }) => metadata.name);

  it('is replaced, one after the other, although its guest never asks', async () => {
    const stage = openStage();
    stage.dispatcher.guests = 'mute';
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    const first = namesOf(stage);
    await runFor(stage, 6.5 * HOUR_MS);
    assert.deepEqual(namesOf(stage), first);
    let least = 3;
    await runUntil(stage, 'all of them are others', () => {
      least = Math.min(least, stage.alive().filter(({ status }) => status?.phase === 'Running').length);
      return isUp(stage, 3) && namesOf(stage).every((name) => !first.includes(name));
    });
    assert.equal(least, 2);
    await runFor(stage, 60_000);
    assert.deepEqual(first.toSorted(), stage.dispatcher.stops.map(({ pod }) => pod).toSorted());
    checkRest(stage);
  });

  it('is left alone with a job, although nobody labels it (S30)', async () => {
    const stage = openStage({ macs: 1, pool: { replicas: 1 } });
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    stage.dispatcher.queue(1, 9 * HOUR_MS);
    await runFor(stage, 8.5 * HOUR_MS);
    assert.equal(stage.dispatcher.jobs[0]?.state, 'running');
    await runUntil(stage, 'the job is done', () => stage.dispatcher.jobs[0]?.state === 'done' && isUp(stage, 1));
    await runFor(stage, 60_000);
    checkRest(stage);
  });

  it('is asked, and never deleted, where the dispatcher knows only the original protocol', async () => {
    const stage = openStage({ macs: 1, pool: { replicas: 1 } });
    stage.dispatcher.protocol = 1;
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    const first = namesOf(stage);
    stage.dispatcher.guests = 'mute';
    await runFor(stage, 9 * HOUR_MS);
    assert.deepEqual(namesOf(stage), first);
    assert.equal(stage.pods()[0]?.metadata.labels?.['tuist.dev/runner-operator-drain'], 'true');
    stage.dispatcher.guests = 'go-home';
    await runUntil(stage, 'it asks and is replaced', () => isUp(stage, 1) && namesOf(stage)[0] !== first[0]);
  });
});

describe('an end that cannot be reported', () => {
  it('keeps its Pod for a day, and no longer; that it was never told is said, and told all the same in the end (§9.8-7, S35)', async () => {
    const stage = openStage({ macs: 1, pool: { replicas: 1 } });
    const { operator, kernel } = stage.world;
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    const name = stage.pods()[0]?.metadata.name ?? '';
    const isThere = (): boolean => stage.pods().some(({ metadata }) => metadata.name === name);
    const reasons = (): readonly string[] => operator.listOwn(EVENTS).map(({ reason = '' }) => reason);
    stage.dispatcher.mood = 'down';
    const diedAt = toTimestamp(kernel.actor('world').clock.now());
    die(stage, name, diedAt);
    await runUntil(stage, 'another is up, which does not wait for that', () => isUp(stage, 1));
    await runFor(stage, 23 * HOUR_MS);
    assert.deepEqual([isThere(), reasons().includes('StopNotReported')], [true, false]);
    await runFor(stage, 2 * HOUR_MS);
    assert.deepEqual([isThere(), reasons().includes('StopNotReported')], [false, true]);
    stage.dispatcher.mood = 'good';
    await runUntil(stage, 'its account is closed', () =>
      operator.listOwn(SERVICE_ACCOUNTS).every(({ metadata }) => metadata.name !== name),
    );
    assert.deepEqual(
      stage.dispatcher.stops.filter(({ pod }) => pod === name),
      [{ pod: name, endedAt: diedAt }],
    );
  });
});
