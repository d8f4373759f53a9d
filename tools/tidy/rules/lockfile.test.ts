/** Samples of lockfiles. */
import { testRule } from '../testing/test-rule.ts';
import { lockfile } from './lockfile.ts';

const NPMRC = 'ignore-scripts=true\nsave-exact=true\nomit-lockfile-registry-resolved=true\n';
const locked = (entry: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => ({
  '.npmrc': NPMRC,
  'package-lock.json': JSON.stringify({ packages: { '': { name: 'x' }, 'node_modules/a': entry } }, undefined, 1),
});

testRule(lockfile, [
  { story: 'version and integrity', files: locked({ version: '1.0.0', integrity: 'sha512-x' }), finds: [] },
  {
    story: 'an address',
    files: locked({ integrity: 'sha512-x', resolved: 'https://any.example' }),
    finds: ['package-lock.json:6'],
  },
  {
    story: 'an install script',
    files: locked({ integrity: 'sha512-x', hasInstallScript: true }),
    finds: ['package-lock.json:6'],
  },
  {
    story: "a development tool's variant for a platform that the registry does not have",
    files: locked({ version: '1.0.0', dev: true, optional: true, os: ['aix'] }),
    finds: [],
  },
  {
    story: 'no integrity of an optional package that users install',
    files: locked({ version: '1.0.0', optional: true }),
    finds: ['package-lock.json:6'],
  },
  { story: 'no integrity', files: locked({ version: '1.0.0' }), finds: ['package-lock.json:6'] },
  { story: 'a link', files: locked({ link: true }), finds: ['package-lock.json:6'] },
  {
    story: 'a setting that was lost',
    files: { ...locked({ integrity: 'x' }), '.npmrc': NPMRC.replace('true', 'false') },
    finds: ['.npmrc:1'],
  },
]);
