/** Samples of names that do not belong in a repository; put together from pieces, so that this file holds none. */
import { testRule } from '../testing/test-rule.ts';
import { machineTraces } from './machine-traces.ts';

const glue = (...pieces: readonly string[]): string => pieces.join('');
const inReadme = (text: string): Readonly<Record<string, string>> => ({ 'README.md': `line one\n${text}\n` });
const FOUND = ['README.md:2'];

testRule(machineTraces, [
  { story: "npm's own registry", files: inReadme(glue('https://registry', '.npmjs.org/x')), finds: FOUND },
  { story: 'a mirror', files: inReadme(glue('https://verdac', 'cio.example:4873/')), finds: FOUND },
  { story: 'a package host', files: inReadme(glue('//npm', '.pkg.example.com/')), finds: FOUND },
  {
    story: 'the address of a tarball',
    files: { 'package-lock.json': `{\n"x": "${glue('https://any.example/zod/', '-/zod-1.0.0.tgz')}"\n}\n` },
    finds: ['package-lock.json:2'],
  },
  { story: 'a home folder on Linux', files: inReadme(glue('see /ho', 'me/jane/src')), finds: FOUND },
  { story: 'a home folder on macOS', files: inReadme(glue('see /Us', 'ers/jane/src')), finds: FOUND },
  { story: 'a home folder on Windows', files: inReadme(glue('see C:\\Us', 'ers\\jane')), finds: FOUND },
  { story: "the administrator's folder", files: inReadme(glue('"/ro', 'ot/x"')), finds: FOUND },
  { story: 'the folder of a build machine', files: inReadme(glue('`/wor', 'kspace/x`')), finds: FOUND },
  { story: 'a fact about the Macs', files: { 'src/macos/paths.ts': `'${glue('/Us', 'ers/m1/.tart')}'` }, finds: [] },
  { story: 'a made-up home folder', files: inReadme(glue('/ho', 'me/user/.kube/config')), finds: [] },
  {
    story: 'paths of the system and addresses',
    files: inReadme('/var/root/x /etc/pf.conf https://example.com/work/x ./work/x'),
    finds: [],
  },
  { story: "Kubernetes' image host", files: inReadme('registry.k8s.io/pause'), finds: [] },
]);
