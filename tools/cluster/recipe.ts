/** What the cluster bench is made of: which program comes from which Go module, how it is built, and the hash of it all. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const BINARY_NAMES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'cluster-api-core',
  'clusterctl',
  'helm',
  'scaleway-sdk',
  'gitleaks',
  'kubeconform',
  'e2e.test',
] as const;

export type BinaryName = (typeof BINARY_NAMES)[number];

/** What `cluster:build` makes unless asked for more. */
export const STANDARD_BINARIES: readonly BinaryName[] = BINARY_NAMES.filter((name) => name !== 'e2e.test');

export const CORE_MANIFEST = 'cluster-api-core.yaml';
export const PROVIDER_CRD = 'clusterctl-provider-crd.yaml';

/** Taken out of the module of Cluster API, so that nothing later needs Go's module cache. */
export const MANIFEST_NAMES = [CORE_MANIFEST, PROVIDER_CRD] as const;

export type ManifestName = (typeof MANIFEST_NAMES)[number];
export type OutputName = BinaryName | ManifestName;

/** A folder of tools/cluster/modules: a Go module that pins versions, and holds the program itself where it is ours. */
export type ModuleName = 'kubernetes' | 'etcd' | 'cluster-api' | 'helm' | 'scaleway-sdk' | 'gitleaks' | 'kubeconform';

export interface BinaryRecipe {
  readonly module: ModuleName;
  readonly package: string;
  readonly ldflags: string;
  /** `test`: the package's tests, compiled. */
  readonly verb: 'build' | 'test';
}

const STRIPPED = '-s -w';

/** Stripped, and told their versions: built from a module, these programs do not know them. */
const stamped = (variables: Readonly<Record<string, string>>): string =>
  [STRIPPED, ...Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)].join(' ');

const LDFLAGS = {
  kubernetes: stamped({
    'k8s.io/component-base/version.gitVersion': 'v1.36.4',
    'k8s.io/component-base/version.gitMajor': '1',
    'k8s.io/component-base/version.gitMinor': '36',
    'k8s.io/client-go/pkg/version.gitVersion': 'v1.36.4',
  }),
  clusterApi: stamped({
    'sigs.k8s.io/cluster-api/version.gitVersion': 'v1.14.1',
    'sigs.k8s.io/cluster-api/version.gitMajor': '1',
    'sigs.k8s.io/cluster-api/version.gitMinor': '14',
  }),
  helm: stamped({ 'helm.sh/helm/v4/internal/version.version': 'v4.2.4' }),
  gitleaks: stamped({ 'github.com/zricethezav/gitleaks/v8/version.Version': 'v8.30.1' }),
  kubeconform: stamped({ 'main.version': 'v0.8.0' }),
} as const;

const kubernetes = (path: string, verb: BinaryRecipe['verb'] = 'build'): BinaryRecipe => ({
  module: 'kubernetes',
  package: `k8s.io/kubernetes/${path}`,
  ldflags: LDFLAGS.kubernetes,
  verb,
});

const clusterApi = (path: string): BinaryRecipe => ({
  module: 'cluster-api',
  package: `sigs.k8s.io/cluster-api/${path}`,
  ldflags: LDFLAGS.clusterApi,
  verb: 'build',
});

export const BINARY_RECIPES: Readonly<Record<BinaryName, BinaryRecipe>> = {
  etcd: { module: 'etcd', package: 'go.etcd.io/etcd/server/v3', ldflags: STRIPPED, verb: 'build' },
  'kube-apiserver': kubernetes('cmd/kube-apiserver'),
  'kube-controller-manager': kubernetes('cmd/kube-controller-manager'),
  'kube-scheduler': kubernetes('cmd/kube-scheduler'),
  kubectl: kubernetes('cmd/kubectl'),
  'cluster-api-core': clusterApi('core'),
  clusterctl: clusterApi('cmd/clusterctl'),
  helm: { module: 'helm', package: 'helm.sh/helm/v4/cmd/helm', ldflags: LDFLAGS.helm, verb: 'build' },
  // Ours: a customer of the simulated cloud, on Scaleway's own SDK.
  'scaleway-sdk': {
    module: 'scaleway-sdk',
    package: 'macfleet.invalid/cluster/scaleway-sdk',
    ldflags: STRIPPED,
    verb: 'build',
  },
  gitleaks: {
    module: 'gitleaks',
    package: 'github.com/zricethezav/gitleaks/v8',
    ldflags: LDFLAGS.gitleaks,
    verb: 'build',
  },
  kubeconform: {
    module: 'kubeconform',
    package: 'github.com/yannh/kubeconform/cmd/kubeconform',
    ldflags: LDFLAGS.kubeconform,
    verb: 'build',
  },
  'e2e.test': kubernetes('test/e2e', 'test'),
};

/** The same programs whatever the caller's settings: without C, from exactly the pinned modules. */
export const GO_ENV = { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' } as const;

/** What stands between `go` and the package, but for the place of the result. */
export const goFlags = ({ verb, ldflags }: BinaryRecipe): readonly string[] => [
  // Vetting somebody else's tests takes longer than compiling them.
  ...(verb === 'test' ? ['test', '-c', '-vet=off'] : ['build', '-v']),
  '-trimpath',
  '-ldflags',
  ldflags,
];

/** Where in the module of Cluster API the manifests come from. */
export const MANIFEST_SOURCES = {
  module: 'cluster-api',
  goModule: 'sigs.k8s.io/cluster-api',
  kustomization: 'core/config/default',
  providerCrd: 'cmd/clusterctl/config/manifest/clusterctl-api.yaml',
} as const;

/** Changes whenever the same recipe would give other files; old caches are then left alone. */
const LAYOUT = 1;
const HASH_LENGTH = 16;

export const moduleDir = (module: ModuleName): string => join(import.meta.dirname, 'modules', module);

/** Of everything that decides what is built, except the version of Go. */
export const hashRecipe = (): string => {
  const hash = createHash('sha256');
  const recipes = Object.values(BINARY_RECIPES);
  const platform = [process.platform, process.arch];
  hash.update(JSON.stringify([LAYOUT, platform, BINARY_RECIPES, recipes.map(goFlags), GO_ENV, MANIFEST_SOURCES]));
  const modules = new Set(recipes.map((recipe) => recipe.module));
  for (const module of [...modules].sort()) {
    for (const file of readdirSync(moduleDir(module)).sort()) hash.update(readFileSync(join(moduleDir(module), file)));
  }
  return hash.digest('hex').slice(0, HASH_LENGTH);
};
