/** Samples of generated files that are not what the generator would write. */
import { testRule } from '../testing/test-rule.ts';
import { generatedBy } from './generated-fresh.ts';

const rule = generatedBy({
  folders: ['deploy/crds'],
  render: (tree) =>
    new Map([
      ['deploy/crds/a.yaml', 'a: 1\n'],
      ['docs/a.md', `from ${tree.find('a.sh')?.text ?? ''}`],
    ]),
});

testRule(rule, [
  {
    story: 'a fresh file, and others elsewhere',
    files: { 'deploy/crds/a.yaml': 'a: 1\n', 'docs/a.md': 'from 1', 'a.sh': '1', 'deploy/other.yaml': '' },
    finds: [],
  },
  {
    story: 'stale files',
    files: { 'deploy/crds/a.yaml': 'a: 2\n', 'docs/a.md': 'from 1', 'a.sh': '2' },
    finds: ['deploy/crds/a.yaml:1', 'docs/a.md:1'],
  },
  { story: 'missing files', files: {}, finds: ['deploy/crds/a.yaml:1', 'docs/a.md:1'] },
  {
    story: 'a file left over',
    files: { 'deploy/crds/a.yaml': 'a: 1\n', 'docs/a.md': 'from ', 'deploy/crds/b.yaml': '' },
    finds: ['deploy/crds/b.yaml:1'],
  },
]);
