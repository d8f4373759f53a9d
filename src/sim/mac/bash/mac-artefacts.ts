/**
 * What is pushed to a simulated Mac with real bash in place of programs that only run on a real one: the simulated Tart, a
 * Node that is this machine's, and the scripted node agent as the agent's bundle. Small, and otherwise as the real ones are:
 * an archive, a compressed signed program, one JavaScript file.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Artefact } from '../../../hosts/port.ts';
import { renderMacProgram } from '../model/signatures.ts';
import { PROJECT_ON_MAC } from './mac-root.ts';
import { renderTar } from './tar.ts';

export interface MacArtefactsOptions {
  /** Tells one state of the agent from another; `1` unless given. */
  readonly release?: string;
  /** Instead of the scripted node agent. */
  readonly agent?: string;
}

export const createMacArtefacts = ({
  release = '1',
  agent,
}: MacArtefactsOptions = {}): Readonly<Record<'tart' | 'node' | 'agent', Artefact>> => {
  const tart = renderMacProgram({ kind: 'tart', version: '2.32.1', signature: 'signed' });
  const node = renderMacProgram({ kind: 'node', version: process.version, signature: 'signed' });
  const bundle = agent ?? `import '${PROJECT_ON_MAC}/bin/node-agent.ts';\n`;
  return {
    tart: artefactOf('tart', renderTar([{ path: 'tart.app/Contents/MacOS/tart', content: tart, mode: 0o755 }])),
    node: artefactOf('node', gzipSync(node)),
    agent: artefactOf('agent', Buffer.from(`// release ${release}\n${bundle}`)),
  };
};

const artefactOf = (name: string, content: Uint8Array): Artefact => ({
  name,
  sha256: createHash('sha256').update(content).digest('hex'),
  sizeBytes: content.length,
  async *open() {
    yield content;
  },
});
