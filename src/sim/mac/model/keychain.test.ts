/** When the login keychain is open, and what security says about it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeychain, LOGIN_KEYCHAIN, renderKeychain } from './keychain.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const stage = (madeWith?: string) => {
  const files = createMemoryFiles(madeWith === undefined ? {} : { [LOGIN_KEYCHAIN]: renderKeychain(madeWith) });
  const keychain = createKeychain(files);
  return { files, keychain, run: commandRunner(keychain.commands) };
};

test('the first login makes it, and every login opens it; the end of a session closes it', () => {
  const { files, keychain } = stage();
  keychain.logIn('right');
  assert.deepEqual([keychain.isOpen(), files.facts(LOGIN_KEYCHAIN)?.uid], [true, 501]);
  keychain.close();
  assert.equal(keychain.isOpen(), false);
  keychain.logIn('right');
  assert.equal(keychain.isOpen(), true);
});

test('F44: one of another password is opened by no login, and by that password alone', async () => {
  const { keychain, run } = stage('former');
  keychain.logIn('right');
  assert.equal(keychain.isOpen(), false);
  assert.match(await run('m1:security show-keychain-info login.keychain'), /^36 .*User interaction is not allowed/);
  assert.match(await run('m1:security unlock-keychain -p right login.keychain'), /^51 /);
  assert.equal(await run('m1:security unlock-keychain -p former login.keychain'), '0');
  assert.match(await run('m1:security show-keychain-info login.keychain'), /^0 .*no-timeout/);
  await run('m1:security lock-keychain login.keychain');
  assert.equal(keychain.isOpen(), false);
});

test('where nobody ever logged in there is none', async () => {
  assert.match(await stage().run('m1:security show-keychain-info'), /^50 .*could not be found/);
});
