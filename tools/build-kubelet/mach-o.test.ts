import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { toFleetError } from '../../src/base/errors.ts';
import { readSignature } from './mach-o.ts';
import { packRuntime } from './runtime.ts';
import { DEVELOPER, PAGE_BYTES, renderProgram, TEAM, TEST_ROOT } from './testing/signed-program.ts';

const CODE_BYTES = 3 * PAGE_BYTES + 100;

describe('the signature of a program for Macs', () => {
  it('tells who signed it, and that every page is as it was then', () => {
    const { identifier, team, pages, developer } = readSignature(renderProgram(), TEST_ROOT);
    assert.deepEqual(
      { identifier, team, pages, developer },
      { identifier: 'agent', team: TEAM, pages: 4, developer: DEVELOPER },
    );
  });

  const changed = (at: number): Buffer => {
    const program = renderProgram();
    program[at] = (program[at] ?? 0) ^ 1;
    return program;
  };
  const put = (at: number, value: number) => (bytes: Buffer) => {
    bytes.writeUInt32BE(value, at);
    return bytes;
  };
  const NOT_ALL = /its signature is not for all of it/;
  const NOT_APPLES = /no certificate of Apple’s for developers/;
  const REFUSED = [
    { story: 'one bit of the first page', program: changed(200), says: /page 0 of it is not as it was signed/ },
    {
      story: 'one bit of the last page',
      program: changed(CODE_BYTES - 1),
      says: /page 3 of it is not as it was signed/,
    },
    {
      story: 'one bit of what it may do',
      program: ((bytes: Buffer) => {
        bytes[bytes.indexOf('may jit.')] = 0x4d;
        return bytes;
      })(renderProgram()),
      says: /part 5 of its signature is not as it was signed/,
    },
    { story: 'a signature of no pages', program: renderProgram({ directory: put(28, 0) }), says: NOT_ALL },
    { story: 'a signature of some pages', program: renderProgram({ directory: put(28, 3) }), says: NOT_ALL },
    {
      story: 'a signature of less than all bytes',
      program: renderProgram({ directory: put(32, CODE_BYTES - 1) }),
      says: NOT_ALL,
    },
    {
      story: 'more pages than there are hashes',
      program: renderProgram({
        directory: (directory) => put(4, directory.length - 32)(directory).subarray(0, -32),
      }),
      says: /its signature has too few hashes/,
    },
    {
      story: 'something after the signature',
      program: Buffer.concat([renderProgram(), Buffer.from('more')]),
      says: /something follows its signature/,
    },
    {
      story: 'a signature of another program',
      program: renderProgram({ signedFor: Buffer.from('x') }),
      says: /is for another program/,
    },
    {
      story: 'a signature by another key than that of the certificate',
      program: renderProgram({ is: 'signed-by-another-key' }),
      says: /not of the key that it names/,
    },
    { story: 'an authority of nobody', program: renderProgram({ is: 'issued-by-a-stranger' }), says: NOT_APPLES },
    {
      story: 'an authority for other things',
      program: renderProgram({ is: 'authority-without-mark' }),
      says: NOT_APPLES,
    },
    { story: 'a certificate for servers', program: renderProgram({ is: 'not-for-code' }), says: /is not for programs/ },
    {
      story: 'a certificate without Apple’s mark',
      program: renderProgram({ is: 'without-marks' }),
      says: /is not for programs/,
    },
    {
      story: 'the certificate of another team than the program names',
      program: renderProgram({ team: 'ZZZZZ99999' }),
      says: /another team than the one that signed it, ZZZZZ99999/,
    },
    {
      story: 'a time before the certificate',
      program: renderProgram({ signedAt: '241231235959Z' }),
      says: /was not valid/,
    },
    { story: 'a time that is none', program: renderProgram({ signedAt: 'yesterday' }), says: /was not valid/ },
    { story: 'no signature', program: renderProgram().fill(0, 48, 52), says: /it is not signed/ },
    { story: 'half a program', program: renderProgram().subarray(0, 8_000), says: /or is missing/ },
    { story: 'a program for other processors', program: changed(4), says: /no program for Apple silicon/ },
    { story: 'a text', program: Buffer.from('#!/bin/sh\n'), says: /no program for Apple silicon/ },
  ];
  for (const { story, program, says } of REFUSED) {
    it(`refuses ${story}`, () => assert.throws(() => readSignature(program, TEST_ROOT), says));
  }

  it('refuses whom only somebody else than Apple vouches for', () =>
    assert.throws(() => readSignature(renderProgram()), NOT_APPLES));

  it('is told as it was made or not at all, whichever bit of it turned over', () => {
    const program = renderProgram();
    const whole = readSignature(program, TEST_ROOT);
    let refused = 0;
    for (let at = CODE_BYTES; at < program.length; at += 31) {
      const spoilt = Buffer.from(program);
      spoilt[at] = (spoilt[at] ?? 0) ^ 0x10;
      try {
        assert.deepEqual(readSignature(spoilt, TEST_ROOT), whole, `byte ${at}`);
      } catch (thrown) {
        assert.equal(toFleetError(thrown).code, 'BadMacProgram', `byte ${at}: ${thrown}`);
        refused += 1;
      }
    }
    // The rest says in other words what is known from elsewhere.
    assert.ok(refused > 0.9 * Math.ceil((program.length - CODE_BYTES) / 31), `${refused}`);
  });
});

describe('the runtime as it is sent', () => {
  it('is packed without a word about when and where', () => {
    const packed = packRuntime(Buffer.from('program'));
    assert.deepEqual([...packed.subarray(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3]);
    assert.equal(gunzipSync(packed).toString(), 'program');
  });
});
