/** The process around an entry point, as a person at a terminal has it: the first Ctrl-C asks it to stop, the second ends it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';

const DOOR = join(import.meta.dirname, '..', 'bin', 'process-io.ts');

/** It says when it is asked to stop, and never does. */
const STUBBORN = `
import { openProcess } from ${JSON.stringify(DOOR)};
const { io } = openProcess({ unread: 'stop' });
io.signal.addEventListener('abort', () => io.stdout('stopping\\n'));
setInterval(() => undefined, 60_000);
io.stdout('up\\n');
`;

/** As one that is busy loading modules meanwhile: it hears of both only afterwards. */
const deafTo = (name: NodeJS.Signals): string => `${STUBBORN}
process.kill(process.pid, '${name}');
process.kill(process.pid, '${name}');
`;

const start = (t: TestContext, program: string) => {
  const args = ['--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  return { child, ended: once(child, 'exit'), lines: createInterface({ input: child.stdout }) };
};

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  it(`a program that does not end after the first ${name} is ended by the second`, { timeout: 30_000 }, async (t) => {
    const { child, ended, lines } = start(t, STUBBORN);
    const said: string[] = [];
    for await (const line of lines) {
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

  it(`two ${name} that a program hears of at once end it too`, { timeout: 30_000 }, async (t) => {
    const { ended, lines } = start(t, deafTo(name));
    for await (const line of lines) assert.match(line, /^(up|stopping)$/);
    assert.deepEqual(await ended, [null, name]);
  });
}
