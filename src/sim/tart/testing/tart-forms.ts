/** The simulated `tart` in its two forms, as something that takes words and gives an end: for tests of what it says. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createKernel } from '../../kernel/kernel.ts';
import { installSimTart } from '../program/install.ts';
import { createStepMac } from '../step/step-mac.ts';
import type { SimTartSettings } from '../tart-settings.ts';

export interface TartEnd {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TartForm {
  tart(...words: readonly string[]): Promise<TartEnd>;
  configure(settings: Partial<SimTartSettings>): void;
}

export const testOnBothForms = (story: string, body: (form: TartForm) => Promise<void>): void => {
  test(`${story} (program)`, (t) => onProgram(t, body));
  test(`${story} (steps)`, (t) => onSteps(t, body));
};

const onProgram = async (t: TestContext, body: (form: TartForm) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'tart-form-'));
  const { binary, configure } = installSimTart(folder, process.execPath);
  const running = new Set<number>();
  t.after(() => {
    for (const pid of running) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const tart: TartForm['tart'] = (...words) =>
    new Promise((resolve) => {
      const child = spawn(binary, words, { stdio: ['ignore', 'pipe', 'pipe'] });
      const text = { stdout: '', stderr: '' };
      const { pid = 0 } = child;
      running.add(pid);
      child.stdout.on('data', (chunk) => {
        text.stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        text.stderr += chunk;
      });
      child.on('close', (code) => {
        running.delete(pid);
        resolve({ code: code ?? undefined, ...text });
      });
    });
  await body({ tart, configure });
};

const onSteps = async (t: TestContext, body: (form: TartForm) => Promise<void>): Promise<void> => {
  const kernel = createKernel({ seed: t.name });
  let isOver = false;
  const { clock, random } = kernel.actor('mac');
  const { commands, configure, tartBinary } = createStepMac({ clock, random });
  const { signal } = new AbortController();
  const tart: TartForm['tart'] = async (...words) => {
    const end = await commands.run({ argv: [tartBinary, ...words], timeoutMs: 3_600_000, signal });
    return { code: 'code' in end ? end.code : undefined, stdout: end.stdout, stderr: end.stderr };
  };
  kernel.boot('test', async (actor) => {
    actor.task('body', async () => {
      await body({ tart, configure });
      isOver = true;
    });
  });
  await kernel.run({ maxEvents: 100_000, maxVirtualMs: 3_600_000, until: () => isOver });
  assert.ok(isOver, 'an hour was not enough for it to end');
};
