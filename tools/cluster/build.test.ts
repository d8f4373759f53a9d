/** What `npm run cluster:build` does on machines of all sorts, with a fake `go`. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findBinaries } from './binaries.ts';
import { type BinaryName, CORE_MANIFEST, MANIFEST_NAMES, PROVIDER_CRD, STANDARD_BINARIES } from './recipe.ts';
import { createStage, type Ended, putProgram, type Stage, until } from './testing/stage.ts';

/** Registers one test on a stage of its own, which is removed afterwards. */
const stageTest = (name: string, body: (stage: Stage) => Promise<void>): void => {
  test(name, async (context) => {
    const stage = await createStage();
    context.after(() => stage.remove());
    await body(stage);
  });
};

const assertRefused = (ended: Ended, expected: { readonly exitCode: number; readonly code: string }): void => {
  assert.equal(ended.exitCode, expected.exitCode, ended.stderr);
  assert.match(ended.stderr, new RegExp(`^  code: ${expected.code}$`, 'm'));
  assert.match(ended.stderr, /^ {2}what to do: /m);
};

const assertBuilt = (ended: Ended): void => assert.equal(ended.exitCode, 0, `${ended.stdout}${ended.stderr}`);

const dirOf = async (stage: Stage): Promise<string> => (await stage.run(['--print-dir'])).stdout.trim();

describe('cluster:build', () => {
  stageTest('a first call builds every program from the pinned modules and takes out the manifests', async (stage) => {
    const ended = await stage.run();
    assertBuilt(ended);
    assert.deepEqual(await stage.built(), STANDARD_BINARIES);
    const calls = (await stage.goCalls()).filter((call) => call.startsWith('build'));
    for (const call of calls)
      assert.match(call, /-trimpath -ldflags -s -w .*\[0 -mod=readonly off \S*\/\.building-\w+\]$/);
    const found = await findBinaries(stage.env);
    assert.ok(ended.stdout.endsWith(`the cluster bench is ready in ${found.dir}\n`));
    assert.match(
      await readFile(found.coreManifest, 'utf8'),
      /^rendered by kubectl: kustomize .*core\/config\/default$/m,
    );
    assert.match(await readFile(found.providerCrd, 'utf8'), /CustomResourceDefinition/);
    assert.deepEqual(await stage.halfMade(), []);
  });

  stageTest('a second call builds nothing', async (stage) => {
    await stage.run();
    const callsBefore = (await stage.goCalls()).length;
    assertBuilt(await stage.run());
    assert.deepEqual((await stage.goCalls()).slice(callsBefore), ['env GOVERSION [0 -mod=readonly off ]']);
  });

  stageTest('only what was asked for is built, with what it needs', async (stage) => {
    assertBuilt(await stage.run(['--only', 'helm,etcd']));
    assert.deepEqual(await stage.built(), ['etcd', 'helm']);
    assertBuilt(await stage.run(['--only', 'cluster-api-core']));
    assert.deepEqual((await stage.built()).slice(2), ['kubectl', 'cluster-api-core']);
    assert.deepEqual(
      (await readdir(await dirOf(stage))).filter((name) => name.endsWith('.yaml')),
      [...MANIFEST_NAMES],
    );
  });

  stageTest('the end-to-end suite is built last, as a compiled test, and only on request', async (stage) => {
    assertBuilt(await stage.run(['--with', 'e2e']));
    assert.deepEqual(await stage.built(), [...STANDARD_BINARIES, 'e2e.test']);
    assert.match(
      (await stage.goCalls()).at(-1) ?? '',
      /^test -c -vet=off -trimpath .* k8s\.io\/kubernetes\/test\/e2e /,
    );
  });

  stageTest('while it compiles it tells which program, since when and how far', async (stage) => {
    const open = stage.gate('etcd');
    const running = stage.start(['--only', 'etcd']);
    await until('a line of progress', () => /packages compiled/.test(running.stdout()));
    await open();
    const { stdout } = await running.ended;
    assert.match(stdout, /^\[1\/1\] etcd …\n/);
    assert.match(stdout, /^\[1\/1\] etcd: \d+s, 1 modules downloaded, 1 packages compiled$/m);
    assert.match(stdout, /^\[1\/1\] etcd: done in \d+s, 1 KiB$/m);
  });

  stageTest('another Go builds into another directory and leaves the first alone', async (stage) => {
    await stage.run(['--only', 'etcd']);
    const first = await dirOf(stage);
    await stage.setGoVersion('go1.27.0');
    assertBuilt(await stage.run(['--only', 'etcd']));
    assert.notEqual(await dirOf(stage), first);
    assert.deepEqual(await stage.built(), ['etcd', 'etcd']);
    assert.ok((await stat(join(first, 'etcd'))).isFile());
  });

  stageTest('builds of other recipes are named and never removed', async (stage) => {
    await mkdir(join(stage.root, '0123456789abcdef-go1.20'), { recursive: true });
    const { stdout } = await stage.run(['--only', 'etcd']);
    assert.match(stdout, /^builds of other recipes stay in .*: 0123456789abcdef-go1\.20;/m);
    assert.ok((await stat(join(stage.root, '0123456789abcdef-go1.20'))).isDirectory());
  });

  stageTest('help and wrong arguments build nothing', async (stage) => {
    const help = await stage.run(['--help']);
    assert.equal(help.exitCode, 0);
    assert.match(help.stdout, /--print-dir/);
    for (const args of [['--only', 'kubelet'], ['--with', 'x'], ['--frob'], ['etcd']]) {
      assertRefused(await stage.run(args), { exitCode: 2, code: 'BadBuildArguments' });
    }
    assert.deepEqual(await stage.goCalls(), []);
  });
});

