/** S15, S16, S18, S19: passwords are tried rarely, only on their own Mac, and appear nowhere else. */
import type { Property, Truth } from '../truth.ts';

/** The account locks at five wrong passwords in a row. */
export const sudoBudget: Property = {
  id: 'S15',
  promise: 'we never lock an account by wrong passwords',
  judge: () => (happening, truth) => {
    if (happening.is !== 'disk') return undefined;
    const locked = truth.servers().find(({ id }) => truth.mac(id)?.isLocked);
    return locked && `the account of ${locked.id} is locked by wrong passwords`;
  },
};

export const ownPassword: Property = {
  id: 'S16',
  promise: 'what is no password is never tried as one, and no Mac logs in with one that is not its own',
  judge: () => (happening, truth) => {
    if (happening.is !== 'disk') return undefined;
    const tried = truth.servers().find(({ id }) => (truth.mac(id)?.nonPasswords ?? 0) > 0);
    if (tried !== undefined) return `the sudo of ${tried.id} was given something that is no password`;
    const wrong = truth.servers().find(({ id }) => truth.mac(id)?.autoLogin === 'wrong');
    return wrong && `${wrong.id} has a password in its kcpassword that is not its own`;
  },
};

/** Passwords of all Macs so far: a wipe makes a new one, and the old one is still a secret. */
export const secretsStaySecret: Property = {
  id: 'S18',
  promise: 'no password of a Mac is in any object but a Secret',
  judge: () => {
    const known = new Set<string>();
    return (happening, truth) => {
      if (happening.is !== 'stored' || happening.collection === '/secrets') return undefined;
      for (const { password } of truth.servers()) known.add(password.reveal());
      const leaked = known.values().some((secret) => happening.json.includes(secret));
      return leaked ? `${happening.collection} ${happening.key} holds the password of a Mac` : undefined;
    };
  },
};

const isJoined = (truth: Truth, serverId: string): boolean => truth.find('hosts', serverId)?.status?.state === 'joined';

export const logsInByItself: Property = {
  id: 'S19',
  promise: 'a Mac that has joined logs in by itself',
  judge: () => (happening, truth) => {
    if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
    const { before, after } = happening.change;
    const name = after?.metadata.name ?? '';
    if (before?.status?.state === 'joined' || !isJoined(truth, name)) return undefined;
    const mac = truth.mac(name);
    return mac === undefined || mac.autoLogin === 'right'
      ? undefined
      : `${name} has joined, and its auto-login is ${mac.autoLogin}`;
  },
};
