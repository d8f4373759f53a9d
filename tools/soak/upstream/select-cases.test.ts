import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseListedCases, renderFocus, selectCases, shareOut } from './select-cases.ts';

const LISTING = `The following spec names can be used with 'ginkgo run --focus/skip':
    k8s.io/kubernetes@v1.36.4/test/e2e/apps/job.go:12: [sig-apps] Job should run [Conformance]
    k8s.io/kubernetes@v1.36.4/test/e2e/apps/job.go:99: [sig-apps] Job should be alone [Serial]
    k8s.io/kubernetes@v1.36.4/test/e2e/node/pods.go:7: [sig-node] Pods should start
`;
const RUN = '[sig-apps] Job should run [Conformance]';
const ALONE = '[sig-apps] Job should be alone [Serial]';

describe('the cases of the suite', () => {
  it('are read from its own list', () => {
    assert.deepEqual(parseListedCases(LISTING), [RUN, ALONE, '[sig-node] Pods should start']);
  });

  it('are run unless another group has them or an exclusion names them', () => {
    const exclusions = [
      { cases: /alone/, why: 'first' },
      { cases: /Job should be/, why: 'second' },
    ];
    const { run, excluded, idle } = selectCases(parseListedCases(LISTING), { suites: ['sig-apps'], exclusions });
    assert.deepEqual(run, [RUN]);
    assert.deepEqual(excluded, [{ name: ALONE, why: 'first' }]);
    assert.deepEqual(idle, [exclusions[1]], 'what excludes nothing is told');
  });

  it('are dealt out in turn, those that want to be alone last', () => {
    assert.deepEqual(shareOut(['a', 'b [Serial]', 'c', 'd'], 2), {
      atOnce: [['a', 'd'], ['c']],
      alone: ['b [Serial]'],
    });
    assert.deepEqual(shareOut(['a'], 3).atOnce, [['a']], 'no share is empty');
  });

  it('are asked for by a pattern that matches them and nothing longer', () => {
    const focus = new RegExp(renderFocus([RUN, 'a (b) c']));
    for (const name of [`Kubernetes e2e suite ${RUN}`, 'a (b) c']) assert.match(name, focus);
    for (const name of [`${RUN} twice`, 'a b c']) assert.doesNotMatch(name, focus);
  });
});
