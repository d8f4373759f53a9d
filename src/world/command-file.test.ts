import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LAUNCHER, renderCommandFile } from '../kubelet/guest/guest-command.ts';
import { isLauncher, readCommandFile } from '../sim/tart/step/command-file.ts';

describe('the command file of a guest of steps', () => {
  it('is read as the agent writes it', () => {
    const words = ['/bin/sh', '-c', "echo it's here", '', 'a b'];
    const env = new Map([
      ['NAME', "o'clock"],
      ['tls.crt', 'x'],
    ]);
    assert.deepEqual(
      readCommandFile(renderCommandFile({ name: 'vm', command: words, workingDir: '/tmp' }, env)),
      words,
    );
  });

  it('is started by the launcher that the agent sends, and by nothing else', () => {
    assert.equal(isLauncher(LAUNCHER), true);
    assert.equal(isLauncher('echo hello'), false);
  });
});
