import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { WRAPPER } from './wrapper.ts';

const STEP = join(import.meta.dirname, '..', '..', 'src', 'hosts', 'steps', 'agent-bundle.sh');

it('the command that starts the agent is the one that the step agent-bundle writes on Macs', () => {
  const step = readFileSync(STEP, 'utf8');
  const [writes] = /^BUNDLE=.*?^}/ms.exec(step) ?? [];
  assert.equal(execFileSync('/bin/sh', ['-c', `${writes}\nwrapper`], { encoding: 'utf8' }), WRAPPER);
});
