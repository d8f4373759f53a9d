/**
 * For tests and benchmarks: frames of HTTP/2 (RFC 9113 §4) by hand, for what no client library would send, and for clients
 * that must cost next to nothing.
 */

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 } as const;

/** END_STREAM and END_HEADERS: a request without a body, in one frame. */
const WHOLE_REQUEST = 0x5;
const ACK = 0x1;
const HEAD_BYTES = 9;
const WINDOW_BYTES_MAX = 2 ** 31 - 1;
const WINDOW_BYTES_AT_FIRST = 65_535;
const INITIAL_WINDOW_SIZE = 4;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

const renderFrame = ({ type, flags, stream, payload }: Frame): Buffer => {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** What a client says first: here, that it takes as much as anybody wants to send. */
export const renderGreeting = (): Buffer => {
  const window = Buffer.concat([Buffer.from([0, INITIAL_WINDOW_SIZE]), uint32(WINDOW_BYTES_MAX)]);
  const more = uint32(WINDOW_BYTES_MAX - WINDOW_BYTES_AT_FIRST);
  return Buffer.concat([
    PREFACE,
    renderFrame({ type: FRAME.settings, flags: 0, stream: 0, payload: window }),
    renderFrame({ type: FRAME.windowUpdate, flags: 0, stream: 0, payload: more }),
  ]);
};

/** A request without a body. Names and values are sent as they are, none longer than 126 bytes (RFC 7541 §6.2.2). */
export const renderRequest = (stream: number, headers: Readonly<Record<string, string>>): Buffer => {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const fields = Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]);
  return renderFrame({ type: FRAME.headers, flags: WHOLE_REQUEST, stream, payload: Buffer.concat(fields) });
};

export const renderReset = (stream: number, code: number): Buffer =>
  renderFrame({ type: FRAME.reset, flags: 0, stream, payload: uint32(code) });

/** The answer to a frame that wants one; undefined for all others. */
export const renderAcknowledgement = ({ type, flags, payload }: Frame): Buffer | undefined => {
  if ((flags & ACK) !== 0) return undefined;
  if (type === FRAME.settings) return renderFrame({ type, flags: ACK, stream: 0, payload: Buffer.alloc(0) });
  return type === FRAME.ping ? renderFrame({ type, flags: ACK, stream: 0, payload }) : undefined;
};

/** Takes bytes as they come and calls `onFrame` with each frame that is whole. */
export const createFrameReader = (onFrame: (frame: Frame) => void): ((bytes: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const endBytes = rest.length < HEAD_BYTES ? Number.POSITIVE_INFINITY : HEAD_BYTES + rest.readUIntBE(0, 3);
      if (rest.length < endBytes) return;
      const payload = rest.subarray(HEAD_BYTES, endBytes);
      onFrame({ type: rest.readUInt8(3), flags: rest.readUInt8(4), stream: rest.readUInt32BE(5), payload });
      rest = rest.subarray(endBytes);
    }
  };
};
