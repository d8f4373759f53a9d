/** The servers of a Scaleway project as its own command line lists them: `scw apple-silicon server list -o json`. */
import { FleetError, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';

export interface ListedServer {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** An array, or an object with `servers`, as the API answers. */
export const parseServers = (text: string, file: string): readonly ListedServer[] => {
  const value = parseJson(text, file);
  const items = isRecord(value) ? value['servers'] : value;
  if (!Array.isArray(items)) throw badFile(file, 'it is no list of servers');
  return items.map((item: unknown) => {
    const { id, name, type } = isRecord(item) ? item : {};
    if (typeof id !== 'string' || typeof name !== 'string') throw badFile(file, 'a server lacks its id or its name');
    return { id, name, type: typeof type === 'string' ? type : '' };
  });
};

const parseJson = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw badFile(file, messageOf(thrown));
  }
};

const badFile = (file: string, why: string): FleetError =>
  new FleetError('invalid', {
    code: 'BadServerFile',
    message: `${file} does not list servers: ${why}`,
    hint: 'Write it with: scw apple-silicon server list -o json',
  });
