/** `macfleet install`: the same objects as the generated manifests, and bad input told before anything is done. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { neverAborted } from '../../base/abort.ts';
import { FleetError, messageOf } from '../../base/errors.ts';
import { type Applying, applyObjects } from '../../install/apply-objects.ts';
import { renderDefinitions } from '../../install/definitions.ts';
import { runRecorded } from '../testing/run-recorded.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const run = (...args: readonly string[]) => runRecorded(['install', ...args]);

const read = (yaml: string): unknown => parseAllDocuments(yaml).map((document) => document.toJS());

describe('macfleet install', () => {
  it('prints what kustomize and clusterctl are given', async () => {
    const components = readFileSync(join(ROOT, 'deploy', 'kustomize', 'components.yaml'), 'utf8');
    const [, image = ''] = /image: (macfleet:\S+)/.exec(components) ?? [];
    const { stdout, exitCode } = await run('--image', image, '--api-server-url', 'https://api.example.com:6443');
    assert.equal(exitCode, 0);
    const named = stdout.replaceAll('https://api.example.com:6443', '""');
    assert.deepEqual(read(named), read(components));
  });

  it('prints the kinds alone', async () => {
    const { stdout } = await run('--crds');
    assert.deepEqual(read(stdout), JSON.parse(JSON.stringify(renderDefinitions())));
  });

  const rows = [
    { story: 'no image', args: [], stderr: /--image is not said/ },
    { story: 'no address for Macs', args: ['--image', 'a'], stderr: /--api-server-url is not said/ },
    { story: 'no cluster', args: ['--crds', '--apply', '--kubeconfig', 'nowhere'], stderr: /no kubeconfig at nowhere/ },
  ];
  for (const { story, args, stderr } of rows) {
    it(`says that there is ${story}`, async () => {
      const result = await run(...args);
      assert.deepEqual([result.exitCode === 0, result.stdout], [false, '']);
      assert.match(result.stderr, stderr);
      assert.match(result.stderr, /what to do: /);
    });
  }
});

describe('applying', () => {
  const applying = (
    patch: (...args: readonly unknown[]) => Promise<never>,
    how: Partial<Pick<Applying, 'conflicts' | 'mode'>> = {},
  ) => {
    const applied: string[] = [];
    const client = { patch: patch as never };
    const onApplied = ({ metadata }: { readonly metadata: { readonly name: string } }) => applied.push(metadata.name);
    const objects = renderDefinitions().slice(0, 2);
    const wish = { conflicts: 'refuse', mode: 'apply', ...how } as const;
    return {
      applied,
      done: applyObjects(objects, { client, fieldManager: 'helm', onApplied, ...wish }, neverAborted()),
    };
  };
  /** What was sent with each. */
  const record = (how: Parameters<typeof applying>[1]) => {
    const calls: unknown[] = [];
    const { done } = applying(async (_resource, _key, patch, options) => {
      const { force } = patch as Record<string, unknown>;
      calls.push([force, (options as Record<string, unknown>)['dryRun']]);
      return undefined as never;
    }, how);
    return done.then(() => calls[0]);
  };

  it('takes fields over only where that was asked for, and keeps nothing of a try', async () => {
    assert.deepEqual(await record({}), [undefined, undefined]);
    assert.deepEqual(await record({ conflicts: 'take over' }), [true, undefined]);
    assert.deepEqual(await record({ mode: 'try' }), [undefined, 'All']);
  });

  it('says whose fields they are, and how to take them over, when somebody else has set them otherwise', async () => {
    const { applied, done } = applying(async () => {
      throw new FleetError('denied', { code: 'FieldConflict', message: 'conflict with "argocd": .spec.names' });
    });
    await assert.rejects(done, ({ code, message, hint, cause }: FleetError) => {
      assert.equal(code, 'InstallConflict');
      assert.match(message, /fields of customresourcedefinition\/\S+ otherwise$/);
      assert.match(messageOf(cause), /conflict with "argocd"/);
      return /--force-conflicts/.test(hint ?? '');
    });
    assert.deepEqual(applied, []);
  });

  it('takes one object after the other, by its plural', async () => {
    const calls: unknown[] = [];
    const { applied, done } = applying(async (resource, key, patch, options) => {
      const { plural, scope } = resource as Record<string, unknown>;
      const { type } = patch as Record<string, unknown>;
      calls.push([plural, scope, key, type, (options as Record<string, unknown>)['fieldManager']]);
      return undefined as never;
    });
    await done;
    const [first] = applied;
    assert.deepEqual(calls[0], ['customresourcedefinitions', 'Cluster', { name: first }, 'apply', 'helm']);
    assert.equal(applied.length, 2);
  });

  it('says who can do it when this login may not, and goes no further', async () => {
    const { applied, done } = applying(async () => {
      throw new FleetError('denied', { code: 'Forbidden', message: 'no', hint: 'ask' });
    });
    await assert.rejects(
      done,
      ({ code, hint }: FleetError) => code === 'InstallForbidden' && /administrator/.test(hint ?? ''),
    );
    assert.deepEqual(applied, []);
  });
});
