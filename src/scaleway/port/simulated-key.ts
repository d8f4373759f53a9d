/** The API key of a simulated project: well-formed, so that every client takes it, and worth nothing. */
export const SIMULATED_KEY = {
  accessKey: 'SCWSIMULATED00000000',
  secretKey: '00000000-0000-4000-b000-000000000000',
} as const;
