/**
 * The spec of a MacHost: the durable record of one Mac's life (rules R1–R29 of the host's life). Whatever cannot be
 * observed again after a backup, a restore or a change of leader stands here and not in status. Only the manager writes
 * it; policies/mac-host-guard.ts says who else may write what.
 */
import { configurationFields } from './machine-configuration.ts';
import { choice, flag, int32, int64, list, name, object, text, time } from './schema/fields.ts';

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** People write reasons too, and a pattern alone does not tell them where the sentence goes. */
const reason = (description: string) =>
  text(description, {
    minLength: 1,
    maxLength: 1_024,
    pattern: REASON,
    rules: [
      {
        rule: `self.matches('${REASON.source}')`,
        message: 'a reason is one word, for example Investigating; a sentence goes into message beside it',
      },
    ],
  });

const message = text('Why, as a sentence for people.', { maxLength: 32_768 });

const source = object(
  'Where the Mac comes from: exactly one of scaleway and static.',
  {
    scaleway: object('A server rented from Scaleway.', {
      projectID: name('Scaleway project of the server. A manager acts only on hosts of its own project.'),
      zone: name('Scaleway zone of the server.'),
      serverID: name('Id of the server. Absent only while the server is being ordered.').optional(),
    }).optional(),
    static: object('A Mac that nobody rents to us, reached under a fixed address. Foreseen.', {
      address: name('Host name or address for SSH.'),
    }).optional(),
  },
  {
    rules: [
      { rule: 'has(self.scaleway) != has(self.static)', message: 'set exactly one of scaleway and static' },
      {
        rule: 'self == oldSelf',
        message: 'source is immutable: it says which Mac this object is. Create another MacHost for another Mac',
      },
    ],
  },
);

const pool = object('The pool the host belongs to.', {
  prefix: text('Prefix of the name a free host has at Scaleway. A host without one is never wiped.', {
    minLength: 1,
    maxLength: 200,
  }),
});

const order = object('An order sent to Scaleway, recorded before the call so that a lost answer is found again.', {
  intentID: name('Id of the intent; it runs through events, log and audit.', {
    rules: [{ rule: 'self == oldSelf', message: 'one intent is one order: another order has another MacHost' }],
  }),
  name: name('Name the server is ordered under, by which it is found again.'),
  requestedAt: time('When the order was decided; it counts among those of that day.'),
  refusals: int32('How often in a row Scaleway or a check of ours refused it.', { minimum: 0 }).optional(),
  nextAttemptAt: time('After a refusal nothing is asked before this time.').optional(),
});

const claimRef = object(
  'The ScalewayAppleSiliconMachine this host works for. Absent: nobody.',
  {
    namespace: name('Namespace of the machine.'),
    name: name('Name of the machine.'),
    uid: name('UID of the machine: a namesake has no claim.'),
    cluster: object(
      'The Cluster of the machine when it claimed the host: the host is reclaimed only while that works.',
      {
        name: name('Name of the Cluster, in the namespace of the machine.'),
        uid: name('UID of the Cluster: one of the same name that was made anew is another one.'),
      },
    ).optional(),
  },
  {
    rules: [
      {
        rule: 'self == oldSelf',
        message: 'a claim is set and dropped, never handed over: clear claimRef first',
      },
    ],
  },
);

const assignedName = object('The name the server has at Scaleway by our doing.', {
  current: name('The name it has, or had before the rename under way.'),
  next: name('The name it gets. While it is set, both names are ours.').optional(),
});

const release = object('Asks for the host to be given back. Nothing else ever starts a wipe.', {
  intentID: name('Id of the intent, a new UUID; it runs through events, log and audit.', {
    rules: [
      {
        rule: 'self == oldSelf',
        message: 'a release that was asked for is carried out under its intentID, which cannot be changed',
      },
    ],
  }),
  policy: choice('What becomes of the Mac: pool wipes it and makes it free, terminate ends its rent.', [
    'pool',
    'terminate',
  ]).default('pool'),
  reason: reason('Why, as one CamelCase word.'),
  message: message.optional(),
  requestedAt: time('When it was asked for; filled in by the manager if absent.').optional(),
  by: text('Who asked.', { maxLength: 1_024 }).optional(),
});

const moments = (description: string) => list(description, time('One moment.'), { maxItems: 32 });

const reinstall = object('The reinstall of the release under way: our own evidence of a wipe.', {
  intentID: name('The intentID of the release it belongs to.'),
  requestedAt: time('When the request was recorded, just before it was sent.'),
  acceptedAt: time(
    'When the server was seen reinstalling after the request. Absent: in doubt, so it is asked for again.',
  ).optional(),
  earlier: moments(
    'When wipes for releases before were asked for, within an hour of this one, the youngest last: they count too.',
  ).optional(),
});

const hold = object(
  'Keeps the host as it is: nothing is done to it until it is released or its owner is found again.',
  {
    reason: reason('Why, as one CamelCase word.'),
    message: message.optional(),
    since: time('Since when; filled in by the manager if absent.').optional(),
    by: text('Who held it.', { maxLength: 1_024 }).optional(),
  },
);

const quarantine = object('Keeps a host that failed again and again out of every pool.', {
  reason: reason('What failed, as one CamelCase word.'),
  message: message.optional(),
  since: time('Since when.'),
  configHash: text('Fingerprint of the host configuration it failed with: a new one earns it another try.', {
    maxLength: 128,
  }).optional(),
});

