/** The process around an entry point, as a person at a terminal has it: the first Ctrl-C asks it to stop, the second ends it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';

const DOOR = join(import.meta.dirname, '..', 'bin', 'process-io.ts');

/** It says when it is asked to stop, and never does. */
const STUBBORN = `
import { openProcess } from ${JSON.stringify(DOOR)};
const { io } = openProcess({ unread: 'stop' });
io.signal.addEventListener('abort', () => io.stdout('stopping\\n'));
setInterval(() => undefined, 60_000);
io.stdout('up\\n');
`;

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  it(`a program that does not end after the first ${name} is ended by the second`, { timeout: 30_000 }, async (t) => {
    const args = ['--input-type=module', '--eval', STUBBORN];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      child.kill(name);
    }
    assert.deepEqual(
      [said, await ended],
      [
        ['up', 'stopping'],
        [null, name],
      ],
    );
  });
}
