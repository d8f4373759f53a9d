/** Small files in the place of what a fleet's configuration brings: Tart, the runtime and the agent. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type MacProgram, renderMacProgram } from '../../../src/sim/mac/model/signatures.ts';

export const tartArchive = (version: string, signature: MacProgram['signature'] = 'signed'): Buffer => {
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-tart-'));
  try {
    mkdirSync(join(dir, 'tart.app/Contents/MacOS'), { recursive: true });
    const program = renderMacProgram({ kind: 'tart', version, signature });
    writeFileSync(join(dir, 'tart.app/Contents/MacOS/tart'), program, { mode: 0o755 });
    return execFileSync('tar', ['-C', dir, '-czf', '-', 'tart.app']);
  } finally {
    rmSync(dir, { recursive: true });
  }
};

export const packedRuntime = (version: string, signature: MacProgram['signature'] = 'signed'): Buffer =>
  gzipSync(renderMacProgram({ kind: 'node', version, signature }));

/** One that tells its version and dies of everything else, sooner than a Node could. */
export const dyingRuntime = (): Buffer =>
  gzipSync(renderMacProgram({ kind: 'tart', version: 'v26', signature: 'signed' }));

/** An agent that does nothing but stay. */
export const agentBundle = (version: string): string => `// ${version}\nsetInterval(() => {}, 60_000);\n`;
