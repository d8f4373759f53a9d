import assert from 'node:assert/strict';
import test from 'node:test';
import { type DigestInputs, digestSteps } from './digest.ts';
import { orderSteps } from './order-steps.ts';
import { BOOTSTRAP_STEPS, BUILDER_STEPS, type Step } from './step.ts';
import { stepOf } from './testing/steps.ts';

const bundle = stepOf('bundle', { artefacts: ['agent'] });
const agent = stepOf('agent', {
  needs: ['bundle'],
  inputs: { fleet: { scope: 'fleet' }, nodeName: { scope: 'host' }, pods: { scope: 'fleet', fallback: '3' } },
});
const firewall = stepOf('firewall');

const BASE: DigestInputs = {
  steps: [bundle, agent, firewall],
  files: { lib: 'lib', steps: { bundle: 'b', agent: 'a', firewall: 'f' } },
  inputs: { fleet: 'runners', nodeName: 'mac-1' },
  artefactSums: { agent: 'one' },
};

const withFile = (id: string, text: string): DigestInputs['files'] => ({
  ...BASE.files,
  steps: { ...BASE.files.steps, [id]: text },
});

const rows: readonly {
  readonly story: string;
  readonly change: Partial<DigestInputs>;
  /** Steps whose digest changes, and `fleet`. */
  readonly moves: string;
}[] = [
  { story: 'nothing', change: {}, moves: '' },
  { story: 'a script', change: { files: withFile('firewall', 'other') }, moves: 'firewall fleet' },
  { story: 'the library', change: { files: { ...BASE.files, lib: 'other' } }, moves: 'bundle agent firewall fleet' },
  { story: 'an artefact', change: { artefactSums: { agent: 'two' } }, moves: 'bundle agent fleet' },
  {
    story: 'an input of the fleet',
    change: { inputs: { fleet: 'builders', nodeName: 'mac-1' } },
    moves: 'agent fleet',
  },
  { story: 'an input of the host', change: { inputs: { fleet: 'runners', nodeName: 'mac-2' } }, moves: 'agent' },
  { story: 'a fallback', change: { inputs: { ...BASE.inputs, pods: '4' } }, moves: 'agent fleet' },
  { story: 'a fallback that is given', change: { inputs: { ...BASE.inputs, pods: '3' } }, moves: '' },
  { story: 'an input that no step names', change: { inputs: { ...BASE.inputs, other: 'x' } }, moves: '' },
];

for (const { story, change, moves } of rows) {
  test(`a change of ${story} moves the digests of: ${moves === '' ? 'none' : moves}`, () => {
    const before = digestSteps(BASE);
    const after = digestSteps({ ...BASE, ...change });
    const moved = BASE.steps.map(({ id }) => id).filter((id) => before.byStep[id] !== after.byStep[id]);
    assert.equal([...moved, ...(before.fleet === after.fleet ? [] : ['fleet'])].join(' '), moves);
  });
}

test('T-78: the digest of a fleet is the same for every host of it', () => {
  const digestFor = (nodeName: string, claim: string): string => {
    const inputs = { nodeName, claim, providerId: `scw-applesilicon://z/${nodeName}`, fleet: 'runners' };
    return digestSteps({ ...BASE, steps: orderSteps(BOOTSTRAP_STEPS), inputs }).fleet;
  };
  assert.equal(digestFor('mac-1', 'uid-1'), digestFor('mac-2', 'uid-2'));
});

test('T-85: an input that several steps name has the same scope and fallback in all of them', () => {
  const scopes = new Map<string, string>();
  const each = (steps: readonly Step[]) => steps.flatMap(({ inputs }) => Object.entries(inputs));
  for (const [name, input] of each(BUILDER_STEPS)) {
    const text = JSON.stringify(input);
    assert.equal(scopes.get(name) ?? text, text, name);
    scopes.set(name, text);
  }
});
