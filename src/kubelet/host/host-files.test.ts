/** What the port for files promises, of the real files and of those of a simulated Mac. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createMemoryFiles } from '../../sim/tart/step/memory-files.ts';
import type { HostFiles } from './host-files.ts';
import { createSystemFiles, measureSystemDisk } from './system-files.ts';

const real = (): { readonly files: HostFiles; readonly folder: string; end(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'host-files-'));
  return { files: createSystemFiles(), folder, end: () => rmSync(folder, { recursive: true, force: true }) };
};

const simulated = (): ReturnType<typeof real> => {
  const clock = createManualClock();
  return {
    files: createMemoryFiles({ now: clock.now, tell: (listener) => queueMicrotask(listener) }),
    folder: '/folder',
    end: () => undefined,
  };
};

for (const [form, open] of Object.entries({ real, simulated })) {
  describe(`${form} files`, () => {
    const withFiles = (story: string, body: (files: HostFiles, folder: string) => Promise<void>): void => {
      test(story, async (t) => {
        const { files, folder, end } = open();
        t.after(end);
        await files.makeDirectory(folder);
        await body(files, folder);
      });
    };

    withFiles('what is written is read, whole, from its end and in parts', async (files, folder) => {
      const path = `${folder}/a`;
      await files.writeText(path, 'one\n');
      await files.writeText(path, 'two\n');
      await files.appendText(path, 'three\n');
      assert.equal(await files.readText(path), 'two\nthree\n');
      assert.deepEqual(await files.readTail(path, { bytesMax: 6 }), { text: 'three\n', isCut: true });
      assert.deepEqual(await files.readTail(path, { bytesMax: 100 }), { text: 'two\nthree\n', isCut: false });
      assert.equal(Buffer.from((await files.readBytes({ path, offset: 4, length: 5 })) ?? []).toString(), 'three');
      assert.equal((await files.readBytes({ path, offset: 99, length: 5 }))?.length, 0);
    });

    withFiles('what has to survive a death alone is written whole too', async (files, folder) => {
      await files.writeText(`${folder}/a`, 'longer than what follows', { survives: 'death' });
      await files.writeText(`${folder}/a`, 'two\n', { survives: 'death' });
      assert.equal(await files.readText(`${folder}/a`), 'two\n');
      assert.deepEqual(await files.list(folder), ['a']);
      await assert.rejects(files.writeText(`${folder}/none/a`, '', { survives: 'death' }));
    });

    withFiles('of writers at the same time one wins, and nothing else is left', async (files, folder) => {
      const texts = ['one', 'two', 'three'];
      await Promise.all(texts.map((text) => files.writeText(`${folder}/a`, text)));
      assert.ok(texts.includes((await files.readText(`${folder}/a`)) ?? ''));
      assert.deepEqual(await files.list(folder), ['a']);
    });

    withFiles('what is not there reads as undefined and may be removed', async (files, folder) => {
      const path = `${folder}/none/at/all`;
      assert.equal(await files.readText(path), undefined);
      assert.equal(await files.readTail(path, { bytesMax: 1 }), undefined);
      assert.equal(await files.readBytes({ path, offset: 0, length: 1 }), undefined);
      assert.equal(await files.look(path), undefined);
      assert.deepEqual(await files.list(path), []);
      await files.remove(path);
    });

    withFiles('folders are listed, looked at and removed with all in them', async (files, folder) => {
      await files.makeDirectory(`${folder}/b/c`);
      await files.writeText(`${folder}/b/d`, 'text');
      await files.writeText(`${folder}/a`, '');
      assert.deepEqual(await files.list(folder), ['a', 'b']);
      assert.deepEqual(await files.list(`${folder}/b`), ['c', 'd']);
      assert.equal((await files.look(`${folder}/b`))?.kind, 'directory');
      assert.equal((await files.look(`${folder}/b/d`))?.sizeBytes, 4);
      await files.remove(`${folder}/b`);
      assert.deepEqual(await files.list(folder), ['a']);
      await files.rename(`${folder}/a`, `${folder}/z`);
      assert.deepEqual(await files.list(folder), ['z']);
    });

    withFiles('what is in a file can be moved out of it', async (files, folder) => {
      await files.writeText(`${folder}/a`, 'text');
      await files.writeText(`${folder}/old`, 'older and longer');
      await files.moveContent(`${folder}/a`, `${folder}/old`);
      assert.deepEqual([await files.readText(`${folder}/a`), await files.readText(`${folder}/old`)], ['', 'text']);
      await assert.rejects(files.moveContent(`${folder}/none`, `${folder}/old`));
    });

    withFiles('writing into a folder that is not there fails', async (files, folder) => {
      await assert.rejects(files.writeText(`${folder}/none/a`, ''));
      assert.throws(() => files.watch(`${folder}/none`, () => undefined));
    });

    withFiles('a watcher is told of a change until it stops', async (files, folder) => {
      const told = Promise.withResolvers<void>();
      const stop = files.watch(folder, told.resolve);
      await files.writeText(`${folder}/a`, '');
      await told.promise;
      stop();
    });
  });
}

describe('real files alone', () => {
  test('a link, a pipe and a folder have no tail, and nobody waits for the pipe', async (t) => {
    const { files, folder, end } = real();
    t.after(end);
    await files.writeText(join(folder, 'secret'), 'secret');
    symlinkSync(join(folder, 'secret'), join(folder, 'link'));
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
    mkdirSync(join(folder, 'folder'));
    for (const name of ['link', 'pipe', 'folder']) {
      assert.equal(await files.readTail(join(folder, name), { bytesMax: 10 }), undefined, name);
    }
    assert.equal((await files.look(join(folder, 'link')))?.kind, 'other');
  });

  test('modes are as asked, whatever was there', async (t) => {
    const { files, folder, end } = real();
    t.after(end);
    const modeOf = (name: string): number => statSync(join(folder, name)).mode & 0o777;
    mkdirSync(join(folder, 'shared'));
    await files.makeDirectory(join(folder, 'shared'), { mode: 0o777 });
    await files.writeText(join(folder, 'env'), '', { mode: 0o600 });
    await files.writeText(join(folder, 'brief'), '', { mode: 0o666, survives: 'death' });
    assert.deepEqual([modeOf('shared'), modeOf('env'), modeOf('brief')], [0o777, 0o600, 0o666]);
  });

  test('the disk has a size', async () => {
    const { totalBytes, freeBytes } = await measureSystemDisk('/');
    assert.ok(totalBytes > 0 && freeBytes <= totalBytes);
  });
});
