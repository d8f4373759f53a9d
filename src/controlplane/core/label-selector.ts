/** Label selectors inside objects (`spec.selector`). Pure. */

export type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** An empty selector matches everything. */
export const matchesLabels = (selector: LabelSelector, labels: Labels = {}): boolean =>
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector.matchExpressions ?? []).every((requirement) => isMet(requirement, labels[requirement.key]));

/**
 * One requirement on one label. `Gt` and `Lt` are for Nodes only. An operator that is not known matches nothing: what
 * waits is seen, what went to the wrong place is not.
 */
export const isMet = ({ operator, values = [] }: LabelRequirement, label: string | undefined): boolean => {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    case 'Gt':
      return isInteger(label) && isInteger(values[0]) && Number(label) > Number(values[0]);
    case 'Lt':
      return isInteger(label) && isInteger(values[0]) && Number(label) < Number(values[0]);
    default:
      return false;
  }
};

const isInteger = (text: string | undefined): boolean => text !== undefined && /^-?\d+$/.test(text);
