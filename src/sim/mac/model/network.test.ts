/** Whom a Mac reaches, as its commands tell it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNetwork, LOCAL_NETWORK } from './network.ts';
import { renderPlist } from './plist.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const stage = () => {
  const files = createMemoryFiles();
  const network = createNetwork({ files, isSshReachable: () => true });
  network.boot();
  return { files, network, run: commandRunner(network.commands) };
};

test('by itself everybody is reached, and of the Mac the port of SSH alone', async () => {
  const { run } = stage();
  for (const host of ['192.168.64.5 22', '51.15.0.1 6443', 'api.example.com 6443', '127.0.0.1 22'])
    assert.equal(await run(`m1:nc -z -G 3 ${host}`), '0', host);
  assert.equal(await run('nc -z 127.0.0.1 80'), '1');
});

test('F45: private addresses are closed to users until the exceptions were there at a boot', async () => {
  const { files, network, run } = stage();
  network.setLocalNetwork('blocked');
  assert.match(await run('m1:nc -z 192.168.64.5 22'), /^1 .*No route to host/);
  assert.match(await run('m1:ping -c 1 192.168.64.5'), /^2 .*No route to host/);
  assert.equal(await run('nc -z 192.168.64.5 22'), '0', 'root is not asked');
  assert.equal(await run('m1:nc -z 51.15.0.1 443'), '0');
  files.write(LOCAL_NETWORK, renderPlist({ AllowedEthernetLocalNetworkAddresses: ['192.168.0.0/16'] }));
  assert.match(await run('m1:nc -z 192.168.64.5 22'), /^1 /, 'not before the next boot');
  network.boot();
  assert.equal(await run('m1:nc -z 192.168.64.5 22'), '0');
  assert.match(await run('m1:nc -z 10.1.2.3 22'), /^1 /, 'that range alone');
});

test('F56: nothing beyond the interface is reached, and the Mac itself is', async () => {
  const { network, run } = stage();
  network.setUplink('broken');
  assert.match(await run('nc -z api.example.com 6443'), /^1 .*Network is unreachable/);
  assert.match(await run('route -n get default'), /^1 .*not in table/);
  assert.deepEqual([await run('nc -z 127.0.0.1 22'), await run('nc -z 192.168.64.5 22')], ['0', '0']);
  network.setUplink('up');
  assert.match(await run('route -n get default'), /interface: en0/);
});
