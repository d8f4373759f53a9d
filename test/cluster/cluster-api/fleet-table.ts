/** What `kubectl get machosts,samm -A -o wide` tells a person, row by row. */

export type Row = Readonly<Record<string, string>>;

export interface FleetTable {
  readonly hosts: readonly Row[];
  readonly machines: readonly Row[];
}

export const FLEET_TABLE = ['get', 'machosts,samm', '-A', '-o', 'wide'] as const;

/** Two tables, with an empty line between them; cells stand under the beginning of their headers. */
export const parseFleetTable = (text: string): FleetTable => {
  const [hosts = [], machines = []] = text.split(/\n\n/).map(parseTable);
  return { hosts, machines };
};

const parseTable = (text: string): readonly Row[] => {
  const [header = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const starts = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ index, 0: name }) => ({ index, name }));
  return lines.map((line) =>
    Object.fromEntries(starts.map(({ index, name }, at) => [name, line.slice(index, starts[at + 1]?.index).trim()])),
  );
};
