/** A Mac as a person writes it: an address or a name, with a port where it is not 22. */
import { FleetError } from '../../base/errors.ts';

export interface HostAddress {
  /** As it was written. */
  readonly text: string;
  readonly address: string;
  readonly port: number;
}

const SSH_PORT = 22;
const NAME_AND_PORT = /^(?:\[([0-9a-fA-F:.%]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/;
/** Without brackets an address of IPv6 has no port. */
const IPV6 = /^[0-9a-fA-F:.%]*:[0-9a-fA-F:.%]*:[0-9a-fA-F:.%]*$/;

export const parseHost = (text: string): HostAddress => {
  if (IPV6.test(text)) return { text, address: text, port: SSH_PORT };
  const [, bracketed, name, digits] = NAME_AND_PORT.exec(text) ?? [];
  const address = bracketed ?? name;
  const port = digits === undefined ? SSH_PORT : Number(digits);
  if (address !== undefined && !address.startsWith('-') && port >= 1 && port <= 65_535) return { text, address, port };
  throw new FleetError('invalid', {
    code: 'BadHost',
    message: `"${text}" is no address of a host`,
    hint: 'Write an address or a name, and a port if it is not 22: 51.15.0.10 or 127.0.0.1:2201.',
  });
};

/** Throws for one that is there twice: two of us on one Mac would be in each other's way. */
export const parseHosts = (texts: readonly string[]): readonly HostAddress[] => {
  const hosts = texts.map(parseHost);
  const places = hosts.map(({ address, port }) => `${address} ${port}`);
  const twice = hosts.find((_, at) => places.indexOf(places[at] ?? '') !== at);
  if (twice === undefined) return hosts;
  throw new FleetError('invalid', {
    code: 'HostTwice',
    message: `${twice.text} is there twice`,
    hint: 'Name each Mac once.',
  });
};