const hostKey = object(
  'The SSH host key the Mac is known by.',
  {
    fingerprint: text('SHA256: and the unpadded base64 of the digest.', { minLength: 1, maxLength: 128 }),
    algorithm: text('Algorithm of the key, for example ssh-ed25519.', { maxLength: 64 }).optional(),
    wipes: int64('The count of wipes at which the key was first seen.', { minimum: 0 }),
  },
  {
    rules: [
      {
        rule: 'self.fingerprint == oldSelf.fingerprint || self.wipes > oldSelf.wipes',
        message: 'a host key changes only with a wipe of ours; if the Mac was reinstalled by hand, clear hostKey',
      },
    ],
  },
);

const identity = object('The credentials last issued to the host: nobody else gets the name while they live.', {
  nodeName: name('Node name they are for.'),
  expiresAt: time('When the last of them expires.'),
  offered: flag(
    'Given out after the ones before had ended, and nobody has come with them yet: a Node of that name is what was left behind.',
  ).optional(),
  token: object(
    'The bootstrap token that was last used for them: it is good for no other request, nor is an older one.',
    {
      id: name('Id of the token, which is no secret.'),
      request: name('UID of the CertificateSigningRequest that it was used for.'),
      epoch: int64('Number of the operation that brought it to the Mac.', { minimum: 0 }),
    },
  ).optional(),
});

const budgets = object('What was tried on this host, so that a restart or another leader does not try it all again.', {
  bootstrap: object('Bootstraps since the claim.', {
    failures: int32('Failures in a row.', { minimum: 0 }).default(0),
    nextAttemptAt: time('Nothing is tried before this time.').optional(),
    lastError: text('Code of the last failure: it says what may help.', { maxLength: 128 }).optional(),
  }).prefault({}),
  reboots: object('Reboots for recovery.', {
    sinceClaim: int32('How many since the claim.', { minimum: 0 }).default(0),
    times: moments('When, the youngest last.').default([]),
  }).prefault({}),
  returns: int32('How often in a row it went back because it failed.', { minimum: 0 }).default(0),
  sudo: object('Passwords that were tried since the last wipe: too many wrong ones lock the account.', {
    tries: list(
      'What was tried, the youngest last.',
      object('One try, on record before it was sent.', {
        value: text('Fingerprint of the password, which nobody can turn back.', { maxLength: 64 }),
        at: time('When.'),
        outcome: choice('What came of it; sent: its answer never came.', ['sent', 'refused']),
      }),
      { maxItems: 16 },
    ).default([]),
  }).prefault({}),
  roll: object('Pushes of the host configuration to a Mac that works.', {
    failures: int32('Failures in a row with one configuration.', { minimum: 0 }).default(0),
    lastFailureAt: time('When the last failed.').optional(),
    failedHash: text('The configuration that they failed with.', { maxLength: 128 }).optional(),
  }).prefault({}),
});

const lastWrite = object('The last request to Scaleway that changes the server, recorded before it is sent.', {
  verb: choice('What was asked.', ['order', 'rename', 'reboot', 'reinstall', 'delete', 'schedule-deletion']),
  id: name('Id of the request.'),
  at: time('When it was recorded.'),
});

const rebootRequest = object('Asks for one reboot. The manager removes it when the reboot was accepted.', {
  id: name('Id of the request, a new UUID.'),
  reason: text('Why, as a sentence for people.', { maxLength: 1_024 }).optional(),
  requestedAt: time('When it was asked for.').optional(),
  by: text('Who asked.', { maxLength: 1_024 }).optional(),
});

const counter = (description: string) =>
  int64(description, {
    minimum: 0,
    rules: [{ rule: 'self >= oldSelf', message: 'this counter never goes down' }],
  }).default(0);

export const macHostSpec = object(
  'The durable record of the Mac. Written by the manager only; release, hold and rebootRequest also by whoever has the right to.',
  {
    source,
    pool: pool.optional(),
    type: text('Scaleway server type, for example M2-L.', { maxLength: 253 }).optional(),
    osFamily: text('macOS release family it is reinstalled with, for example Tahoe.', { maxLength: 253 }).optional(),
    fleet: text('Fleet whose SSH key opens the Mac, copied from the machine when it was claimed.', {
      maxLength: 253,
    }).optional(),
    configuration: object(
      'What its machine wants of its configuration, copied when it was claimed.',
      configurationFields,
    ).optional(),
    takenOver: flag(
      'It worked for its machine before this record was made: under the Go original, in another cluster, or under a record that was lost.',
    ).optional(),
    ordered: flag('We ordered this server, so its rent ends with its work.').default(false),
    order: order.optional(),
    claimRef: claimRef.optional(),
    assignedName: assignedName.optional(),
    release: release.optional(),
    reinstall: reinstall.optional(),
    hold: hold.optional(),
    ownerLosses: moments(
      'When it was found that its machine had vanished, the youngest last. Kept when the Mac is free again: those that vanish together wait for a person.',
    ).optional(),
    quarantine: quarantine.optional(),
    wipes: counter('How many wipes of ours the Mac has been through.'),
    hostKey: hostKey.optional(),
    epoch: counter(
      'Number of the operation that may act on the Mac, at least the time in seconds when it was given; the Mac refuses work of a lower one.',
    ),
    identity: identity.optional(),
    budgets: budgets.prefault({}),
    lastWrite: lastWrite.optional(),
    rebootRequest: rebootRequest.optional(),
  },
  {
    rules: [
      {
        rule: '!has(self.source.scaleway) || has(self.source.scaleway.serverID) || has(self.order)',
        message: 'a Scaleway host needs source.scaleway.serverID, or order while the server is being ordered',
      },
    ],
  },
);
