/**
 * docs/what-we-do-to-your-mac.md, from the list of steps and the heading of each script. Pure: the same scripts give the same
 * bytes. A heading is a comment at the script's beginning with the lines title, what, why, files and undo; what is
 * indented goes on.
 */
import { BUILDER_STEPS, RELEASE_STEPS, type Step } from '../../src/hosts/step.ts';

export const STEPS_PAGE = 'docs/what-we-do-to-your-mac.md';
export const STEPS_FOLDER = 'src/hosts/steps';

const KEYS = ['title', 'what', 'why', 'files', 'undo'] as const;
export type StepHeading = Readonly<Record<(typeof KEYS)[number], string>>;

const INTRODUCTION = `<!-- Generated from src/hosts/steps by "npm run generate". Do not edit: change the script's heading and generate again. -->

# What we do to your Mac

Everything that macfleet changes on a Mac, in the order in which it happens; steps that do not need each other run at the
same time. Each step is one script, which you can read: it looks whether its work is done, does it if not, and looks
again. A Mac on which all is done is only looked at. Every file is written under another name and moved into its place, so
that a cut connection leaves the old one.

Secrets reach a script on its standard input and stay in plain variables of the shell: never in an argument, the output or
the environment, and in no file but the one that they are for. The one exception is GitHub's registration program, which
takes its token from its environment.

Paths and names are those of the Go original, so that its hosts can be taken over; what it left behind is recognised.
`;

const CLOSING = `
## What we do not do yet

The Go original also did these, as options: a tailnet with a guard for SSH, metrics, logs and its name service; the
private network with its own address translation for virtual machines; a volume for caches. They are planned, and what it
left of them on a Mac stays as it is.
`;

/** Throws when a heading is not complete: the page would promise less than is done. */
export const parseHeading = (path: string, text: string): StepHeading => {
  const found = new Map<string, string>();
  let key = '';
  for (const line of text.split('\n')) {
    if (!line.startsWith('#')) break;
    const start = /^# (\w+): (.*)$/.exec(line);
    const isKey = KEYS.some((known) => known === start?.[1]);
    if (isKey) key = start?.[1] ?? '';
    const said = isKey ? start?.[2] : /^# {3}(\S.*)$/.exec(line)?.[1];
    if (key !== '' && said !== undefined) found.set(key, [found.get(key), said].filter(Boolean).join(' '));
  }
  const { title = '', what = '', why = '', files = '', undo = '' } = Object.fromEntries(found);
  const heading = { title, what, why, files, undo };
  const missing = KEYS.find((known) => heading[known] === '');
  if (missing !== undefined) throw new Error(`${path}: its heading has no line "# ${missing}: …"`);
  return heading;
};

/** By path, as `src/hosts/steps/<id>.sh`. */
export const renderStepsPage = (texts: ReadonlyMap<string, string>): string => {
  const steps = [...BUILDER_STEPS, ...RELEASE_STEPS];
  return `${INTRODUCTION}${steps.map((step) => renderStep(step, texts)).join('')}${CLOSING}`;
};

const renderStep = (step: Step, texts: ReadonlyMap<string, string>): string => {
  const path = `${STEPS_FOLDER}/${step.id}.sh`;
  const { title, what, why, files, undo } = parseHeading(path, texts.get(path) ?? '');
  return [
    `\n## ${asText(title)}\n`,
    `${asText(what)}\n`,
    `**Why:** ${asText(why)}\n`,
    `- files: ${listed(files.split(/, */))}`,
    ...values(step),
    `- to undo it: ${asText(undo)}`,
    `- script: [${step.id}.sh](../${path}), at most ${step.timeoutMs / 1_000} s\n`,
  ].join('\n');
};

const values = ({ inputs, secretInputs, artefacts }: Step): readonly string[] => {
  const given = [...Object.keys(inputs), ...secretInputs.map((name) => `${name} (secret)`)];
  return [
    ...(given.length === 0 ? [] : [`- is told: ${given.join(', ')}`]),
    ...(artefacts.length === 0 ? [] : [`- is sent: ${artefacts.join(', ')}`]),
  ];
};

const listed = (paths: readonly string[]): string =>
  paths.map((path) => (/^[/~]/.test(path) ? `\`${path}\`` : asText(path))).join(', ');

/** `<user>` is no tag. */
const asText = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('*', '\\*');
