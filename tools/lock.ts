/** `npm run lock`: resolves package.json into package-lock.json, and completes it for platforms this registry lacks. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeLock, findMissingOptional, parseLockfile } from './lock/complete-lock.ts';

const path = join(import.meta.dirname, '..', 'package-lock.json');
execFileSync('npm', ['install', '--package-lock-only', '--loglevel=error'], { stdio: 'inherit' });
const lock = parseLockfile(readFileSync(path, 'utf8'));
writeFileSync(path, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
process.stdout.write(`package-lock.json: ${findMissingOptional(lock).size} entries for other platforms added\n`);
