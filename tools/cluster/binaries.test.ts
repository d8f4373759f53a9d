/** Finding the programs of the bench without building them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetError, isKind } from '../../src/base/errors.ts';
import { findBinaries } from './binaries.ts';
import { createStage, putProgram } from './testing/stage.ts';

test('nothing built: an unavailable error says which command builds it', async (context) => {
  const stage = await createStage();
  context.after(() => stage.remove());
  const error = await findBinaries(stage.env).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof FleetError && isKind(error, 'unavailable'));
  assert.match(error.message, /etcd, kube-apiserver/);
  assert.match(error.hint ?? '', /npm run cluster:build/);
});

test('a caller that needs few programs is content with few, and with no manifest', async (context) => {
  const stage = await createStage();
  context.after(() => stage.remove());
  await stage.run(['--only', 'etcd']);
  const found = await findBinaries(stage.env, { need: ['etcd'] });
  assert.equal(found.path('etcd'), `${found.dir}/etcd`);
  assert.throws(() => found.path('helm'), { code: 'ClusterBinariesMissing' });
  await assert.rejects(findBinaries(stage.env, { need: ['etcd', 'e2e.test'] }), {
    message: /e2e\.test missing/,
    hint: /--with e2e/,
  });
});

test('MACFLEET_CLUSTER_BIN goes before KUBEBUILDER_ASSETS, and an empty variable names nothing', async (context) => {
  const stage = await createStage();
  context.after(() => stage.remove());
  await putProgram(stage.path('bin', 'etcd'));
  const need = ['etcd'] as const;
  const both = { ...stage.env, MACFLEET_CLUSTER_BIN: stage.path('bin'), KUBEBUILDER_ASSETS: stage.path('nothing') };
  assert.equal((await findBinaries(both, { need })).dir, stage.path('bin'));
  await assert.rejects(findBinaries({ ...both, MACFLEET_CLUSTER_BIN: '' }, { need }), {
    code: 'ReadyBinariesMissing',
    message: /^KUBEBUILDER_ASSETS names .* lacks etcd$/,
  });
});

test('a relative XDG_CACHE_HOME is ignored, as its rules say', async (context) => {
  const stage = await createStage();
  context.after(() => stage.remove());
  await assert.rejects(findBinaries({ ...stage.env, XDG_CACHE_HOME: 'cache' }), (error: Error) =>
    error.message.includes(stage.path('.cache', 'macfleet', 'cluster')),
  );
});
