/**
 * Time, randomness and I/O are injected, so that the whole system runs in one process on a virtual clock from a seed.
 * Product code touches the real ones only in the adapters listed here, each with what it may touch and why. Tests may use
 * real files, sockets and processes, but never wait for a real clock.
 */
import { findImports } from '../syntax/imports.ts';
import { findPhrase } from '../syntax/phrases.ts';
import { type Finding, isProduct, isTestCode, type Rule, type SourceFile, type Tree } from '../tree.ts';

const EFFECTS = [
  'clock',
  'timers',
  'turns',
  'randomness',
  'network',
  'files',
  'processes',
  'process',
  'console',
  'collection',
  'locale',
  'async-crypto',
] as const;

type Effect = (typeof EFFECTS)[number];

interface Raw {
  /** Tokens in a row. */
  readonly phrases: readonly string[];
  readonly modules: readonly string[];
  readonly instead: string;
}

const under = (owner: string, names: string): readonly string[] => names.split(' ').map((name) => `${owner} . ${name}`);

const RAW: Readonly<Record<Effect, Raw>> = {
  clock: {
    phrases: [
      'Date . now',
      'Date ( )',
      'performance . now',
      'performance . timeOrigin',
      'process . hrtime',
      'process . uptime',
    ],
    modules: ['node:perf_hooks'],
    instead: 'ask the injected Clock (src/base/clock.ts)',
  },
  timers: {
    phrases: ['setTimeout', 'setInterval', 'AbortSignal . timeout'],
    modules: [],
    instead: 'use clock.schedule or sleep (src/base/clock.ts), withDeadline (src/base/abort.ts)',
  },
  turns: {
    phrases: ['setImmediate'],
    modules: ['node:timers', 'node:timers/promises'],
    instead: 'await what you wait for; only the simulation counts turns of the event loop',
  },
  randomness: {
    phrases: [
      'Math . random',
      'getRandomValues',
      ...['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync'],
    ],
    modules: [],
    instead: 'draw from the injected Random (src/base/random.ts) or Ids (src/base/ids.ts)',
  },
  network: {
    phrases: ['fetch', 'new WebSocket', 'new EventSource', 'new XMLHttpRequest'],
    modules: [
      ...[
        'node:net',
        'node:http',
        'node:https',
        'node:http2',
        'node:tls',
        'node:dns',
        'node:dns/promises',
        'node:dgram',
      ],
      ...['undici', 'ws', 'ssh2'],
    ],
    instead: 'call through a port, such as Transport (src/kube/client/transport.ts)',
  },
  files: {
    phrases: [],
    modules: ['node:fs', 'node:fs/promises', 'node:sqlite'],
    instead: 'take what was read as an argument, or call through a port',
  },
  processes: {
    phrases: [],
    modules: ['node:child_process', 'node:worker_threads', 'node:cluster'],
    instead: 'call through a port',
  },
  process: {
    phrases: under(
      'process',
      'env exit exitCode argv argv0 execPath stdin stdout stderr cwd chdir on once off kill pid ppid platform arch version versions memoryUsage umask getBuiltinModule',
    ),
    modules: ['node:process', 'node:os', 'node:readline', 'node:readline/promises', 'node:tty'],
    instead: 'let the entry point in bin/ read it once and hand it in',
  },
  console: {
    phrases: ['console .'],
    modules: ['node:console'],
    instead: 'use the injected Logger, or the io of a command',
  },
  collection: {
    phrases: ['WeakRef', 'FinalizationRegistry'],
    modules: [],
    instead: 'end lifetimes explicitly; when garbage is collected differs from run to run',
  },
  locale: {
    phrases: ['Intl .'],
    modules: [],
    instead: 'write the format out; it must not depend on the machine',
  },
  'async-crypto': {
    phrases: ['crypto . subtle', 'webcrypto'],
    modules: [],
    instead: 'use the synchronous functions of node:crypto; real asynchrony breaks a simulated run',
  },
};

/** Members that depend on the machine's language, whatever they are called on. */
const LOCALE_MEMBERS = [
  'localeCompare',
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleTimeString',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
];

interface Adapter {
  readonly may: readonly Effect[];
  readonly because: string;
}

