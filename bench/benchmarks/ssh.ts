/** Our SSH adapter against a real sshd on the loopback: an upload with its checksum and move, a command, a login. */
import type { Benchmark, Sample } from '../benchmark.ts';
import { median } from '../judge.ts';

const UPLOADS = 3;
const COMMANDS = 60;
const LOGINS = 10;
const UPLOAD_BYTES = 110 * 2 ** 20;
const PIECE_BYTES = 256 * 1024;

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** The median of so many goes, in milliseconds. */
const timed = async (goes: number, work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let left = goes; left > 0; left -= 1) {
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
  }
  return median(times);
};

const ours = async (): Promise<Sample> => {
  const { createHash, randomBytes } = await import('node:crypto');
  const { neverAborted } = await import('../../src/base/abort.ts');
  const { createSystemClock } = await import('../../src/base/clock.ts');
  const { DEFAULT_SSH_TIMES, openSshConnection } = await import('../../src/hosts/ssh/ssh-connection.ts');
  const { startSshd } = await import('../../tools/hosts/sshd.ts');

  const sshd = await startSshd();
  const options = { clock: createSystemClock(), ...DEFAULT_SSH_TIMES };
  const signal = neverAborted();
  const connection = await openSshConnection(sshd.target, options, signal);
  try {
    const bytes = randomBytes(UPLOAD_BYTES);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { name: 'file', sha256, sizeBytes: bytes.length, open: () => piecesOf(bytes) };
    const upload = { folder: sshd.dir, files: [file], timeoutMs: 60_000 };
    const uploadMs = await timed(UPLOADS, () => connection.upload(upload, signal));
    const command = { argv: ['/bin/echo'], timeoutMs: 10_000, doing: 'measuring' };
    const commandMs = await timed(COMMANDS, () => connection.run(command, signal));
    const loginMs = await timed(LOGINS, async () => {
      const other = await openSshConnection(sshd.target, options, signal);
      await other.close();
    });
    const rate = UPLOAD_BYTES / 2 ** 20 / (uploadMs / 1_000);
    return { 'upload of 110 MiB, MiB/s': rate, 'command, ms': commandMs, 'login and logout, ms': loginMs };
  } finally {
    await connection.close();
    await sshd.stop();
  }
};

export const ssh: Benchmark = {
  id: 'ssh',
  about: 'SSH to a real sshd on the loopback: uploads with checksum and move, commands, logins',
  figures: [
    { name: 'upload of 110 MiB, MiB/s', goal: { of: 'ours', is: '>=', value: 60 } },
    { name: 'command, ms' },
    { name: 'login and logout, ms' },
  ],
  ours,
};
