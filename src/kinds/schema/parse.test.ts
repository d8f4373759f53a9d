import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { parseMachine } from '../machine.ts';
import { GO_OBJECTS } from '../testing/go-objects.ts';
import { hostWith } from '../testing/hosts.ts';
import { PARSERS } from '../testing/parsers.ts';
import { WRONG_OBJECTS } from '../testing/wrong-objects.ts';
import { hasLegacyConditions } from './parse.ts';

describe('reading what the Go original wrote', () => {
  for (const { story, kind, object } of GO_OBJECTS) {
    it(`accepts a ${kind} ${story}`, () => {
      const parsed = PARSERS[kind](object);
      assert.equal(parsed.metadata.name, Object(object['metadata']).name);
      assert.equal(hasLegacyConditions(parsed), false, 'what is saved next holds valid conditions');
    });
  }

  it('says that older conditions wait for the next status save', () => {
    const waiting = GO_OBJECTS.filter(({ object }) => hasLegacyConditions(object)).map(({ story }) => story);
    assert.deepEqual(waiting, [
      'of May, ready, conditions without reasons',
      'that waits for a host, its condition with a severity',
      'whose bootstrap failed four times and was rebooted',
      'whose host went back to the pool',
      'of August with everything',
      'detached by a person',
      'with a condition that has no time at all',
      'cluster shell with an endpoint of zeros',
    ]);
  });
});

describe('reading what is broken', () => {
  for (const { story, kind, object, path } of WRONG_OBJECTS) {
    it(`names ${path} of a ${kind} that ${story}`, () => {
      assert.throws(
        () => PARSERS[kind](object),
        (error) => {
          assert.ok(error instanceof FleetError);
          assert.equal(error.kind, 'invalid');
          assert.equal(error.code, 'BadObject');
          assert.ok(error.message.includes(` ${path}: `), error.message);
          return true;
        },
      );
    });
  }

  const notObjects = [undefined, null, 7, 'text', [], true];
  for (const value of notObjects) {
    it(`refuses ${JSON.stringify(value)}, which is no object`, () => {
      assert.throws(() => parseMachine(value), { name: 'FleetError', kind: 'invalid' });
    });
  }

  it('names the object and every field at fault', () => {
    const object = { metadata: { name: 'mac-1', namespace: 'ci' }, spec: { type: 1, hostCPU: 'x' } };
    assert.throws(() => parseMachine(object), {
      message: /^ScalewayAppleSiliconMachine ci\/mac-1 cannot be read: spec\.type: .*; spec\.hostCPU: /,
    });
  });
});

describe('a read-modify-write', () => {
  it('keeps fields we do not know, at every depth', () => {
    const host = {
      ...hostWith({ pool: { prefix: 'p-', colour: 'red' }, mood: { good: [1, null] } }),
      status: { state: 'free', weather: 'fine', server: { name: 'p-1', rack: 4 } },
      extra: 1,
    };
    const read = PARSERS.MacHost({ ...host, metadata: { ...host.metadata, managedFields: [{ manager: 'x' }] } });
    const written: unknown = JSON.parse(JSON.stringify({ ...read, spec: { ...read.spec, epoch: 8 } }));
    assert.partialDeepStrictEqual(written, {
      extra: 1,
      metadata: { managedFields: [{ manager: 'x' }] },
      spec: { epoch: 8, pool: { prefix: 'p-', colour: 'red' }, mood: { good: [1, null] } },
      status: { weather: 'fine', server: { rack: 4 } },
    });
  });

  it('changes nothing in an object that is complete and valid', () => {
    const first = PARSERS.MacHost(hostWith());
    assert.deepEqual(PARSERS.MacHost(JSON.parse(JSON.stringify(first))), first);
  });

  it('leaves the object it was given as it was', () => {
    for (const { kind, object } of GO_OBJECTS) {
      const before = JSON.stringify(object);
      PARSERS[kind](object);
      assert.equal(JSON.stringify(object), before);
    }
  });
});
