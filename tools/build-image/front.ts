/** What the image starts: `manager …` and `runners …` are programs of their own, every other word is the command line's. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  manager: () => import('../../bin/manager.ts'),
  runners: () => import('../../bin/runners.ts'),
};

const { argv } = process;
const program = PROGRAMS[argv[2] ?? ''];
if (program === undefined) await import('../../bin/macfleet.ts');
else {
  // They read their arguments from there.
  argv.splice(2, 1);
  await program();
}
