/** Names and usages for property tests: everything a certificate of ours may carry. */
import fc from 'fast-check';
import type { Usage } from '../extensions.ts';
import type { Identity } from '../identity.ts';

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((value) => value.isWellFormed() && !/\p{Cc}/u.test(value));

const list = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(item, { maxLength: 3 });

const canonicalV6 = (spelling: string): string => new URL(`http://[${spelling}]/`).hostname.slice(1, -1);

export const someIdentity: fc.Arbitrary<Identity> = fc
  .record(
    {
      commonName: text,
      organizations: list(text),
      dnsNames: list(fc.domain()),
      ipAddresses: list(fc.oneof(fc.ipV4(), fc.ipV6().map(canonicalV6))),
      emailAddresses: list(fc.emailAddress()),
      uris: list(fc.webUrl()),
    },
    { noNullPrototype: true, requiredKeys: ['organizations', 'dnsNames', 'ipAddresses', 'emailAddresses', 'uris'] },
  )
  .filter((identity) => Object.values(identity).some((names) => names.length > 0));

const usages: readonly Usage[] = ['digital signature', 'key encipherment', 'client auth', 'server auth'];

export const someUsages: fc.Arbitrary<readonly Usage[]> = fc.subarray([...usages]);
