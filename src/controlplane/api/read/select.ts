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
  return (entry) => isAddressed(entry) && hasLabels(entry.selectable) && hasFields(kind.readAs(entry.selectable));
};

const addressTest = (namespace: string | undefined, name: string | undefined): ((entry: Entry) => boolean) => {
  if (name !== undefined) return ({ key }) => key === keyFor(namespace, name);
  if (namespace === undefined) return () => true;
  const start = keyFor(namespace, '');
  return ({ key }) => key.startsWith(start);
};
