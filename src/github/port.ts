/** What we ask of GitHub: a token with which one Mac registers itself as a runner (builder fleets). */
import type { Secret } from '../base/secret.ts';

export interface GitHubApp {
  readonly appId: string;
  readonly installationId: string;
  /** PEM, PKCS #1 or PKCS #8. */
  readonly privateKey: Secret<string>;
}

export interface GitHub {
  /**
   * A registration token for runners of the organisation; it lives an hour, and each call makes another. Rejects with
   * `denied` (the App or its key), `not-found` (organisation or installation), `unavailable`, `throttled`, `contract`.
   */
  registrationToken(app: GitHubApp, organisation: string, signal: AbortSignal): Promise<Secret<string>>;
}
