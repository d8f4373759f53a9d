/**
 * Nothing in the repository names the machine it was written on, or the package registry that machine uses: a clone works
 * anywhere, with any registry. The patterns are put together from pieces, so that this file does not find itself.
 */
import { type Finding, lineAt, type Rule, type SourceFile } from '../tree.ts';

interface Trace {
  readonly pattern: RegExp;
  readonly what: string;
  readonly instead: string;
}

const OUTSIDE_WORD = '(?<![\\w./-])';

/** Names that stand for anybody. */
const MADE_UP = '(user|example|ada)\\b';

const TRACES: readonly Trace[] = [
  {
    pattern: new RegExp(
      `(${['registry', '\\.(npmjs|yarnpkg|npmmirror|npm)\\b'].join('')}|${['npm', '\\.pkg\\.'].join('')}|${['(jfrog|artifact', 'ory|nexus|verdac', 'cio)[\\w.-]*[/:]'].join('')})`,
      'gi',
    ),
    what: 'a package registry',
    instead: 'leave it to the configuration of npm on each machine',
  },
  {
    pattern: new RegExp(['https?://[^\\s"\']+/', '-/[^\\s"\']+\\.tg', 'z'].join(''), 'gi'),
    what: "a registry's download address",
    instead: 'keep only version and integrity (omit-lockfile-registry-resolved)',
  },
  {
    pattern: new RegExp(`${OUTSIDE_WORD}${['/ho', 'me/'].join('')}(?!${MADE_UP})[a-z_][\\w.-]*`, 'g'),
    what: "a person's home folder",
    instead: 'write a path relative to the repository, or one of /home/user in an example',
  },
  {
    pattern: new RegExp(
      `${OUTSIDE_WORD}/(${['ro', 'ot|wo', 'rk|work', 'space|works', 'paces'].join('')})/[\\w.]+`,
      'g',
    ),
    what: "a folder of somebody's machine",
    instead: 'write a path relative to the repository',
  },
  {
    pattern: new RegExp(
      `${OUTSIDE_WORD}(${['/Us', 'ers/'].join('')}[\\w.-]+|[A-Z]:\\\\+${['Us', 'ers'].join('')}\\\\)`,
      'g',
    ),
    what: "a person's home folder",
    instead: 'write a path relative to the repository; facts about the rented Macs belong in src/macos and src/hosts',
  },
];

/** Folders that speak about the file system of the Macs themselves, where such paths are facts. */
const ABOUT_MACS = [
  'src/macos/',
  'src/hosts/',
  'src/kubelet/',
  'src/sim/mac/',
  'src/sim/tart/',
  'docs/macs/',
  'test/hosts/',
];

const check = ({ path, text }: SourceFile): readonly Finding[] =>
  TRACES.flatMap(({ pattern, what, instead }) =>
    [...text.matchAll(pattern)].map((match) => ({
      path,
      line: lineAt(text, match.index),
      message: `names ${what} (${match[0].trim()}); ${instead}`,
    })),
  );

export const machineTraces: Rule = {
  name: 'machine-traces',
  check: ({ files }) =>
    files.filter(({ path }) => !ABOUT_MACS.some((folder) => path.startsWith(folder))).flatMap(check),
};
