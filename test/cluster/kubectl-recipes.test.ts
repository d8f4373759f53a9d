/** The recipes of docs/operating.md as a person types them: with a real shell and the real kubectl, on the fleet of `macfleet up`. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readRecipes } from '../recipes/recipes.ts';
import { type EmbeddedFleet, startEmbeddedFleet } from './kubectl/embedded-fleet.ts';

/** Not everybody has it. */
const UUIDGEN = 'uuidgen() { cat /proc/sys/kernel/random/uuid; }';
const QUARANTINE = '{"spec":{"quarantine":{"reason":"Odd","message":"odd noise","since":"2026-01-01T00:00:00Z"}}}';

/** There is no way over SSH to the Macs of `up`, and no lock to wait for: what these two bring is tried in test/recipes.test.ts. */
const BY_HAND = 'sleep() { :; }\nmacfleet() { test "$1" = prepare-fleet-host && test -n "$2"; }';

/** What stands before a block, where the recipe before it does not leave the fleet as it has to be, or needs what is not there. */
const BEFORE: Readonly<Record<string, string>> = {
  'sudo-by-hand': BY_HAND,
  'release-held': 'kubectl wait machost $HOST --for=jsonpath={.status.state}=held --timeout=30s',
  'release-quarantined': `HOST=$(kubectl get machosts -o jsonpath='{.items[?(@.status.state=="free")].metadata.name}' | cut -d' ' -f1)
kubectl patch machost $HOST --type=merge -p '${QUARANTINE}'
kubectl wait machost $HOST --for=jsonpath={.status.state}=quarantined --timeout=30s`,
  pause: 'kubectl scale machinedeployment $FLEET --replicas=1',
};

/** In an order in which one fleet can go through all of them: each begins with a Mac that has joined, but where the page says otherwise. */
const ORDER = [
  ...['look', 'scale', 'reboot', 'unstick-sudo', 'sudo-by-hand', 'join-anew', 'clear-failure', 'invalid-os-pin'],
  ...['hold', 'lift-hold', 'replace', 'detach', 'release-held', 'release-quarantined', 'pause', 'resume', 'terminate'],
];

/** These go on with the Mac of the one before. */
const CONTINUED = ['lift-hold', 'release-held'];

const FIND_READY = `for machine in $(kubectl get machines -o go-template='{{range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}} {{end}}{{end}}'); do
  kubectl get samm $machine -o jsonpath='{.metadata.name} {.status.serverID} {.status.phase}{"\\n"}'
done | grep ' Ready$' | head -n 1`;

describe('every recipe, with kubectl', { timeout: 300_000 }, () => {
  let fleet: EmbeddedFleet;
  before(async () => {
    fleet = await startEmbeddedFleet();
  });
  after(() => fleet?.stop());

  /** The machine and the Mac of somebody who is ready and stays: one that was scaled away is Ready until its Node is drained. */
  const findReady = async (): Promise<{ readonly MACHINE: string; readonly HOST: string }> => {
    await fleet.shell('kubectl wait machinedeployment macos --for=condition=Available --timeout=80s');
    const [MACHINE = '', HOST = ''] = (await fleet.shell(FIND_READY)).split(/\s/);
    return { MACHINE, HOST };
  };

  it('is run, whichever the page has', () => {
    assert.deepEqual([...readRecipes().keys()].toSorted(), ORDER.toSorted());
  });

  it('does what the page says, one after the other on one fleet', async (t) => {
    let known = { MACHINE: '', HOST: '' };
    for (const id of ORDER) {
      await t.test(id, async () => {
        if (!CONTINUED.includes(id)) known = await findReady();
        const block = readRecipes().get(id)?.join('\n') ?? '';
        await fleet.shell([UUIDGEN, BEFORE[id] ?? '', block].join('\n'), { ...known, FLEET: 'macos', CLUSTER: 'demo' });
      });
    }
  });
});
