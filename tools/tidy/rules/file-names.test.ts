/** Samples of names. */
import { testRule } from '../testing/test-rule.ts';
import { fileNames } from './file-names.ts';

testRule(fileNames, [
  {
    story: 'kebab-case, documents by their known names, dotted files, generated names',
    files: {
      'src/kube/queue/work-queue.ts': '',
      'src/kube/queue/work-queue.test.ts': '',
      'docs/ARCHITECTURE.md': '',
      '.ci/run': '',
      '.gitignore': '',
      LICENSE: '',
      'charts/macfleet/templates/_names.tpl': '',
      'deploy/crds/machosts.infrastructure.cluster.x-k8s.io.yaml': '',
    },
    finds: [],
  },
  { story: 'a second ending', files: { 'src/kube/queue.testkit.ts': '' }, finds: ['src/kube/queue.testkit.ts:1'] },
  { story: 'camel case', files: { 'src/kube/workQueue.ts': '' }, finds: ['src/kube/workQueue.ts:1'] },
  { story: 'underscores', files: { 'src/kube/work_queue.ts': '' }, finds: ['src/kube/work_queue.ts:1'] },
  { story: 'a folder in capitals', files: { 'src/Kube/queue.ts': '' }, finds: ['src/Kube/queue.ts:1'] },
  { story: 'a folder that says nothing', files: { 'src/kube/utils/text.ts': '' }, finds: ['src/kube/utils/text.ts:1'] },
  { story: 'a file that says nothing', files: { 'src/kube/helpers.ts': '' }, finds: ['src/kube/helpers.ts:1'] },
]);