const DAMAGED: readonly BinaryName[] = ['etcd', 'kubectl', 'cluster-api-core'];

interface Damage {
  readonly story: string;
  readonly harm: (dir: string) => Promise<unknown>;
  readonly rebuilt: readonly string[];
}

const DAMAGES: readonly Damage[] = [
  { story: 'a program is gone', harm: (dir) => rm(join(dir, 'etcd')), rebuilt: ['etcd'] },
  { story: 'a program is cut short', harm: (dir) => truncate(join(dir, 'kubectl'), 3), rebuilt: ['kubectl'] },
  { story: 'a program may not be run', harm: (dir) => chmod(join(dir, 'kubectl'), 0o644), rebuilt: ['kubectl'] },
  {
    story: 'a directory stands in the place of a program',
    harm: async (dir) => {
      await rm(join(dir, 'etcd'));
      await mkdir(join(dir, 'etcd', 'x'), { recursive: true });
    },
    rebuilt: ['etcd'],
  },
  { story: 'a manifest is empty', harm: (dir) => truncate(join(dir, CORE_MANIFEST)), rebuilt: [] },
  { story: 'the record is gone', harm: (dir) => rm(join(dir, 'built.json')), rebuilt: DAMAGED },
  { story: 'the record is cut short', harm: (dir) => truncate(join(dir, 'built.json'), 9), rebuilt: DAMAGED },
  {
    story: 'the record holds something else',
    harm: (dir) => writeFile(join(dir, 'built.json'), '["etcd"]'),
    rebuilt: DAMAGED,
  },
];

describe('cluster:build heals a broken cache', () => {
  for (const { story, harm, rebuilt } of DAMAGES) {
    stageTest(story, async (stage) => {
      const args = ['--only', DAMAGED.join(',')];
      await stage.run(args);
      await harm(await dirOf(stage));
      await assert.rejects(findBinaries(stage.env, { need: DAMAGED }), { code: 'ClusterBinariesMissing' });
      assertBuilt(await stage.run(args));
      assert.deepEqual((await stage.built()).slice(DAMAGED.length), rebuilt);
      await findBinaries(stage.env, { need: DAMAGED });
    });
  }
});

