/** charts/macfleet/README.md: how to install, and every value. */
import { REFUSED_VALUES } from './refused-values.ts';
import { listValues } from './values-files.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const INTRO = `# The chart

Generated from \`tools/generate/chart\` by \`npm run generate\`. Do not edit.

\`\`\`sh
helm install macfleet charts/macfleet -n macfleet-system --create-namespace -f values.yaml --wait
\`\`\`

It needs Kubernetes 1.30, Helm 4, and [Cluster API core](https://cluster-api.sigs.k8s.io) 1.11 or later (contract v1beta2; no other provider).
What it installs: our kinds, the manager and the runners controller with their roles and policies, a Cluster, and up to three fleets. *Install on a
cluster* in the README of the project is a walk through it.

- **Helm never deletes what holds Macs**: not by \`uninstall\`, not by \`rollback\`, not because a fleet or a pool is gone from the values. Deleting is a
  person's \`kubectl delete machinedeployment\`, while the manager runs. The kinds stay too.
- **Kinds are brought up to date** by a Job before each install and upgrade. A rollback leaves them as they are: every version reads what the
  others write.
- **Nothing is copied by hand**: the manager makes the SSH keys of fleets and \`<cluster>-kubeconfig\` itself. All it needs is a Scaleway key.
- **Wrong values are refused** before anything is created, with a sentence that says what to do.
`;

export const renderReadme = (): string => {
  const values = listValues().map(
    ({ path, value, description }) =>
      `| \`${path}\` | ${value === '' ? '' : `\`${cell(value)}\``} | ${cell(description)} |`,
  );
  const refused = REFUSED_VALUES.map(
    ({ path, when, instead }) => `| \`${when === 'any' ? path : `${path}.${when}`}\` | ${cell(instead)} |`,
  );
  return `${INTRO}
## Values

| value | unless said | |
|---|---|---|
${values.join('\n')}

## Values of the Go original's chart that are refused

\`macosFleet.kubeletVersion\` and \`macosFleet.controlPlane\` are taken and have no effect, as in the original.

| value | why, and what to do |
|---|---|
${refused.join('\n')}
`;
};
