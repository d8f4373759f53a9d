import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { createOsImages } from './os-images.ts';

const start = () => {
  const now = { ms: 0 };
  const asked: string[] = [];
  const trouble: { next: FleetError | undefined } = { next: undefined };
  const images = createOsImages({
    clock: { elapsed: () => now.ms },
    cloud: {
      listOsImages: async (zone, serverType) => {
        asked.push(`${zone} ${serverType}`);
        const { next } = trouble;
        trouble.next = undefined;
        if (next !== undefined) throw next;
        return [];
      },
    },
  });
  const of = (serverType: string) => images.of('fr-par-1', serverType, neverAborted());
  return { now, asked, trouble, images, of };
};

describe('what can be installed', () => {
  it('is asked for once, however many Macs of a type end at once', async () => {
    const { asked, of } = start();
    await Promise.all([of('M2-L'), of('M2-L'), of('M1-M'), of('M2-L')]);
    assert.deepEqual(asked, ['fr-par-1 M2-L', 'fr-par-1 M1-M']);
  });

  it('is asked for again after five minutes', async () => {
    const { now, asked, of } = start();
    await of('M2-L');
    now.ms = 299_999;
    await of('M2-L');
    assert.equal(asked.length, 1);
    now.ms = 300_000;
    await of('M2-L');
    assert.equal(asked.length, 2);
  });

  it('is asked for again at once when the answer was an error', async () => {
    const { asked, trouble, of } = start();
    trouble.next = new FleetError('unavailable', { code: 'Away', message: 'no answer' });
    await assert.rejects(of('M2-L'), { code: 'Away' });
    await of('M2-L');
    assert.equal(asked.length, 2);
  });

  it('keeps nobody who has given up', async () => {
    const { images } = start();
    await assert.rejects(images.of('fr-par-1', 'M2-L', AbortSignal.abort()));
  });
});