describe('cluster:build twice at once', () => {
  stageTest('the second waits, says for whom, and builds nothing twice', async (stage) => {
    const open = stage.gate('etcd');
    const first = stage.start(['--only', 'etcd,helm']);
    await until('the first builds', () => /etcd …/.test(first.stdout()));
    const second = stage.start(['--only', 'etcd,helm']);
    await until('the second waits', () => second.stdout().includes(`at work (process ${process.pid})`));
    await open();
    assertBuilt(await first.ended);
    assertBuilt(await second.ended);
    assert.deepEqual(await stage.built(), ['etcd', 'helm']);
  });

  stageTest('one that waits can be stopped', async (stage) => {
    const open = stage.gate('etcd');
    const first = stage.start(['--only', 'etcd']);
    await until('the first builds', () => /etcd …/.test(first.stdout()));
    const second = stage.start(['--only', 'etcd']);
    await until('the second waits', () => second.stdout().includes('waiting'));
    second.abort();
    assertRefusedAsCancelled(await second.ended);
    await open();
    assertBuilt(await first.ended);
  });
});

const assertRefusedAsCancelled = (ended: Ended): void => {
  assert.equal(ended.exitCode, 130, ended.stderr);
  assert.match(ended.stderr, /code: Cancelled/);
};

describe('cluster:build interrupted', () => {
  stageTest('a stop ends the compiler too and leaves nothing half-written', async (stage) => {
    stage.gate('etcd');
    const running = stage.start(['--only', 'helm,etcd']);
    await until('it compiles', () => existsSync(stage.path('etcd.pid')));
    running.abort();
    assertRefusedAsCancelled(await running.ended);
    await until('go has ended', async () => !(await stage.isAtWork('etcd')));
    assert.deepEqual(await stage.halfMade(), []);
    assert.deepEqual(await readdir(await dirOf(stage)), []);
  });

  stageTest('after a kill -9 the next call clears up, waits for nobody and builds', async (stage) => {
    stage.gate('helm');
    const builder = stage.spawn(['--only', 'etcd,helm']);
    await until('it builds the second program', () => existsSync(stage.path('helm.pid')));
    process.kill(builder.pid, 'SIGKILL');
    await builder.exited;
    await until('go has ended with its builder', async () => !(await stage.isAtWork('helm')));
    assert.equal((await stage.halfMade()).length, 1);
    await rm(stage.path('helm.gate'));
    const ended = await stage.run(['--only', 'etcd,helm']);
    assertBuilt(ended);
    assert.doesNotMatch(ended.stdout, /waiting/);
    assert.deepEqual(await stage.built(), ['etcd', 'helm', 'helm'], 'what was finished stayed');
    assert.deepEqual(await stage.halfMade(), []);
  });
});

interface Trouble {
  readonly goSays: string;
  readonly exitCode: number;
  readonly code: string;
}

const TROUBLES: readonly Trouble[] = [
  { goSays: 'write /x/_pkg_.a: no space left on device', exitCode: 75, code: 'DiskFull' },
  { goSays: 'go: go.mod requires go >= 1.26.0 (running go 1.21.1)', exitCode: 69, code: 'GoTooOld' },
  { goSays: 'verifying a@v1.0.0: checksum mismatch', exitCode: 76, code: 'GoModuleChanged' },
  { goSays: 'go: a@v1: dial tcp: lookup host: no such host', exitCode: 69, code: 'GoModulesUnreachable' },
  { goSays: 'link: signal: killed', exitCode: 75, code: 'GoKilled' },
  { goSays: 'main.go:1:1: syntax error', exitCode: 76, code: 'GoBuildFailed' },
];

