import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { parseMacHost } from '../../kinds/mac-host.ts';
import type { Node } from '../../kube/types/core.ts';
import { providerIdOf } from './host-caches.ts';
import { isNodeIll, patienceLeftMs } from './node-health.ts';
import { at, CLAIMED, NOW, specOf } from './testing/views.ts';
import { nodeRestMs, observeNode, tellIllNode } from './watch-node.ts';

const MINUTE_MS = 60_000;
const host = parseMacHost({ metadata: { name: 'host-1' }, spec: specOf(CLAIMED), status: { state: 'joined' } });

const nodeOf = (status: 'True' | 'False' | 'Unknown' | undefined, agoMs = 0): Node => ({
  metadata: { name: 'mac-1' },
  spec: { providerID: providerIdOf(host) },
  status: {
    conditions: status === undefined ? [] : [{ type: 'Ready', status, lastTransitionTime: at(agoMs), reason: 'Why' }],
  },
});

describe('whether a Node is well (W-13)', () => {
  const rows = [
    { story: 'one that is ready is, for however long', node: nodeOf('True', 60 * MINUTE_MS), leftMs: undefined },
    { story: 'one that has said nothing yet is left alone', node: nodeOf(undefined), leftMs: undefined },
    { story: 'one that is silent has five minutes', node: nodeOf('Unknown', 2 * MINUTE_MS), leftMs: 3 * MINUTE_MS },
    { story: 'so has one that says that it is not ready', node: nodeOf('False', MINUTE_MS), leftMs: 4 * MINUTE_MS },
    { story: 'and then it is ill', node: nodeOf('Unknown', 5 * MINUTE_MS), leftMs: 0 },
  ];
  for (const { story, node, leftMs } of rows)
    it(story, () => {
      assert.equal(patienceLeftMs(node, NOW), leftMs);
      assert.equal(isNodeIll(node, NOW), leftMs === 0);
    });
});

describe('the Node of a Mac that works', () => {
  const ill = nodeOf('Unknown', 10 * MINUTE_MS);
  /** With what the API would say, and how often it was asked. */
  const observe = async (cached: Node | undefined, live: Node, of = host) => {
    let asked = 0;
    const get = async () => {
      asked += 1;
      return live;
    };
    const caches = { nodes: { byIndex: () => (cached === undefined ? [] : [cached]) } };
    const context = { kube: { get }, signal: neverAborted(), clock: { now: () => NOW } };
    return { node: await observeNode(caches as never, of, context as never), asked };
  };

  it('D14 is asked of the API itself before it is taken for ill: a cache may be behind', async () => {
    const well = nodeOf('True');
    assert.deepEqual(await observe(ill, well), { node: well, asked: 1 });
  });

  it('D11 is taken from the cache while nothing follows from it', async () => {
    const well = nodeOf('True');
    assert.deepEqual(await observe(well, ill), { node: well, asked: 0 });
    const free = parseMacHost({ metadata: { name: 'host-1' }, spec: specOf({}) });
    assert.deepEqual(await observe(ill, well, free), { node: ill, asked: 0 });
  });

  it('is looked at again when its time is up, and not without pause while the cache is behind', () => {
    assert.equal(nodeRestMs(nodeOf('Unknown', 2 * MINUTE_MS), NOW), 3 * MINUTE_MS);
    assert.equal(nodeRestMs(ill, NOW), MINUTE_MS);
    assert.equal(nodeRestMs(nodeOf('True'), NOW), undefined);
  });

  it('is told of once, when its Mac is to be prepared for it', () => {
    const told = tellIllNode(host, ill, { state: 'preparing', nowMs: NOW });
    assert.equal(told?.condition?.reason, 'NodeNotReady');
    assert.match(told?.condition?.message ?? '', /^its Node mac-1 has not been heard of since .* \(Why\): /);
    assert.equal(told?.events?.length, 1);
    const known = parseMacHost({ ...host, status: { state: 'preparing' } });
    assert.equal(tellIllNode(known, ill, { state: 'preparing', nowMs: NOW }), undefined);
    assert.equal(tellIllNode(host, undefined, { state: 'preparing', nowMs: NOW }), undefined);
  });
});
