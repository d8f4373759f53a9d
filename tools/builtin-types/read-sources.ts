/** What only the sources of Kubernetes say of a type: the numbers of its fields in protobuf, and which fields are pointers. Pure. */

export interface SourceField {
  readonly number: number;
  /** The last word of its type. */
  readonly type: string;
}

export interface SourceFacts {
  /** Messages by name, the group's first word before it. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<string, SourceField>>;
  /** `apps.DeploymentSpec replicas`: in Go a pointer, so that zero is not the same as absent. */
  readonly pointers: ReadonlySet<string>;
}

export interface SourceFile {
  /** Empty for the core group. */
  readonly group: string;
  readonly language: 'proto' | 'go';
  readonly text: string;
}

export const readSources = (files: readonly SourceFile[]): SourceFacts => {
  const messages = new Map<string, ReadonlyMap<string, SourceField>>();
  const pointers = new Set<string>();
  for (const { group, language, text } of files) {
    const qualify = (name: string): string => (group === '' ? name : `${group}.${name}`);
    if (language === 'proto') for (const [name, fields] of readMessages(text)) messages.set(qualify(name), fields);
    else for (const [name, field] of readPointers(text)) pointers.add(`${qualify(name)} ${field}`);
  }
  return { messages, pointers };
};

const MESSAGE = /^message (\w+) \{(.*?)^\}/gms;
const MESSAGE_FIELD = /^\s*(?:optional |repeated )?(?:map<[^>]*>|[\w.]+)\s+(\w+)\s*=\s*(\d+)\s*;/gm;

const readMessages = (text: string): readonly (readonly [string, ReadonlyMap<string, SourceField>])[] =>
  [...text.replaceAll(/\/\/.*/g, '').matchAll(MESSAGE)].map(([, name = '', body = '']) => [name, readFields(body)]);

const readFields = (body: string): ReadonlyMap<string, SourceField> =>
  new Map(
    [...body.matchAll(MESSAGE_FIELD)].map(([whole, name = '', number = '']) => {
      const type = /([\w]+)\s+\w+\s*=/.exec(whole)?.[1] ?? '';
      return [name, { number: Number(number), type }];
    }),
  );

const STRUCT = /^type (\w+) struct \{(.*?)^\}/gms;
const POINTER_FIELD = /^\s+\w+\s+\*[\w.[\]]+\s+`json:"(\w+)/gm;

const readPointers = (text: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(STRUCT)].flatMap(([, name = '', body = '']) =>
    [...body.matchAll(POINTER_FIELD)].map(([, field = '']) => [name, field] as const),
  );
