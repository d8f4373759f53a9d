/** What simulated Macs with real bash share: the read-only part of their disks, and the door to their models. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Door, openDoor } from './door.ts';
import { buildMacRoot, type MacRoot } from './mac-root.ts';
import { assertSandboxPossible } from './sandbox.ts';
import { chooseMaker, type SandboxMaker } from './sandbox-makers.ts';

export interface MacRack {
  /** Holds a directory per Mac. */
  readonly dir: string;
  readonly root: MacRoot;
  readonly door: Door;
  readonly maker: SandboxMaker;
  /** The Macs must be scrapped before. */
  close(): Promise<void>;
}

export interface MacRackOptions {
  /** Where a directory for all of it is made. */
  readonly parentDir: string;
  /** The Node that pushed bundles run on. */
  readonly node: string;
  /** The better one of those that are here unless given. */
  readonly maker?: SandboxMaker;
}

/** Rejects with `unavailable` and code `NoSandbox` where scripts cannot be shut in. */
export const openMacRack = async ({ parentDir, node, maker }: MacRackOptions): Promise<MacRack> => {
  assertSandboxPossible();
  mkdirSync(parentDir, { recursive: true });
  const dir = mkdtempSync(join(parentDir, 'macfleet-macs-'));
  const root = buildMacRoot(join(dir, 'root'), node);
  const door = await openDoor();
  return {
    ...{ dir, root, door, maker: maker ?? chooseMaker() ?? 'unshare' },
    close: async () => {
      await door.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
