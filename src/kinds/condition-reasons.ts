/**
 * The types and reasons of the conditions we set, per kind. Alerts and runbooks match on them: a value here never
 * changes its meaning. Types are positive; a reason stands under the type it explains.
 */

const PAUSED = { paused: 'Paused', notPaused: 'NotPaused' } as const;

export const CONDITIONS = {
  machine: { ready: 'Ready', provisioned: 'Provisioned', bootstrapped: 'Bootstrapped', paused: 'Paused' },
  host: { ready: 'Ready', owned: 'Owned', serverFound: 'ServerFound' },
  cluster: { ready: 'Ready', paused: 'Paused' },
  controlPlane: { available: 'Available', paused: 'Paused' },
  pool: {
    ready: 'Ready',
    /** Whether there can be such a pool here. */
    accepted: 'Accepted',
    runnersCreated: 'RunnersCreated',
    fleetReady: 'FleetReady',
    dispatcherReady: 'DispatcherReady',
    /** Whether the dispatcher can be told to give a runner no job. Without it runners are retired slowly. */
    drainHandshake: 'DrainHandshake',
    scaling: 'Scaling',
    /** A warning only: a tag may mean another image tomorrow. */
    imagePinned: 'ImagePinned',
    /** Whether nobody else makes runners of the pool; there once somebody did. */
    soleController: 'SoleController',
    paused: 'Paused',
  },
} as const;

