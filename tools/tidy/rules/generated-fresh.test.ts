/** Samples of generated files that are not what the generator would write. */
import { testRule } from '../testing/test-rule.ts';
import { generatedBy } from './generated-fresh.ts';

const rule = generatedBy({ folders: ['deploy/crds'], render: () => new Map([['deploy/crds/a.yaml', 'a: 1\n']]) });

testRule(rule, [
  {
    story: 'a fresh file, and others elsewhere',
    files: { 'deploy/crds/a.yaml': 'a: 1\n', 'deploy/other.yaml': '' },
    finds: [],
  },
  { story: 'a stale file', files: { 'deploy/crds/a.yaml': 'a: 2\n' }, finds: ['deploy/crds/a.yaml:1'] },
  { story: 'a missing file', files: {}, finds: ['deploy/crds/a.yaml:1'] },
  {
    story: 'a file left over',
    files: { 'deploy/crds/a.yaml': 'a: 1\n', 'deploy/crds/b.yaml': '' },
    finds: ['deploy/crds/b.yaml:1'],
  },
]);
