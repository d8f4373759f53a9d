/** The lines of builtin-types.json: what the documents say, with what only the sources know. Pure. */
import type { DescribedField, DescribedType } from './describe-types.ts';
import type { SourceFacts, SourceField } from './read-sources.ts';

export type TypeLines = Readonly<Record<string, string>>;

export const renderTypes = (types: readonly DescribedType[], facts: SourceFacts): TypeLines => {
  const lines = new Map<string, string>();
  const wrapped = new Map<string, string>();
  for (const type of types) {
    const wrappers = findWrappers(type, facts);
    for (const { type: inner, message } of wrappers) {
      wrapped.set(inner, renderFields(fieldsIn(type, message), { owner: inner, message, facts, marks: 'left out' }));
    }
    lines.set(type.name, renderType(type, wrappers, facts));
  }
  for (const [name, line] of wrapped) if (!lines.has(name)) lines.set(name, line);
  return Object.fromEntries([...lines].toSorted(([left], [right]) => (left < right ? -1 : 1)));
};

type Message = ReadonlyMap<string, SourceField>;

const messageOf = ({ name, fields }: DescribedType, { messages }: SourceFacts): Message => {
  // Protobuf spells some names in another case.
  const byLower = new Map(fields.map((field) => [field.name.toLowerCase(), field.name]));
  const known = new Set(fields.map((field) => field.name));
  const entries = [...(messages.get(name) ?? [])].map(([field, fact]): [string, SourceField] => [
    known.has(field) ? field : (byLower.get(field.toLowerCase()) ?? field),
    fact,
  ]);
  return new Map(entries);
};

interface Wrapper {
  readonly field: string;
  readonly number: number;
  /** Whose fields stand in the type itself, but for protobuf. */
  readonly type: string;
  readonly message: Message;
}

const findWrappers = (type: DescribedType, facts: SourceFacts): readonly Wrapper[] => {
  const known = new Set(type.fields.map(({ name }) => name));
  const [group = ''] = type.name.includes('.') ? type.name.split('.') : [];
  return [...messageOf(type, facts)].flatMap(([field, { number, type: word }]) => {
    if (known.has(field)) return [];
    const names = group === '' ? [word, `meta.${word}`] : [`${group}.${word}`, word, `meta.${word}`];
    const inner = names.find((name) => facts.messages.has(name));
    const message = inner === undefined ? undefined : facts.messages.get(inner);
    if (inner === undefined || message === undefined) return [];
    return [...message.keys()].every((name) => known.has(name)) ? [{ field, number, type: inner, message }] : [];
  });
};

const fieldsIn = ({ fields }: DescribedType, message: Message): readonly DescribedField[] =>
  [...message.keys()].flatMap((name) => fields.find((field) => field.name === name) ?? []);

interface FieldScene {
  /** The type that has them. */
  readonly owner: string;
  readonly message: Message;
  readonly facts: SourceFacts;
  readonly marks: 'kept' | 'left out';
}

const renderType = (type: DescribedType, wrappers: readonly Wrapper[], facts: SourceFacts): string => {
  const scene: FieldScene = { owner: type.name, message: messageOf(type, facts), facts, marks: 'kept' };
  return [
    ...(type.isAtomic ? ['!'] : []),
    ...(type.fields.length === 0 ? [] : [renderFields(type.fields, scene)]),
    ...wrappers.map(({ field, number, type: inner }) => `>${field}@${number}:${inner}`),
  ].join(' ');
};

const SCALARS = ['string', 'int32', 'int64', 'bool', 'double'];

const renderFields = (fields: readonly DescribedField[], { owner, message, facts, marks }: FieldScene): string =>
  fields
    .map(({ name, marks: given, type, fallback }) => {
      const number = message.get(name)?.number;
      const isPointer = SCALARS.includes(type) && facts.pointers.has(`${owner} ${name}`);
      const said = `${number === undefined ? '' : `@${number}`}${isPointer ? '?' : ''}${marks === 'kept' ? given : ''}`;
      return `${name}${said}:${type}${fallback}`;
    })
    .join(' ');
