/** What an agent on a simulated Mac runs first, so that its Tart finds what the simulation wants it to find. */
import type { SimTartSettings } from '../tart-settings.ts';
import { SETTINGS_FILE } from './disk-home.ts';

/** Lines of a module, before anything else of it. */
export const renderTartSettings = (
  tart: Partial<SimTartSettings>,
): string => `import { mkdirSync, writeFileSync } from 'node:fs';
const home = process.env.TART_HOME ?? process.env.HOME + '/.tart';
mkdirSync(home, { recursive: true });
writeFileSync(home + '/${SETTINGS_FILE}', ${JSON.stringify(JSON.stringify(tart))});`;
