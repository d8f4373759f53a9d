/** Samples of imports up, down and sideways. */
import { testRule } from '../testing/test-rule.ts';
import { importDirection } from './import-direction.ts';

const importing = (target: string): string => `/** x */\nimport { x } from '${target}';\n`;

testRule(importDirection, [
  {
    story: 'every row of the graph in the allowed direction',
    files: {
      'src/kinds/a.ts': importing('../kube/types/meta.ts'),
      'src/kube/cache/a.ts': importing('../client/client.ts'),
      'src/kube/client/a.ts': importing('../types/meta.ts'),
      'src/pki/a.ts': importing('../base/errors.ts'),
      'src/hosts/a.ts': importing('../macos/plist.ts'),
      'src/provider/host/a.ts': importing('../../scaleway/port.ts'),
      'src/provider/fleet/a.ts': importing('../../github/port/tokens.ts'),
      'src/provider/machine/a.ts': importing('../host/table.ts'),
      'src/sim/cloud/a.ts': importing('../../scaleway/port.ts'),
      'src/world/a.ts': importing('../provider/manager.ts'),
      'src/cli/up.ts': importing('../provider/manager.ts'),
      'src/cli/up/deep.ts': importing('../../runners/manager.ts'),
      'src/cli/doctor.ts': importing('../controlplane/start.ts'),
      'bin/a.ts': importing('../src/provider/manager.ts'),
      'tools/a.ts': importing('../src/kinds/a.ts'),
      'bench/a.ts': importing('../src/kube/client/client.ts'),
    },
    finds: [],
  },
  {
    story: 'the base that imports anything of ours',
    files: { 'src/base/a.ts': importing('../kube/types/meta.ts') },
    finds: ['src/base/a.ts:2'],
  },
  {
    story: 'kinds that reach past the types of src/kube',
    files: { 'src/kinds/a.ts': importing('../kube/client/client.ts') },
    finds: ['src/kinds/a.ts:2'],
  },
  {
    story: 'types of src/kube that reach into the runtime beside them',
    files: { 'src/kube/types/a.ts': importing('../client/client.ts') },
    finds: ['src/kube/types/a.ts:2'],
  },
  {
    story: 'the runtime that knows our kinds',
    files: { 'src/kube/a.ts': importing('../kinds/machine.ts') },
    finds: ['src/kube/a.ts:2'],
  },
  {
    story: 'a controller other than the host that reaches the cloud, even by its port',
    files: {
      'src/provider/machine/a.ts': importing('../../scaleway/port.ts'),
      'src/runners/a.ts': importing('../hosts/port.ts'),
    },
    finds: ['src/provider/machine/a.ts:2', 'src/runners/a.ts:2'],
  },
  {
    story: 'a part that may use a port and takes the adapter',
    files: {
      'src/provider/host/a.ts': importing('../../scaleway/sdk.ts'),
      'src/sim/cloud/a.ts': importing('../../hosts/ssh.ts'),
    },
    finds: ['src/provider/host/a.ts:2', 'src/sim/cloud/a.ts:2'],
  },
  {
    story: 'simulator and control plane that know the controllers',
    files: {
      'src/sim/node/a.ts': importing('../../kubelet/node/agent.ts'),
      'src/controlplane/a.ts': importing('../provider/manager.ts'),
    },
    finds: ['src/sim/node/a.ts:2', 'src/controlplane/a.ts:2'],
  },
  {
    story: 'a command other than up that composes controllers',
    files: { 'src/cli/doctor.ts': importing('../provider/manager.ts') },
    finds: ['src/cli/doctor.ts:2'],
  },
  {
    story: 'type imports, re-exports and dynamic imports alike',
    files: {
      'src/base/a.ts':
        "/** x */\nimport type { X } from '../pki/key.ts';\nexport * from '../pki/key.ts';\nawait import('../pki/key.ts');\n",
    },
    finds: ['src/base/a.ts:2', 'src/base/a.ts:3', 'src/base/a.ts:4'],
  },
  {
    story: 'product code that imports test code or tools',
    files: {
      'src/kube/a.ts': importing('../base/testing/manual-clock.ts'),
      'src/kube/b.ts': importing('./b.test.ts'),
      'src/kube/c.ts': importing('../../tools/generate/render.ts'),
    },
    finds: ['src/kube/a.ts:2', 'src/kube/b.ts:2', 'src/kube/c.ts:2'],
  },
  {
    story: 'a folder that the graph does not know',
    files: { 'src/misnamed/a.ts': '/** x */\n' },
    finds: ['src/misnamed/a.ts:1'],
  },
  {
    story: 'tests that use a testing folder, the simulation, certificates or the generator',
    files: {
      'src/kube/a.test.ts': `${importing('../base/testing/manual-clock.ts')}${importing('../sim/kernel/kernel.ts')}`,
      'src/kube/testing/harness.ts': importing('../../pki/authority.ts'),
      'src/kinds/a.test.ts': importing('../../tools/generate/render.ts'),
      'test/a.test.ts': importing('../src/provider/manager.ts'),
    },
    finds: [],
  },
  {
    story: 'a test that goes against the graph otherwise',
    files: { 'src/kube/a.test.ts': importing('../provider/manager.ts') },
    finds: ['src/kube/a.test.ts:2'],
  },
  {
    story: 'an import that stands only in a comment or a string',
    files: {
      'src/base/a.ts': `/** import { x } from '../kube/a.ts' */\nexport const y = "import { x } from '../kube/a.ts'";\n`,
    },
    finds: [],
  },
]);
