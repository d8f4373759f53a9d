/**
 * Refuses any Node but the pinned major version, in one line. Plain JavaScript without types, so that an old Node, which
 * cannot read TypeScript at all, still gets this far; loaded first by bin/ and, through `node --import`, by npm's scripts.
 */
const WANTED_MAJOR = 26;

const [major] = process.versions.node.split('.');
if (Number(major) !== WANTED_MAJOR) {
  process.stderr.write(
    `macfleet: needs Node ${WANTED_MAJOR}, this is ${process.versions.node}: ` +
      'use ./macfleet or npm run …, which take the pinned Node from node_modules (npm ci installs it)\n',
  );
  process.exit(69);
}
