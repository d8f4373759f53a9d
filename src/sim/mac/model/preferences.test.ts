/** Property lists and the commands that read and write them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PlistValue, parsePlist, renderPlist } from './plist.ts';
import { createPreferences } from './preferences.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 <&>.]{0,8}$/);
const plist = fc.letrec<{ value: PlistValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'grapheme-ascii' }),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

test('what is rendered is read back as it was', () => {
  fc.assert(fc.property(plist, (value) => assert.deepEqual(parsePlist(renderPlist(value)), value)));
});

const broken = ['', 'text', '<plist>', '<plist><dict></plist>', '<plist><dict><string>a</string></dict></plist>'];
for (const text of broken) {
  test(`no property list: ${text || 'nothing'}`, () => {
    assert.throws(() => parsePlist(text), { code: 'BadPlist' });
  });
}

const stage = () => {
  const files = createMemoryFiles();
  return { files, run: commandRunner(createPreferences(files)) };
};

test('defaults writes what it then reads, in a file that plutil understands', async () => {
  const { run } = stage();
  const domain = '/Library/Preferences/com.apple.loginwindow';
  assert.match(await run(`defaults read ${domain} autoLoginUser`), /^1 \nThe domain\/default pair .* does not exist/);
  assert.equal(await run(`defaults write ${domain} autoLoginUser m1`), '0');
  assert.equal(await run(`defaults write ${domain} tries -int 3`), '0');
  assert.equal(await run(`defaults write ${domain} bootpd -dict DHCPLeaseTimeSecs -int 600`), '0');
  assert.equal(await run(`defaults read ${domain} autoLoginUser`), '0 m1');
  assert.equal(await run(`defaults read ${domain} bootpd`), '0 {\n    DHCPLeaseTimeSecs = 600;\n}');
  assert.equal(await run(`plutil -extract tries raw ${domain}.plist`), '0 3');
  assert.equal(await run(`plutil -lint ${domain}.plist`), `0 ${domain}.plist: OK`);
  assert.equal(
    await run(`PlistBuddy -c Print:tries ${domain}.plist`),
    '1 the simulated PlistBuddy prints keys of a file only',
  );
  assert.equal(await run(`defaults delete ${domain} tries`), '0');
  assert.match(await run(`defaults read ${domain} tries`), /^1/);
  assert.match(await run(`m1: defaults write ${domain} tries -int 4`), /^1 Could not write domain/);
});

test('plutil refuses what is no property list, from a file or typed', async () => {
  const { run, files } = stage();
  files.write('/bad.plist', '<plist><dict>');
  assert.match(await run('plutil -lint -s /bad.plist'), /^1 \/bad\.plist: no property list/);
  assert.match(await run('plutil -lint -', 'nonsense'), /^1 <stdin>: no property list/);
  assert.match(await run('plutil -lint /none.plist'), /^1 .*does not exist/);
});