/** A path, or a folder that ends in a slash. An entry for what no longer happens is reported too. */
const ADAPTERS: Readonly<Record<string, Adapter>> = {
  'bin/': { may: ['process'], because: 'entry points hand the process to what they compose' },
  'src/base/clock.ts': { may: ['clock', 'timers'], because: 'the real Clock' },
  'src/base/random.ts': { may: ['randomness'], because: 'the real Random' },
  'src/cli/prepare-fleet-host/read-file.ts': {
    may: ['files'],
    because: 'a person names files with a key and passwords',
  },
  'src/cli/run-on-terminal.ts': { may: ['processes'], because: "another program runs on the person's terminal" },
  'src/cli/sim/ask-control.ts': { may: ['network'], because: 'a simulation is controlled over HTTP' },
  'src/cli/sim/state-file.ts': { may: ['files'], because: 'a simulated cloud is kept in a YAML file' },
  'src/cli/simulate/run-tool.ts': {
    may: ['files', 'process'],
    because: 'the tool runs on this very Node, where there is a clone',
  },
  'src/cli/ssh/system-ssh.ts': { may: ['files', 'process'], because: "the system's ssh has a key in a file" },
  'src/cli/up/chaos/breakable-way.ts': { may: ['network'], because: 'connections that chaos breaks are real ones' },
  'src/cli/up/chaos/chaos-provider.ts': { may: ['files'], because: 'managers read their kubeconfig from a file' },
  'src/cli/up/chaos/manager-children.ts': {
    may: ['processes', 'process'],
    because: 'what is to die by kill -9 is a process of its own',
  },
  'src/cli/up/read-examples.ts': { may: ['files'], because: 'up applies the manifests of examples/' },
  'src/cli/up/data-folder.ts': {
    may: ['files', 'process'],
    because: 'a fleet on this machine keeps its state in a folder',
  },
  'src/controlplane/audit/audit-file.ts': { may: ['files'], because: 'a person names a file for the audit log' },
  'src/controlplane/fair-transport.ts': {
    may: ['turns'],
    because: 'requests within one process must let sockets and signals in',
  },
  'src/controlplane/https-server.ts': { may: ['network'], because: 'the API is served over HTTPS' },
  'src/controlplane/https/': { may: ['network'], because: 'its parts that know HTTP/2 and TLS' },
  'src/controlplane/store/sqlite-log.ts': {
    may: ['files', 'turns'],
    because: 'objects survive in a SQLite file, those of one turn of the event loop together',
  },
  'src/controlplane/system-heap.ts': { may: ['process'], because: 'memory is given back when nobody asks' },
  'src/dispatch/adapter/http-transport.ts': { may: ['network'], because: 'the dispatcher over real sockets' },
  'src/github/http-send.ts': { may: ['network'], because: "GitHub's API over real sockets" },
  'src/hosts/program/artefact-files.ts': {
    may: ['files'],
    because: 'what Macs get is read from files, not held in memory',
  },
  'src/hosts/program/step-files.ts': { may: ['files'], because: 'the scripts for a Mac are files of this project' },
  'src/hosts/ssh/ssh2-link.ts': { may: ['network'], because: 'sessions on a Mac run over SSH' },
  'src/kube/client/login/host-io.ts': {
    may: ['files', 'processes', 'process'],
    because: 'credentials come from files and from programs that a kubeconfig names',
  },
  'src/kube/client/undici-transport.ts': {
    may: ['network', 'turns'],
    because: 'the real Transport; undici frees a connection one turn after the body has ended',
  },
  'src/kube/deep-imports.d.ts': { may: ['network'], because: 'types alone: what undici-transport.ts imports' },
  'src/kube/manager/health-server.ts': {
    may: ['process'],
    because: 'probes and metrics are asked over HTTP',
  },
  'src/kube/node/identity-file.ts': {
    may: ['files'],
    because: 'the agent on a Mac keeps its key and certificate there',
  },
  'src/kubelet/guest/forward/metrics-server.ts': {
    may: ['network'],
    because: 'metrics of VMs are passed on over real sockets',
  },
  'src/kubelet/guest/forward/guarded-server.ts': {
    may: ['network'],
    because: 'forwarders and relays listen on real sockets',
  },
  'src/kubelet/guest/forward/port-forwards.ts': {
    may: ['network'],
    because: 'ports of VMs are passed on over real sockets',
  },
  'src/kubelet/guest/vnc/relay-server.ts': {
    may: ['network'],
    because: 'screens of VMs are relayed over real sockets',
  },
  'src/kubelet/pods/probes/network-dial.ts': { may: ['network'], because: 'probes ask VMs over real sockets' },
  'src/kubelet/api/https-server.ts': { may: ['network'], because: 'tart-kubelet serves logs and figures over HTTPS' },
  'src/kubelet/host/system-commands.ts': {
    may: ['processes', 'process'],
    because: 'everything on a Mac is done by programs of it',
  },
  'src/kubelet/host/system-files.ts': { may: ['files'], because: 'what must outlive the agent is on the disk' },
  'src/scaleway/adapter/http-transport.ts': { may: ['network'], because: "Scaleway's API over real sockets" },
  'src/sim/dispatch/guest/main.ts': {
    may: ['network', 'files', 'process'],
    because: 'the guest of a runner is a program where VMs are processes',
  },
  'src/sim/http/http-server.ts': { may: ['network'], because: 'programs of others reach simulators over HTTP' },
  'src/sim/kernel/guard-globals.ts': { may: ['clock'], because: 'replaces the real clock while a simulation runs' },
  'src/sim/kernel/macrotasks.ts': { may: ['turns'], because: 'a simulated step ends when every promise has settled' },
  'src/sim/kernel/process-failures.ts': {
    may: ['process'],
    because: 'a rejection that nobody handles belongs to the simulated run, not to the process',
  },
  'src/sim/node/node-server.ts': { may: ['network'], because: 'the agent of a simulated Node serves logs over HTTPS' },
  'src/sim/tart/main.ts': { may: ['process'], because: 'the simulated Tart is a program' },
  'src/sim/tart/program/': {
    may: ['files', 'processes', 'network', 'process', 'clock'],
    because: 'its home is a folder, its guests are processes behind a socket',
  },
  'src/sim/mac/bash/': {
    may: ['files', 'processes', 'network', 'process'],
    because: 'a Mac with real bash is a directory, a sandbox and processes in it, which ask their model over TCP',
  },
  'src/sim/mac/ssh-door.ts': { may: ['network'], because: 'a simulated Mac can be reached over real SSH' },
  'src/sim/mac/loopback-server.ts': { may: ['network'], because: 'the ports of simulated Macs are real ones' },
  'src/sim/kernel/leaks.test.ts': { may: ['timers', 'randomness'], because: 'proves that the leak detector sees them' },
};

