import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from './progress.ts';

const OUTPUT = `------------------------------
[ReportBeforeSuite] PASSED [0.000 seconds]
SSSSS
------------------------------
[sig-apps] Job should run [Conformance] [sig-apps, Conformance]
k8s.io/kubernetes@v1.36.4/test/e2e/apps/job.go:12
  STEP: Creating a kubernetes client @ 11/16/26 03:15:40.86
• [0.118 seconds]
------------------------------
[sig-apps] Job should fail [sig-apps]
  [FAILED] in [It] - k8s.io/kubernetes@v1.36.4/test/e2e/apps/job.go:99 @ 11/16/26 03:15:51.129
• [FAILED] [4.075 seconds]
[sig-apps] Job [It] should fail [sig-apps]
------------------------------
[sig-apps] Job should take long [sig-apps]
• [SLOW] [12.5 seconds]
[sig-apps] Job should panic [sig-apps]
• [PANICKED] [0.1 seconds]
`;

test('each case that ends is told once, counted over all processes', () => {
  const printed: string[] = [];
  const follow = createProgress(9, (text) => printed.push(text));
  const [first, second] = [follow(), follow()];
  for (const line of OUTPUT.split('\n')) first(line);
  for (const line of ['[sig-apps] Other [sig-apps]', '• [1 seconds]']) second(line);
  assert.deepEqual(printed, [
    '1/9 passed [sig-apps] Job should run [Conformance]\n',
    '2/9 failed [sig-apps] Job should fail\n',
    '3/9 passed [sig-apps] Job should take long\n',
    '4/9 failed [sig-apps] Job should panic\n',
    '5/9 passed [sig-apps] Other\n',
  ]);
});
