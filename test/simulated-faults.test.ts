/** The faults F01–F82: a simulated fleet meets each, by disturbances that exist, or the table says where it is met instead. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { FAULT_IDS } from '../src/sim/cloud/faults.ts';
import { CALL_FAULTS, STREAM_FAULTS } from '../src/sim/kernel/network.ts';
import { DISTURBANCES } from '../src/world/simulate/disturbances.ts';
import { FAULT_TABLE, type FaultMet } from '../src/world/simulate/fault-table.ts';
import { drawProfile } from '../src/world/simulate/swarm-profile.ts';

const IDS = DISTURBANCES.map(({ id }) => id);

test('the list is whole', () => {
  const all = Array.from({ length: 82 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`);
  assert.deepEqual(Object.keys(FAULT_TABLE), all);
});

test('no two disturbances have one name', () => {
  assert.equal(new Set(IDS).size, IDS.length);
});

/** Sites and faults that some seed of the swarm draws. */
const DRAWN = new Set(
  Array.from({ length: 40 }, (_, seed) => drawProfile(seed).network.sites ?? {}).flatMap((sites) =>
    Object.entries(sites).flatMap(([site, { faults = {} }]) => Object.keys(faults).map((fault) => `${site} ${fault}`)),
  ),
);

const problemOf = (met: FaultMet): string | undefined => {
  if ('elsewhere' in met) return met.elsewhere.length > 20 ? undefined : 'it does not say why';
  if ('by' in met) {
    const missing = met.by.filter((id) => !IDS.includes(id));
    return missing.length === 0 ? undefined : `there is no disturbance ${missing.join(', ')}`;
  }
  const isKnown = [...CALL_FAULTS, ...STREAM_FAULTS].some((fault) => fault === met.fault);
  return isKnown && DRAWN.has(`${met.at} ${met.fault}`) ? undefined : `no seed draws ${met.fault} at ${met.at}`;
};

for (const [fault, means] of Object.entries(FAULT_TABLE)) {
  test(`${fault} is met, or is met elsewhere`, () => {
    assert.ok(means.length > 0);
    assert.deepEqual(
      means.map(problemOf).filter((problem) => problem !== undefined),
      [],
    );
  });
}

test('every fault of the simulated cloud is some disturbance, and every disturbance of a fault is in the table', () => {
  const named = new Set(
    Object.values(FAULT_TABLE).flatMap((means) => means.flatMap((met) => ('by' in met ? met.by : []))),
  );
  assert.deepEqual(
    FAULT_IDS.filter((id) => !IDS.includes(id)),
    [],
  );
  assert.deepEqual(
    IDS.filter((id) => /^F\d\d[a-z]?$/.test(id) && !named.has(id)),
    [],
  );
});
