/**
 * The chart as the release before this one would have it. None was ever published, so it is this one under an earlier version, with kinds that
 * say they are older: enough to see that an upgrade brings the kinds up to date, and that a rollback does not take them back.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHART } from './chart-scene.ts';

const VERSION = /^(version|appVersion): .*$/gm;
/** The first of a definition is that of the kind as a whole. */
const DESCRIPTION = /^( +openAPIV3Schema:\n +description: ).*$/m;

export const PREVIOUS_DESCRIPTION = 'As it was before.';

export const writePreviousChart = (dir: string): string => {
  const folder = join(dir, 'previous-chart');
  cpSync(CHART, folder, { recursive: true });
  const edit = (name: string, change: (text: string) => string): void => {
    const path = join(folder, name);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  };
  edit('Chart.yaml', (text) => text.replaceAll(VERSION, '$1: 0.0.9'));
  for (const name of readdirSync(join(folder, 'crds')))
    edit(join('crds', name), (text) => text.replace(DESCRIPTION, `$1${PREVIOUS_DESCRIPTION}`));
  return folder;
};
