/** How generated YAML is written, everywhere. */
import {
  type CreateNodeOptions,
  type DocumentOptions,
  type SchemaOptions,
  stringify,
  type ToStringOptions,
} from 'yaml';

const YAML_STYLE: DocumentOptions & SchemaOptions & CreateNodeOptions & ToStringOptions = {
  aliasDuplicateObjects: false,
  sortMapEntries: true,
  lineWidth: 0,
  version: '1.1',
};

export const toYaml = (object: object): string => stringify(object, YAML_STYLE);
