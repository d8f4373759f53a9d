/** `npm run record`: runs `./macfleet up` in a pseudo-terminal and puts its live table, as a person saw it, into docs/up.svg. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLastFrame, renderSvg } from './record/recording.ts';
import { openTerminal } from './record/terminal.ts';

const ROOT = join(import.meta.dirname, '..');
const FILE = 'docs/up.svg';
const COMMAND = './macfleet up --until jobs-done';
const COLUMNS = 110;

const terminal = openTerminal({ columns: COLUMNS, folder: ROOT, command: COMMAND });
const [code] = await terminal.ended;
const frame = findLastFrame(terminal.text());
if (code === 0 && frame !== undefined) {
  writeFileSync(join(ROOT, FILE), renderSvg(COMMAND, frame));
  process.stdout.write(`wrote ${FILE}\n`);
} else {
  process.stderr.write(
    `${terminal.text()}\nNothing recorded: ${COMMAND} ended with ${code}; what it wrote is above.\n`,
  );
  process.exitCode = 1;
}
