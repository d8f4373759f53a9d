/** Plain manifests: what `clusterctl init` and kustomize read. The objects are those that `macfleet install` prints. */
import packageJson from '../../package.json' with { type: 'json' };
import { type ComponentOptions, renderComponents } from '../../src/install/components.ts';
import { PROVIDER_LABELS } from '../../src/kinds/infrastructure.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import { toYaml } from './yaml.ts';

export const COMPONENT_FOLDERS = ['deploy/clusterctl', 'deploy/kustomize'] as const;

const HEADER =
  '# Generated from src/install by "npm run generate". Do not edit: change what it is made from and generate again.\n';

const PLACES = { namespace: 'macfleet-system', scalewaySecret: 'macfleet-scaleway' } as const;

/** clusterctl puts a value of its environment in its place. */
const variable = (name: string): string => `\${${name}}`;

const VARIABLES: ComponentOptions = {
  ...PLACES,
  image: variable('MACFLEET_IMAGE'),
  apiServerUrl: variable('MACFLEET_API_SERVER_URL'),
  zones: variable('SCW_DEFAULT_ZONE:=fr-par-1'),
};

const PLAIN: ComponentOptions = {
  ...PLACES,
  image: `macfleet:${packageJson.version}`,
  apiServerUrl: '',
  zones: 'fr-par-1',
};

/** It goes along when the provider is moved to another management cluster. */
const CREDENTIALS: KubeObject & { readonly stringData: object } = {
  ...{ apiVersion: 'v1', kind: 'Secret' },
  metadata: {
    name: PLACES.scalewaySecret,
    namespace: PLACES.namespace,
    labels: { 'clusterctl.cluster.x-k8s.io/move': '' },
  },
  stringData: {
    'access-key': variable('SCW_ACCESS_KEY'),
    'secret-key': variable('SCW_SECRET_KEY'),
    'project-id': variable('SCW_DEFAULT_PROJECT_ID'),
  },
};

/** clusterctl finds what it installed by these. */
const withProviderLabels = <Object extends KubeObject>(object: Object): Object => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...PROVIDER_LABELS } },
});

const renderAll = (objects: readonly object[]): string => HEADER + objects.map(toYaml).join('---\n');

const [major, minor] = packageJson.version.split('.').map(Number);

const METADATA = {
  apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3',
  kind: 'Metadata',
  releaseSeries: [{ major, minor, contract: 'v1beta2' }],
};

const KUSTOMIZATION = {
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  resources: ['components.yaml'],
};

export const renderComponentFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['deploy/clusterctl/metadata.yaml', renderAll([METADATA])],
    [
      'deploy/clusterctl/infrastructure-components.yaml',
      renderAll([...renderComponents(VARIABLES), CREDENTIALS].map(withProviderLabels)),
    ],
    ['deploy/kustomize/kustomization.yaml', renderAll([KUSTOMIZATION])],
    ['deploy/kustomize/components.yaml', renderAll(renderComponents(PLAIN))],
  ]);
