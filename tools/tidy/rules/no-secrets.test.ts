/** Samples that look like secrets; put together from pieces, so that this file holds none. */
import { testRule } from '../testing/test-rule.ts';
import { noSecrets } from './no-secrets.ts';

const glue = (...pieces: readonly string[]): string => pieces.join('');
const inReadme = (text: string): Readonly<Record<string, string>> => ({ 'README.md': `line one\n${text}\n` });
const FOUND = ['README.md:2'];
const UUID = glue('6f1e2d3c-4b5a-4978', '-8695-a4b3c2d1e0f9');

testRule(noSecrets, [
  { story: 'an access key of Scaleway', files: inReadme(glue('key: SCW', '7K2M9QXW4T8ZB3VNC')), finds: FOUND },
  { story: 'one that is made up', files: inReadme('SCWSIMULATED00000000 SCWABCDEFGHIJKLMNOPQ'), finds: [] },
  { story: 'a secret key in a shell', files: inReadme(glue('export SCW_SECRET_', `KEY=${UUID}`)), finds: FOUND },
  { story: 'a secret key in YAML', files: inReadme(glue('secret-', `key: "${UUID}"`)), finds: FOUND },
  { story: 'a secret key in JSON', files: inReadme(glue('"secret', `Key": "${UUID}"`)), finds: FOUND },
  { story: 'the id of a project', files: inReadme(`project-id: ${UUID}`), finds: [] },
  {
    story: 'a private key',
    files: inReadme(glue('-----BEGIN OPENSSH PRIV', `ATE KEY-----\n${'b3BlbnNzaC1rZXk'.repeat(4)}`)),
    finds: FOUND,
  },
  { story: 'the words around one', files: inReadme(glue('-----BEGIN PRIV', 'ATE KEY-----\n…')), finds: [] },
  { story: 'a token of GitHub', files: inReadme(glue('gh', `p_${'a1B2'.repeat(9)}`)), finds: FOUND },
  {
    story: 'a token of Kubernetes',
    files: inReadme(glue('eyJhbGci', `OiJSUzI1NiIsImtpZCI6.eyJ${'hdWQiOlsi'.repeat(6)}.${'c2lnbmF0dXJl'.repeat(5)}`)),
    finds: FOUND,
  },
]);
