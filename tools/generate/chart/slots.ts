/**
 * Objects as Helm templates: where a value is to come from the chart, a slot stands in the object, and becomes an action of the
 * template in the text. A slot holds its action itself, so that rendering needs no memory.
 */
import { toYaml } from '../yaml.ts';

const encode = (action: string): string => Buffer.from(action).toString('hex');
const decode = (text: string): string => Buffer.from(text, 'hex').toString();

/** A value on its line: `{{ action }}`. */
export const inline = (action: string): string => `SLOT-inline-${encode(action)}-END`;
/** A value of several lines: the action gives YAML, which is put under its key. */
export const block = (action: string): string => `SLOT-block-${encode(action)}-END`;

/** `if` holds for all of the objects; without it they are always there. */
export const renderTemplate = (objects: readonly object[], condition?: string): string => {
  const text = objects.map((object) => fillSlots(escapeActions(toYaml(object)))).join('---\n');
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
};

/** What looks like an action in a description of ours is text. */
const escapeActions = (yaml: string): string =>
  yaml.replaceAll(/\{\{.*?\}\}/g, (found) => `{{ ${JSON.stringify(found)} }}`);

const BLOCK = /^( *)((?:- )*)([^\n]*?): SLOT-block-([0-9a-f]+)-END$/gm;
const INLINE = /SLOT-inline-([0-9a-f]+)-END/g;

const fillSlots = (yaml: string): string =>
  yaml
    .replaceAll(BLOCK, (_line, indent: string, dashes: string, key: string, action: string) => {
      const depth = indent.length + dashes.length + 2;
      return `${indent}${dashes}${key}: {{- ${decode(action)} | nindent ${depth} }}`;
    })
    .replaceAll(INLINE, (_slot, action: string) => `{{ ${decode(action)} }}`);
