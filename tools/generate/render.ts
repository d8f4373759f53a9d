/** Everything under deploy/ and charts/ that follows from src, as text. Pure: the same kinds and roles give the same bytes. */
import { ALL_KINDS } from '../../src/kinds/all-kinds.ts';
import { ALL_POLICIES } from '../../src/kinds/policies/all-policies.ts';
import { toAdmissionObjects } from '../../src/kinds/policies/policy.ts';
import { toCustomResourceDefinition } from '../../src/kinds/schema/crd.ts';
import { PROVIDER_ROLES } from '../../src/provider/roles.ts';
import { renderEvictionBudget } from '../../src/runners/eviction-budget.ts';
import { RUNNER_ROLES } from '../../src/runners/roles.ts';
import { CHART_FOLDERS, renderChartFiles } from './chart/render-chart.ts';
import { COMPONENT_FOLDERS, renderComponentFiles } from './components.ts';
import { toYaml } from './yaml.ts';

/** Folders in which every file is ours: one that is not rendered any more is left over. */
export const GENERATED_FOLDERS = [
  ...['deploy/crds', 'deploy/policies', 'deploy/rbac', 'deploy/runners'],
  ...CHART_FOLDERS,
  ...COMPONENT_FOLDERS,
] as const;

const KINDS_HEADER =
  '# Generated from src/kinds by "npm run generate". Do not edit: change the kind and generate again.\n';
/** Goes along: without it nothing in it can be applied. */
const RUNNERS_NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tuist-runners' } };
const BUDGET_HEADER =
  '# Generated from src/runners by "npm run generate". Do not edit: change the budget and generate again.\n';
const rolesHeader = (folder: string): string =>
  `# Generated from ${folder} by "npm run generate". Do not edit: change the role and generate again.\n`;

/** Path from the root of the repository → content. */
export const renderDeployFiles = (): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const kind of ALL_KINDS) {
    const { plural, group } = kind.resource;
    files.set(`deploy/crds/${plural}.${group}.yaml`, renderFile([toCustomResourceDefinition(kind)]));
  }
  for (const policy of ALL_POLICIES) {
    files.set(`deploy/policies/${policy.name}.yaml`, renderFile(toAdmissionObjects(policy)));
  }
  for (const role of Object.values(PROVIDER_ROLES)) {
    files.set(`deploy/rbac/${role.metadata.name}.yaml`, renderFile([role], rolesHeader('src/provider')));
  }
  for (const role of Object.values(RUNNER_ROLES)) {
    files.set(`deploy/rbac/${role.metadata.name}.yaml`, renderFile([role], rolesHeader('src/runners')));
  }
  const budget = [RUNNERS_NAMESPACE, renderEvictionBudget(RUNNERS_NAMESPACE.metadata.name)];
  files.set('deploy/runners/eviction-budget.yaml', renderFile(budget, BUDGET_HEADER));
  return new Map([...files, ...renderComponentFiles(), ...renderChartFiles()]);
};

const renderFile = (objects: readonly object[], header = KINDS_HEADER): string =>
  header + objects.map((object) => toYaml(object)).join('---\n');