export const REASONS = {
  machine: {
    ready: { ready: 'Ready', notReady: 'NotReady', deleting: 'Deleting' },
    provisioned: {
      provisioned: 'Provisioned',
      /** It has chosen a Mac, and is about to claim it (R5). */
      adopting: 'Adopting',
      waitingForCluster: 'WaitingForClusterInfrastructureReady',
      noAdoptPoolPrefix: 'NoAdoptPoolPrefix',
      invalidOSPin: 'InvalidOSPin',
      noAvailableHost: 'NoAvailableHost',
      scalewayAdoptFailed: 'ScalewayAdoptFailed',
      credentialsPersistFailed: 'CredentialsPersistFailed',
      hostReleased: 'HostReleased',
      /** Several machines name one server (R5). */
      duplicateClaim: 'DuplicateClaim',
      /** A machine of another namespace has this name, and so its Node (R6). */
      nameTaken: 'NameTaken',
      /** The namespace may not adopt from this pool (R26). */
      poolNotAllowed: 'PoolNotAllowed',
      /** Its pool prefix continues that of another machine, or the other way round: a Mac could be of either pool. */
      prefixesOverlap: 'PoolPrefixesOverlap',
      /** No order without leave, or no more of them (R25). */
      orderLimitReached: 'OrderLimitReached',
      /** A Mac is being rented for it (R25). */
      ordering: 'Ordering',
      /** The MacHost that it names is missing, and is made anew if there is the Mac (R15). */
      hostNotOnRecord: 'HostNotOnRecord',
      /** A server that nobody has on record has its name. */
      strayServer: 'StrayServer',
      /** This manager lists no servers of that zone. */
      zoneNotServed: 'ZoneNotServed',
    },
    bootstrapped: {
      bootstrapped: 'Bootstrapped',
      sshKeyUnavailable: 'SSHKeyUnavailable',
      credentialsRefreshFailed: 'CredentialsRefreshFailed',
      missingSudoPassword: 'MissingSudoPassword',
      nodeMissing: 'NodeMissing',
      /** Its Node is there, and has not been ready for long. */
      nodeNotReady: 'NodeNotReady',
      nodeIdentityUnavailable: 'NodeIdentityUnavailable',
      kubeconfigUnavailable: 'KubeconfigUnavailable',
      tailscaleAuthKeyUnavailable: 'TailscaleAuthKeyUnavailable',
      runnerTokenUnavailable: 'GHRunnerRegistrationTokenUnavailable',
      cachePrivateNetworkUnavailable: 'CachePrivateNetworkUnavailable',
      bootstrapFailed: 'BootstrapFailed',
    },
    paused: PAUSED,
  },
  host: {
    ready: {
      ready: 'Ready',
      notReady: 'NotReady',
      /** Found with the marks of an earlier life: wiped again before anybody gets it (R9). */
      notWiped: 'NotWiped',
      /** Too many wipes of this pool within the hour (R20). */
      reinstallLimitReached: 'ReinstallLimitReached',
      /** A wipe that does not end: Scaleway is to be asked. */
      wipeStuck: 'WipeStuck',
      /** Scaleway does not install it any more. */
      wipeRefused: 'WipeRefused',
      /** A third of the pool is in quarantine, or of the Macs that worked is not ready: recovery stops, it is not the Macs (R21). */
      recoveryHalted: 'RecoveryHalted',
      quarantined: 'Quarantined',
      /** Beyond recovery after its machine was provisioned, which is to be replaced (R22). */
      replacementNeeded: 'ReplacementNeeded',
      /** The last owner of the name still has credentials (R23). */
      previousIdentityAlive: 'PreviousIdentityAlive',
      /** Its server is being ordered, or is not delivered yet (R25). */
      ordering: 'Ordering',
      /** No order now: one more would be too many (R25). */
      orderLimitReached: 'OrderLimitReached',
    },
    owned: {
      unclaimed: 'Unclaimed',
      claimed: 'Claimed',
      duplicateClaim: 'DuplicateClaim',
      ownerVanished: 'OwnerVanished',
      /** Neither a pool prefix nor an order of ours: no right to wipe or delete it (R15). */
      noRightToWipe: 'NoRightToWipe',
      /** Taken out of the fleet by a person (R16). */
      detached: 'Detached',
      namespaceTerminating: 'NamespaceTerminating',
      /** Its machine lives on in another cluster (R17). */
      moved: 'Moved',
      /** Its machine vanished, and an operator opted in to have such Macs given back (004-8). */
      reclaimed: 'Reclaimed',
    },
    serverFound: {
      found: 'ServerFound',
      missing: 'ServerMissing',
      gone: 'ServerGone',
      /** The server has a name that is not ours: somebody else works on it (R8). */
      nameMismatch: 'ServerNameMismatch',
      /** The server is in another Scaleway project than this manager (R1). */
      foreignProject: 'ForeignProject',
    },
  },
  cluster: { ready: { provisioned: 'Provisioned' }, paused: PAUSED },
  controlPlane: { available: { available: 'Available', notAvailable: 'NotAvailable' }, paused: PAUSED },
  pool: {
    accepted: { accepted: 'Accepted', unsupportedOs: 'UnsupportedOS', nameTooLong: 'NameTooLong' },
    runnersCreated: { created: 'Created', deleting: 'WaitingForJobs' },
    fleetReady: {
      ready: 'NodesReady',
      notFound: 'FleetNotFound',
      noReadyNode: 'NoReadyNode',
      /** No Node of the fleet is large enough for one runner. */
      tooSmall: 'RunnerTooLarge',
    },
    dispatcherReady: {
      ready: 'Answering',
      notAsked: 'NotAskedYet',
      none: 'NoSessionsURL',
      denied: 'DispatcherDenied',
      strange: 'DispatcherStrange',
      unreachable: 'DispatcherUnreachable',
    },
    drainHandshake: { known: 'Known', notAsked: 'NotAskedYet', original: 'OriginalProtocol' },
    scaling: {
      fixed: 'Fixed',
      automatic: 'Automatic',
      noSignals: 'NoSignalsURL',
      belowFloor: 'MaxReplicasBelowFloor',
      zero: 'MaxReplicasZero',
      denied: 'SignalsDenied',
      strange: 'SignalsStrange',
      unreachable: 'SignalsUnavailable',
    },
    imagePinned: { pinned: 'Digest', tag: 'NoDigest' },
    soleController: { alone: 'Alone', another: 'AnotherController' },
    paused: PAUSED,
  },
} as const;
