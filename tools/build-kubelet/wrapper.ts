/** The command that starts the agent on a Mac. */

/** The same as the step agent-bundle writes on a Mac. */
export const WRAPPER =
  '#!/bin/sh\nexport TART_KUBELET_CODE_CACHE=/var/lib/tart-userdata/.code\n' +
  'exec /usr/local/lib/tart-kubelet/node /usr/local/lib/tart-kubelet/tart-kubelet.mjs "$@"\n';
