/** Starts a fleet where the last run in its folder left it: at its port if that is free, and with a way out where its data is damaged. */
import { FleetError, toFleetError } from '../../base/errors.ts';

export interface KeptStart<T> {
  /** As it was asked for; 0 asks for that of the last run, or for any. */
  readonly port: number;
  readonly lastPort: number | undefined;
  /** The folder, where one was named. */
  readonly data: string | undefined;
  readonly start: (port: number) => Promise<T>;
  readonly say: (text: string) => void;
}

export const startKept = async <T>({ port, lastPort, data, start, say }: KeptStart<T>): Promise<T> => {
  try {
    return await start(port === 0 ? (lastPort ?? 0) : port);
  } catch (thrown) {
    const error = toFleetError(thrown);
    if (error.code === 'StoreDamaged' && data !== undefined) throw damaged(error, data);
    if (error.code !== 'CannotListen' || port !== 0 || lastPort === undefined) throw error;
    say(`Port ${lastPort}, where the last run had its API, is taken: a free one is used instead.`);
    return start(0);
  }
};

/** Its half of a fleet cannot be gone on with: the Macs beside it belong to machines that nobody would know. */
const damaged = (cause: FleetError, data: string): FleetError =>
  new FleetError('contract', {
    code: 'StoreDamaged',
    message: cause.message,
    hint: `Restore all of ${data} from a backup, or throw its fleet away: \`macfleet up --data ${data} --clean\` begins anew.`,
    cause,
  });
