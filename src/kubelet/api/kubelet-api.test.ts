import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { createSystemFiles } from '../host/system-files.ts';
import { parseTarget } from './api-message.ts';
import { createKubeletApi } from './kubelet-api.ts';

const logDirectory = mkdtempSync(join(tmpdir(), 'kubelet-api-'));
after(() => rmSync(logDirectory, { recursive: true }));

const podNamed = (name: string, status: Pod['status'] = {}): Pod => ({
  metadata: { namespace: 'ns', name },
  spec: { containers: [{ name: 'main' }] },
  status,
});
const waiting = {
  containerStatuses: [
    {
      name: 'main',
      image: '',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: 'ImagePullBackOff' } },
    },
  ],
};
const PODS = [podNamed('told', { phase: 'Running' }), podNamed('pulling', waiting), podNamed('new')];

mkdirSync(join(logDirectory, 'vm-told.d'));
const head = '2026-11-16T10:00:00.000000000Z stdout F:0:0';
writeFileSync(join(logDirectory, 'vm-told.d', '0000-00000000.log'), `${head} an earlier life\n`);
writeFileSync(join(logDirectory, 'vm-told.d', '0001-00000000.log'), `${head} one\n${head} two\n`);

const api = createKubeletApi({
  clock: createManualClock(),
  pods: () => PODS,
  logs: {
    files: createSystemFiles(),
    keeper: { isOpen: () => false, subscribe: () => () => undefined },
    ...{ logDirectory, vmOf: ({ metadata }) => `vm-${metadata.name}` },
  },
  metrics: async () => 'metrics\n',
  resourceMetrics: async () => 'resources\n',
  summary: async () => ({ node: {} }),
});

const ask = async (path: string, method = 'GET'): Promise<string> => {
  const target = parseTarget(path);
  assert.ok(target !== undefined, path);
  const { status, body } = await api({ method, ...target, signal: new AbortController().signal });
  let said = '';
  if (typeof body === 'string') said = body;
  else for await (const chunk of body) said += Buffer.from(chunk).toString();
  return `${status} ${said.trim()}`;
};

describe('what an agent answers', () => {
  const ROWS = [
    { path: '/healthz', is: /^200 ok$/ },
    { path: '/containerLogs/ns/told/main', is: /^200 one\ntwo$/ },
    { path: '/containerLogs/ns/told/main?tailLines=1', is: /^200 two$/ },
    { path: '/containerLogs/ns/told/main?previous=true', is: /^200 an earlier life$/ },
    { path: '/containerLogs/ns/told/main?tailLines=-1', is: /^400 tailLines must be a whole number/ },
    { path: '/containerLogs/ns/nobody/main', is: /^404 pod "nobody" does not exist$/ },
    { path: '/containerLogs/other/told/main', is: /^404 pod "told" does not exist$/ },
    { path: '/containerLogs/ns/told/side', is: /^404 container "side" not found in pod "told"$/ },
    { path: '/containerLogs/ns/told/main/more', is: /^404/ },
    { path: '/containerLogs/ns/told', is: /^404/ },
    { path: '/containerLogs/ns/%ff/main', is: /^404/ },
    { path: '/containerLogs/ns/..%2f..%2fetc/main', is: /^404/ },
    {
      path: '/containerLogs/ns/pulling/main',
      is: /^400 container "main" in pod "pulling" is waiting to start: ImagePullBackOff$/,
    },
    {
      path: '/containerLogs/ns/new/main',
      is: /^400 container "main" in pod "new" is waiting to start: ContainerCreating$/,
    },
    {
      path: '/containerLogs/ns/new/main?previous=true',
      is: /^400 previous terminated container "main" in pod "new" not found$/,
    },
    { path: '/pods', is: /^200 .*"kind":"PodList".*"name":"told".*"name":"new"/ },
    { path: '/runningpods/', is: /^200 (?!.*"new").*"name":"told"/ },
    { path: '/metrics', is: /^200 metrics$/ },
    { path: '/metrics/resource', is: /^200 resources$/ },
    { path: '/stats/summary', is: /^200 \{"node":\{\}\}$/ },
    {
      path: '/exec/ns/told/main?command=ls',
      method: 'POST',
      is: /^501 commands cannot be run in a VM through the API yet/,
    },
    { path: '/attach/ns/told/main', method: 'POST', is: /^501 nobody can be attached/ },
    { path: '/portForward/ns/told', method: 'POST', is: /^501 ports of a VM cannot be forwarded/ },
    { path: '/pods', method: 'DELETE', is: /^405/ },
    { path: '/configz', is: /^404/ },
  ];
  for (const { path, method, is } of ROWS) {
    it(`${method ?? 'GET'} ${path}`, async () => assert.match(await ask(path, method), is));
  }
});
