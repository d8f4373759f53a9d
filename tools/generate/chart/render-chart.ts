/** All files of charts/macfleet that follow from src, by path. */
import packageJson from '../../../package.json' with { type: 'json' };
import { renderDefinitions } from '../../../src/install/definitions.ts';
import { toYaml } from '../yaml.ts';
import { renderDashboard } from './dashboard.ts';
import { renderReadme } from './readme.ts';
import { renderRefusals } from './refused-template.ts';
import { renderValues, renderValuesSchema } from './values-files.ts';
import { renderWorkloadTemplates } from './workload-templates.ts';

const CHART = 'charts/macfleet';

/** Every file in these is generated. */
export const CHART_FOLDERS = [`${CHART}/crds`, `${CHART}/templates/generated`] as const;

/** And these beside others that are not. */
export const CHART_FILES: readonly string[] = [
  'Chart.yaml',
  'README.md',
  'values.yaml',
  'values.schema.json',
  'files/dashboard.json',
].map((name) => `${CHART}/${name}`);

const HEADER =
  '# Generated from src by "npm run generate". Do not edit: change what it is made from and generate again.\n';
const TEMPLATE_HEADER = `{{- /* ${HEADER.slice(2, -1)} */ -}}\n`;

/** The version of the chart is that of what it installs. */
const renderChartYaml = (): string => {
  const { version, description } = packageJson;
  const chart = {
    ...{ apiVersion: 'v2', name: 'macfleet', type: 'application', version, appVersion: version, description },
    kubeVersion: '>=1.30.0-0',
    keywords: ['macos', 'cluster-api', 'scaleway', 'tart', 'ci'],
  };
  return HEADER + toYaml(chart);
};

export const renderChartFiles = (): ReadonlyMap<string, string> => {
  const files = new Map<string, string>([
    [`${CHART}/Chart.yaml`, renderChartYaml()],
    [`${CHART}/README.md`, renderReadme()],
    [`${CHART}/files/dashboard.json`, renderDashboard()],
    [`${CHART}/values.yaml`, renderValues()],
    [`${CHART}/values.schema.json`, renderValuesSchema()],
    [`${CHART}/templates/generated/_refusals.tpl`, TEMPLATE_HEADER + renderRefusals()],
  ]);
  for (const definition of renderDefinitions()) {
    files.set(`${CHART}/crds/${definition.metadata.name}.yaml`, HEADER + toYaml(definition));
  }
  for (const [name, text] of renderWorkloadTemplates()) {
    files.set(`${CHART}/templates/generated/${name}`, TEMPLATE_HEADER + text);
  }
  return files;
};
