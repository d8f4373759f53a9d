/** Output of a program, of which only the end is kept, and whose whole lines are told as they come. */
import { StringDecoder } from 'node:string_decoder';

export interface BoundedText {
  readonly add: (chunk: Uint8Array) => void;
  /** What was kept. A last line without an end is told now. */
  readonly end: () => string;
}

/** A line longer than this is cut, so that a program cannot fill our memory with one. */
const LINE_CHARACTERS = 64 * 1024;

export const boundedText = (bytesMax: number, onLine?: (line: string) => void): BoundedText => {
  const chunks: Uint8Array[] = [];
  let kept = 0;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const tell = (text: string): void => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(-LINE_CHARACTERS);
    for (const line of lines) onLine?.(line);
  };
  return {
    add: (chunk) => {
      chunks.push(chunk);
      kept += chunk.length;
      while (chunks.length > 1 && kept - (chunks[0]?.length ?? 0) >= bytesMax) kept -= chunks.shift()?.length ?? 0;
      if (onLine !== undefined) tell(decoder.write(chunk));
    },
    end: () => {
      if (rest !== '') onLine?.(rest);
      rest = '';
      return Buffer.concat(chunks).subarray(-bytesMax).toString();
    },
  };
};
