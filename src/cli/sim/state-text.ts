/** A simulated cloud as YAML that a person can read and change. Pure. */
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { FleetError, messageOf } from '../../base/errors.ts';
import { SAVED_CLOUD, type SavedCloud } from '../../sim/cloud/saved-cloud.ts';
import { describeIssues } from '../../sim/http/describe-issues.ts';

const VERSION = 1;
const STATE = z.strictObject({ version: z.literal(VERSION), ...SAVED_CLOUD.shape });
const HEADER =
  '# A simulated Scaleway project, kept by `macfleet sim cloud --state`. Nothing in it is real or secret.\n';

export const renderState = (cloud: SavedCloud): string => `${HEADER}${stringify({ version: VERSION, ...cloud })}`;

/** What cannot be read is refused with its place, and never taken for an empty project. */
export const parseState = (text: string, path: string): SavedCloud => {
  const result = STATE.safeParse(parseYaml(text, path));
  if (!result.success) throw unreadable(path, describeIssues(result.error));
  const { version: _, ...cloud } = result.data;
  const ids = cloud.servers.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw unreadable(path, `two servers have the id ${twice}`);
  return cloud;
};

const parseYaml = (text: string, path: string): unknown => {
  try {
    return parse(text);
  } catch (error) {
    throw unreadable(path, messageOf(error).split('\n')[0] ?? '');
  }
};

const unreadable = (path: string, why: string): FleetError =>
  new FleetError('invalid', {
    code: 'StateUnreadable',
    message: `${path} is no state of a simulated cloud: ${why}`,
    hint: 'Correct it, or name another file with --state; this one was left as it is.',
  });
