/** The alert rules once more, where the chart can read them: Helm sees no file outside of it. */

export const ALERTS_SOURCE = 'deploy/alerts/macfleet.rules';
export const ALERTS_COPY = 'charts/macfleet/files/macfleet.rules';

export const renderAlertsCopy = (files: ReadonlyMap<string, string>): string => {
  const rules = files.get(ALERTS_SOURCE) ?? '';
  return `# Copied from ${ALERTS_SOURCE} by "npm run generate". Do not edit.\n${rules.slice(rules.indexOf('groups:'))}`;
};