/** What not even a test does: wait for a real clock, or draw what no seed can repeat. */
const NOT_IN_TESTS: readonly Effect[] = ['timers', 'randomness'];

interface Use extends Finding {
  readonly effect: Effect;
  readonly thing: string;
}

const usesOf = (tree: Tree, file: SourceFile): readonly Use[] => {
  const tokens = tree.tokensOf(file);
  const imported = findImports(tokens).filter(({ what }) => what === 'value');
  const use = (effect: Effect, thing: string, line: number): Use => ({
    ...{ effect, thing, path: file.path, line },
    message: `${thing} is raw (${effect}); ${RAW[effect].instead}`,
  });
  const locale = tokens.filter(({ kind, text }) => kind === 'word' && LOCALE_MEMBERS.includes(text));
  return [
    ...locale.map(({ text, line }) => use('locale', text, line)),
    ...EFFECTS.flatMap((effect) => [
      ...RAW[effect].phrases.flatMap((phrase) =>
        findPhrase(tokens, phrase).map((at) => use(effect, phrase.replaceAll(' ', ''), tokens[at]?.line ?? 1)),
      ),
      ...imported
        .filter(({ from }) => RAW[effect].modules.some((module) => from === module || from.startsWith(`${module}/`)))
        .map(({ from, line }) => use(effect, from, line)),
    ]),
  ];
};

const adapterFor = (adapters: Readonly<Record<string, Adapter>>, path: string): Adapter | undefined =>
  adapters[path] ?? Object.entries(adapters).find(([folder]) => folder.endsWith('/') && path.startsWith(folder))?.[1];

export const rawEffectsExcept = (adapters: Readonly<Record<string, Adapter>>): Rule => ({
  name: 'raw-effects',
  check: (tree) => {
    const uses = tree.sources
      .filter(({ path }) => isProduct(path) || isTestCode(path))
      .flatMap((file) => usesOf(tree, file))
      .filter(({ path, effect }) => isProduct(path) || NOT_IN_TESTS.includes(effect));
    const refused = uses.filter(({ path, effect }) => adapterFor(adapters, path)?.may.includes(effect) !== true);
    return [...refused, ...stale(adapters, uses)];
  },
});

const stale = (adapters: Readonly<Record<string, Adapter>>, uses: readonly Use[]): readonly Finding[] =>
  Object.entries(adapters).flatMap(([path, { may }]) =>
    may
      .filter(
        (effect) =>
          !uses.some(
            (use) => use.effect === effect && (use.path === path || (path.endsWith('/') && use.path.startsWith(path))),
          ),
      )
      .map((effect) => ({
        path,
        line: 1,
        message: `no longer uses ${effect}; drop that from ADAPTERS in raw-effects.ts`,
      })),
  );

export const rawEffects = rawEffectsExcept(ADAPTERS);
