import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { renderEnvFile, renderEnvJson } from './env-file.ts';
import { hasCommand, renderCommandFile } from './guest-command.ts';

const env = (values: object): ReadonlyMap<string, string> => new Map(Object.entries(values));

describe('the environment that a guest reads', () => {
  it('§9.2-4 is lines of KEY=value, in order, with line breaks written out', () =>
    assert.equal(renderEnvFile(env({ B: 'x\ny\r', A: '1 "2"' })), 'A=1 "2"\nB=x\\ny\\r\n'));
  it('K16: is there as JSON too, byte for byte', () =>
    assert.deepEqual(JSON.parse(renderEnvJson(env({ A: 'back\\nslash\nbreak' }))), { A: 'back\\nslash\nbreak' }));
});

describe('the command of a Pod', () => {
  const run = (file: string): string => execFileSync('/bin/sh', ['-c', file], { encoding: 'utf8' });
  const nasty = `it's "a" $HOME \`x\` \\n\nsecond line`;

  it('becomes a script that passes every word and every variable as it is', () => {
    const container = { name: 'c', command: ['printf', '%s|%s|%s'], args: [nasty, '', 'z'] };
    assert.equal(run(renderCommandFile(container, env({}))), `${nasty}||z`);
    const tell = { name: 'c', command: ['/bin/sh', '-c', 'printf %s "$NASTY"'] };
    assert.equal(run(renderCommandFile(tell, env({ NASTY: nasty }))), nasty);
  });
  it('has $(NAME) replaced by variables of the container, as Kubernetes does it, and what a shell means by it left alone', () => {
    const words = [
      '--pod=$(POD)',
      '$(POD)$(tls.crt)',
      '$$(POD)',
      '$(NO)',
      '$((n + 1))',
      '$(date $(POD))',
      '$POD $',
      '$$$(POD)',
    ];
    const file = renderCommandFile(
      { name: 'c', command: ['$(TOOL)', '%s|'], args: words },
      env({ TOOL: 'printf', POD: 'p', 'tls.crt': '!' }),
    );
    assert.equal(run(file), '--pod=p|p!|$(POD)|$(NO)|$((n + 1))|$(date $(POD))|$POD $|$p|');
  });
  for (const shell of [['/bin/sh'], ['bash', '--posix', '--norc']] as const) {
    it(`gets every variable, whatever it is called, under ${shell.join(' ')}`, () => {
      const values = {
        'tls.crt': nasty,
        'a-b': '1',
        '-x': '0',
        '1ST': '2',
        UID: '3',
        OPTIND: 'x',
        PLAIN: '4',
        "it's": '5',
        PATH: '/bin:/usr/bin',
      };
      const file = renderCommandFile({ name: 'c', command: ['env', '-0'] }, env(values));
      const [program, ...options] = shell;
      const said = execFileSync(program, [...options, '-c', file], {
        encoding: 'utf8',
        env: {},
        stdio: ['ignore', 'pipe', 'pipe'],
      }).split('\0');
      for (const [name, value] of Object.entries(values)) assert.ok(said.includes(`${name}=${value}`), name);
    });
  }
  it('begins where the container says', () =>
    assert.equal(run(renderCommandFile({ name: 'c', command: ['pwd'], workingDir: '/' }, env({}))), '/\n'));
  it('is none when the Pod names neither command nor arguments', () => {
    assert.equal(hasCommand({ name: 'c' }), false);
    assert.equal(hasCommand({ name: 'c', args: ['x'] }), true);
  });
});
