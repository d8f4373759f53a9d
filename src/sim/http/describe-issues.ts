/** Why data does not fit its schema, in one line for a person. */
import type { z } from 'zod';

const SHOWN_MAX = 3;

export const describeIssues = ({ issues }: z.ZodError): string => {
  const shown = issues.slice(0, SHOWN_MAX).map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  const more = issues.length > SHOWN_MAX ? [`and ${issues.length - SHOWN_MAX} more`] : [];
  return [...shown, ...more].join('; ');
};
