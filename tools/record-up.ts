/**
 * `npm run record`: runs `./macfleet up` in a pseudo-terminal and puts its live table, as a person saw it, into docs/up.svg. With
 * --check, as CI does it, the picture is left alone: it fails when what was recorded differs in anything but chance and time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findLastFrame, readSvg, renderSvg } from './record/recording.ts';
import { compareShapes, shapeOf } from './record/shape.ts';
import { openTerminal } from './record/terminal.ts';

const FILE = join(import.meta.dirname, '..', 'docs', 'up.svg');
const COMMAND = './macfleet up --until jobs-done';
const COLUMNS = 110;

/** The picture, or what the terminal showed instead. */
const record = async (): Promise<{ readonly svg: string } | { readonly failed: string }> => {
  const terminal = openTerminal({ columns: COLUMNS, folder: join(import.meta.dirname, '..'), command: COMMAND });
  const [code] = await terminal.ended;
  const frame = findLastFrame(terminal.text());
  if (code === 0 && frame !== undefined) return { svg: renderSvg(COMMAND, frame) };
  return { failed: `${terminal.text()}\nNothing recorded: ${COMMAND} ended with ${code}; what it wrote is above.\n` };
};

const check = (svg: string): void => {
  process.stdout.write(`${readSvg(svg)}\n\n`);
  const differences = compareShapes(shapeOf(readSvg(readFileSync(FILE, 'utf8'))), shapeOf(readSvg(svg)));
  for (const { is, line } of differences) process.stderr.write(`${is}: ${line}\n`);
  if (differences.length === 0) process.stdout.write('docs/up.svg shows what up shows now, but for chance and time\n');
  else {
    process.stderr.write('docs/up.svg is not what up shows now: run `npm run record` and commit it\n');
    process.exitCode = 1;
  }
};

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const recorded = await record();
if ('failed' in recorded) {
  process.stderr.write(recorded.failed);
  process.exitCode = 1;
} else if (values.check) check(recorded.svg);
else {
  writeFileSync(FILE, recorded.svg);
  process.stdout.write('wrote docs/up.svg\n');
}