describe('cluster:build in trouble', () => {
  for (const { goSays, exitCode, code } of TROUBLES) {
    stageTest(`"${goSays}" is ${code}, and the cache stays clean`, async (stage) => {
      await writeFile(stage.path('helm.fails'), `${goSays}\n`);
      const ended = await stage.run(['--only', 'etcd,helm']);
      assertRefused(ended, { exitCode, code });
      assert.match(ended.stderr, /building helm/);
      assert.ok(ended.stderr.includes(goSays));
      assert.deepEqual(await stage.halfMade(), []);
      assert.deepEqual(await readdir(await dirOf(stage)), ['built.json', 'etcd']);
      await rm(stage.path('helm.fails'));
      assertBuilt(await stage.run(['--only', 'etcd,helm']));
      assert.deepEqual(await stage.built(), ['etcd', 'helm', 'helm']);
    });
  }

  stageTest('a compiler that is killed is told as such', async (stage) => {
    await writeFile(stage.path('etcd.dies'), '');
    assertRefused(await stage.run(['--only', 'etcd']), { exitCode: 75, code: 'GoKilled' });
  });

  stageTest('no Go: says what to install, and that the tier is unavailable', async (stage) => {
    const ended = await stage.run([], { ...stage.env, PATH: stage.path('nothing') });
    assertRefused(ended, { exitCode: 69, code: 'GoMissing' });
    assert.match(ended.stderr, /what to do: Install Go 1\.26/);
    assert.equal(ended.stdout, '');
  });

  stageTest('no Go, but a whole cache: that is enough', async (stage) => {
    await stage.run();
    const withoutGo = { ...stage.env, PATH: stage.path('nothing') };
    assertBuilt(await stage.run([], withoutGo));
    await rm(join(await dirOf(stage), 'etcd'));
    assertRefused(await stage.run([], withoutGo), { exitCode: 69, code: 'GoMissing' });
  });

  stageTest('a file in the place of the cache directory is told with its path', async (stage) => {
    await writeFile(stage.path('cache'), '');
    const ended = await stage.run(['--only', 'etcd']);
    assertRefused(ended, { exitCode: 77, code: 'ClusterCacheNotWritable' });
    assert.ok(ended.stderr.includes(stage.root));
    assert.deepEqual(await stage.built(), []);
  });

  stageTest('a lock that cannot be opened is told as a cache that cannot be written', async (stage) => {
    await mkdir(join(stage.root, 'lock'), { recursive: true });
    assertRefused(await stage.run(['--only', 'etcd']), { exitCode: 77, code: 'ClusterCacheNotWritable' });
  });

  stageTest('something else than Go on the PATH is noticed', async (stage) => {
    await stage.setGoVersion('usage: go <player> <board>');
    assertRefused(await stage.run(), { exitCode: 76, code: 'GoAnswerUnexpected' });
  });
});

describe('cluster:build with ready programs', () => {
  const readyStage = async (stage: Stage, variable: string, lacks?: string): Promise<Stage['env']> => {
    await mkdir(stage.path('ready'));
    const names = STANDARD_BINARIES.filter((name) => name !== lacks);
    await Promise.all(names.map((name) => putProgram(stage.path('ready', name))));
    return { ...stage.env, [variable]: stage.path('ready') };
  };

  for (const variable of ['MACFLEET_CLUSTER_BIN', 'KUBEBUILDER_ASSETS']) {
    stageTest(`${variable}: no program is built, and the manifests are rendered by its kubectl`, async (stage) => {
      const env = await readyStage(stage, variable);
      await assert.rejects(findBinaries(env), { code: 'ClusterManifestsMissing' });
      assertBuilt(await stage.run([], env));
      assert.deepEqual(await stage.built(), []);
      const found = await findBinaries(env);
      assert.equal(found.path('etcd'), stage.path('ready', 'etcd'));
      assert.match(await readFile(found.coreManifest, 'utf8'), /^rendered by hand: kustomize/);
    });
  }

  stageTest('manifests beside the programs are taken as they are, without Go', async (stage) => {
    const env = { ...(await readyStage(stage, 'MACFLEET_CLUSTER_BIN')), PATH: stage.path('nothing') };
    for (const name of MANIFEST_NAMES) await writeFile(stage.path('ready', name), 'kind: List\n');
    assertBuilt(await stage.run([], env));
    assert.equal((await findBinaries(env)).providerCrd, stage.path('ready', PROVIDER_CRD));
  });

  stageTest('a missing program is named', async (stage) => {
    const env = await readyStage(stage, 'MACFLEET_CLUSTER_BIN', 'helm');
    const ended = await stage.run([], env);
    assertRefused(ended, { exitCode: 69, code: 'ReadyBinariesMissing' });
    assert.match(ended.stderr, /lacks helm\n/);
  });

  stageTest('the directory that is printed is theirs', async (stage) => {
    const env = await readyStage(stage, 'MACFLEET_CLUSTER_BIN');
    assert.equal((await stage.run(['--print-dir'], env)).stdout, `${stage.path('ready')}\n`);
  });
});
