/** Which objects of a kind a list or watch is about. */
import type { Entry } from '../../store/store.ts';
import type { Call } from '../call.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors.ts';

export const selectionOf = ({ namespace, name, query, kind }: Call): ((entry: Entry) => boolean) => {
  const hasLabels = parseLabelSelector(query.get('labelSelector') ?? '');
  const hasFields = parseFieldSelector(query.get('fieldSelector') ?? '', kind.selectableFields);
  return ({ object }) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    hasLabels(object) &&
    hasFields(object);
};
