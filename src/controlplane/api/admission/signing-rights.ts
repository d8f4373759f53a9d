/**
 * Who may approve and who may sign, per signer (the plugins CertificateApproval and CertificateSigning), and that nobody
 * gets a certificate for system:masters (CertificateSubjectRestriction).
 */
import { isEqualJson } from '../../../base/json.ts';
import { MASTERS_GROUP } from '../../auth/user.ts';
import { fieldsOf } from '../../store/object.ts';
import type { Write } from '../gate.ts';
import { type AdmissionDeps, type Admit, refusedWrite, resourceOf } from './plugin.ts';
import { parseRequest } from './signing-request.ts';

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

export const guardSigning: Admit = (write, deps) => {
  if (resourceOf(write) !== 'certificatesigningrequests.certificates.k8s.io') return;
  const { subresource, operation } = write;
  if (subresource === '' && operation === 'CREATE') checkSubject(write);
  if (operation !== 'UPDATE') return;
  if (subresource === 'approval') checkRight(write, 'approve', deps);
  if (subresource === 'status' && isSigned(write)) checkRight(write, 'sign', deps);
};

const isSigned = ({ object, old }: Write): boolean => {
  const [next, before] = [fieldsOf(object?.['status']), fieldsOf(old?.['status'])];
  return ['certificate', 'conditions'].some((field) => !isEqualJson(next[field], before[field]));
};

const checkRight = (write: Write, verb: 'approve' | 'sign', { authorize }: AdmissionDeps): void => {
  const signer = String(fieldsOf(write.old?.['spec'])['signerName'] ?? '');
  const domain = `${signer.split('/')[0]}/*`;
  const mayFor = (name: string): boolean =>
    authorize({
      ...{ on: 'resource', user: write.user, verb, group: 'certificates.k8s.io', version: '*' },
      ...{ resource: 'signers', subresource: '', namespace: '', name, fields: [] },
    }).isAllowed;
  if (mayFor(signer) || mayFor(domain)) return;
  throw refusedWrite(write, `user not permitted to ${verb} requests with signerName "${signer}"`);
};

const checkSubject = (write: Write): void => {
  const { signerName, request } = fieldsOf(write.object?.['spec']);
  if (signerName !== CLIENT_SIGNER) return;
  const parsed = parseRequest(request);
  if (parsed.is === 'bad') throw refusedWrite(write, `failed to parse CSR: ${parsed.why}`);
  if (!parsed.csr.organizations.includes(MASTERS_GROUP)) return;
  throw refusedWrite(write, `use of ${CLIENT_SIGNER} signer with ${MASTERS_GROUP} group is not allowed`);
};
