/** gitleaks with our rules over a folder. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findBinaries } from '../../../tools/cluster/binaries.ts';
import { GITLEAKS_RULES } from '../../../tools/secrets/gitleaks-rules.ts';
import { runCommand } from './run-command.ts';

export interface Leaks {
  /** `<rule> <file>:<line>`, from the folder. */
  readonly found: readonly string[];
  /** What was looked at: a search of nothing finds nothing. */
  readonly bytes: number;
}

interface Finding {
  readonly RuleID: string;
  readonly File: string;
  readonly StartLine: number;
}

const RULES = join(import.meta.dirname, '..', '..', '..', GITLEAKS_RULES);
const SEARCH_MS = 120_000;

export const findLeaks = async (folder: string): Promise<Leaks> => {
  const { path } = await findBinaries(process.env, { need: ['gitleaks'] });
  const out = mkdtempSync(join(tmpdir(), 'macfleet-leaks-'));
  const report = join(out, 'report.json');
  try {
    const options = ['--config', RULES, '--report-path', report, '--no-banner', '--no-color', '--redact'];
    const args = ['dir', folder, ...options, '--exit-code', '0'];
    const { code, stderr } = await runCommand({ path: path('gitleaks'), args, env: {}, timeoutMs: SEARCH_MS });
    const [, bytes] = /scanned ~(\d+) bytes/.exec(stderr) ?? [];
    if (code !== 0 || bytes === undefined) throw new Error(`gitleaks ended with ${code}: ${stderr}`);
    const findings: readonly Finding[] = JSON.parse(readFileSync(report, 'utf8'));
    const found = findings.map(({ RuleID, File, StartLine }) => `${RuleID} ${relative(folder, File)}:${StartLine}`);
    return { found: found.toSorted(), bytes: Number(bytes) };
  } finally {
    rmSync(out, { recursive: true });
  }
};
