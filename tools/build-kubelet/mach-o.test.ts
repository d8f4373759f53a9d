import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readSignature } from './mach-o.ts';
import { packRuntime } from './runtime.ts';

const PAGE_BITS = 12;
const PAGE_BYTES = 2 ** PAGE_BITS;
const DIRECTORY_HEAD_BYTES = 52;
const DEVELOPER = 'Developer ID Application: Somebody (ABCDE12345)';

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** As Apple's documentation of code signing lays it out. */
const renderDirectory = (code: Buffer): Buffer => {
  const names = Buffer.from('agent\0ABCDE12345\0');
  const pages = Array.from({ length: Math.ceil(code.length / PAGE_BYTES) }, (_, page) =>
    sha256(code.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)),
  );
  const head = Buffer.alloc(DIRECTORY_HEAD_BYTES);
  const hashOffset = DIRECTORY_HEAD_BYTES + names.length;
  const fields: readonly (readonly [number, number])[] = [
    ...([
      [0, 0xfade0c02],
      [4, hashOffset + pages.length * 32],
      [16, hashOffset],
      [20, DIRECTORY_HEAD_BYTES],
    ] as const),
    ...([
      [28, pages.length],
      [32, code.length],
      [48, DIRECTORY_HEAD_BYTES + 6],
    ] as const),
  ];
  for (const [at, value] of fields) head.writeUInt32BE(value, at);
  head.set([32, 2, 0, PAGE_BITS], 36);
  return Buffer.concat([head, names, ...pages]);
};

interface Faults {
  /** What the signature is for; this very program unless given. */
  readonly signedFor?: Buffer;
}

const renderProgram = ({ signedFor }: Faults = {}): Buffer => {
  const code = Buffer.alloc(3 * PAGE_BYTES + 100, 7);
  code.writeUInt32LE(0xfeedfacf, 0);
  code.writeUInt32LE(0x0100000c, 4);
  code.writeUInt32LE(2, 16);
  for (const [at, value] of [
    [32, 0x19],
    [36, 16],
    [48, 0x1d],
    [52, 16],
    [56, code.length],
    [60, 10_000],
  ] as const)
    code.writeUInt32LE(value, at);
  const directory = renderDirectory(code);
  const proof = Buffer.concat([Buffer.from(DEVELOPER), sha256(signedFor ?? directory)]);
  const cms = Buffer.concat([word(0xfade0b01), word(8 + proof.length), proof]);
  const start = 12 + 2 * 8;
  const index = [word(0), word(start), word(0x10000), word(start + directory.length)];
  const blob = [word(0xfade0cc0), word(start + directory.length + cms.length), word(2), ...index, directory, cms];
  return Buffer.concat([code, ...blob]);
};

describe('the signature of a program for Macs', () => {
  it('tells who signed it, and that every page is as it was then', () => {
    const { identifier, team, pages, developers } = readSignature(renderProgram());
    assert.deepEqual(
      { identifier, team, pages, developers },
      {
        ...{ identifier: 'agent', team: 'ABCDE12345', pages: 4, developers: [DEVELOPER] },
      },
    );
  });

  const changed = (at: number): Buffer => {
    const program = renderProgram();
    program[at] = (program[at] ?? 0) ^ 1;
    return program;
  };
  const REFUSED = [
    { story: 'one bit of the first page', program: changed(200), says: /page 0 of it is not as it was signed/ },
    {
      story: 'one bit of the last page',
      program: changed(3 * PAGE_BYTES + 99),
      says: /page 3 of it is not as it was signed/,
    },
    {
      story: 'a signature of another program',
      program: renderProgram({ signedFor: Buffer.from('x') }),
      says: /is for another program/,
    },
    { story: 'no signature', program: renderProgram().fill(0, 48, 52), says: /it is not signed/ },
    { story: 'a program for other processors', program: changed(4), says: /no program for Apple silicon/ },
    { story: 'a text', program: Buffer.from('#!/bin/sh\n'), says: /no program for Apple silicon/ },
  ];
  for (const { story, program, says } of REFUSED) {
    it(`refuses ${story}`, () => assert.throws(() => readSignature(program), says));
  }
});

describe('the runtime as it is sent', () => {
  it('is packed without a word about when and where', () => {
    const packed = packRuntime(Buffer.from('program'));
    assert.deepEqual([...packed.subarray(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3]);
    assert.equal(gunzipSync(packed).toString(), 'program');
  });
});
