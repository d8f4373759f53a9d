/** The part of the chart that refuses values of the Go original, from their table. */
import { REFUSED_VALUES, type RefusedValue } from './refused-values.ts';

const sentence = ({ path, when, instead }: RefusedValue): string =>
  `${when === 'any' ? path : `${path}.${when}`} is of the Go original's chart, and ${instead}.`;

const renderRefusal = (value: RefusedValue): string => {
  const at = `.Values.${value.path}`;
  const condition =
    value.when === 'any'
      ? `include "macfleet.isSet" ${at}`
      : `and (kindIs "map" ${at}) (dig "${value.when}" false (${at} | default dict))`;
  return `{{- if ${condition} }}\n{{- fail ${JSON.stringify(sentence(value))} }}\n{{- end }}\n`;
};

/** Gives "yes" for what says something: true, a number but 0, a text, or a list or map with such a thing in it. */
const IS_SET = `{{- define "macfleet.isSet" -}}
{{- if kindIs "map" . }}
{{- range $value := . }}{{ include "macfleet.isSet" $value }}{{ end }}
{{- else if . }}yes{{ end }}
{{- end }}
`;

export const renderRefusals = (): string =>
  `${IS_SET}\n{{- define "macfleet.refuseOriginals" -}}\n${REFUSED_VALUES.map(renderRefusal).join('')}{{- end }}\n`;
