import assert from 'node:assert/strict';
import { it } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { limitUploads, UPLOADS_AT_ONCE } from './limit-uploads.ts';
import type { Artefact, HostSession } from './port.ts';

it('sends no more files at once than allowed, over all Macs, and the others after them', async () => {
  const endings: (() => void)[] = [];
  const session: HostSession = {
    hostKey: 'SHA256:key',
    run: () => Promise.reject(new Error('nothing is run here')),
    upload: () => new Promise((resolve) => void endings.push(resolve)),
    close: () => Promise.resolve(),
  };
  const hosts = limitUploads({ open: async () => session });
  const artefact: Artefact = { name: 'node', sizeBytes: 1, sha256: '', async *open() {} };
  const sendToOne = async (): Promise<void> => {
    const target = { address: '', user: '', privateKey: new Secret(''), pinnedHostKey: undefined };
    const opened = await hosts.open(target, neverAborted());
    await opened.upload([artefact], neverAborted());
  };
  const sending = Array.from({ length: UPLOADS_AT_ONCE + 3 }, sendToOne);
  await new Promise(setImmediate);
  assert.equal(endings.length, UPLOADS_AT_ONCE);
  endings[0]?.();
  await new Promise(setImmediate);
  assert.equal(endings.length, UPLOADS_AT_ONCE + 1);
  for (let at = 1; at < UPLOADS_AT_ONCE + 3; at += 1) {
    endings[at]?.();
    await new Promise(setImmediate);
  }
  await Promise.all(sending);
});
