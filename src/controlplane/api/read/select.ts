/** Which objects of a kind a list or watch is about. */
import { type Entry, keyFor } from '../../store/store.ts';
import type { Call } from '../call.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors.ts';

/** Where nothing is selected by labels or fields, no object is parsed: its key says where it is. */
export const selectionOf = ({ namespace, name, query, kind }: Call): ((entry: Entry) => boolean) => {
  const [labels, fields] = [query.get('labelSelector') ?? '', query.get('fieldSelector') ?? ''];
  const hasLabels = parseLabelSelector(labels);
  const hasFields = parseFieldSelector(fields, kind.selectableFields);
  const isAddressed = addressTest(namespace, name);
  if (labels.trim() === '' && fields.trim() === '') return isAddressed;
  const named = labels.trim() === '' ? nameIn(fields) : undefined;
  if (named !== undefined) return (entry) => isAddressed(entry) && entry.key.endsWith(`/${named}`);
  return (entry) => isAddressed(entry) && hasLabels(entry.selectable) && hasFields(kind.readAs(entry.selectable));
};

/** The one name that is selected, if nothing else is: a thousand agents watch one Node each, and parse no other's. */
const nameIn = (fields: string): string | undefined => /^\s*metadata\.name\s*==?\s*([^\s,=!]+)\s*$/.exec(fields)?.[1];

const addressTest = (namespace: string | undefined, name: string | undefined): ((entry: Entry) => boolean) => {
  if (name !== undefined) return ({ key }) => key === keyFor(namespace, name);
  if (namespace === undefined) return () => true;
  const start = keyFor(namespace, '');
  return ({ key }) => key.startsWith(start);
};
