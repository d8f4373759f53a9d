/**
 * What is wrong with an Event, in whichever form it came: it is checked in that of the core group. One that says when it
 * happened (`eventTime`) must say more; one of events.k8s.io may say nothing of what is deprecated, and only its series changes.
 */
import { isEqualJson } from '../../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../../store/object.ts';
import { invalidValue, type Problem, required } from '../../refusal.ts';
import { toCoreEvent } from '../event-forms.ts';
import { checkName, qualifiedName } from './names.ts';
import type { Check } from './small-kinds.ts';

const SHORT_MAX = 128;
const NOTE_MAX = 1_024;

export const checkEvent: Check = (event) => checkCommon(event, 'reportingComponent');

/** `old` is in the form of events.k8s.io, the object as it would be stored. */
export const checkNewEvent: Check = (event, { old }) => [
  ...checkCommon(event, 'reportingController'),
  ...(old === undefined ? checkBirth(event) : checkChange(event, toCoreEvent(old))),
];

const checkCommon = (event: StoredObject, controller: string): readonly Problem[] => {
  const { namespace } = event.metadata;
  const { namespace: involved = '' } = fieldsOf(event['involvedObject']);
  // What belongs to no namespace is told of in `default`; an Event of the newer sort also in `kube-system`.
  const isTimed = typeof event['eventTime'] === 'string';
  const isHome = namespace === 'default' || (isTimed && namespace === 'kube-system');
  const isMatched = involved === '' ? isHome : isTimed || involved === namespace;
  const place = isMatched ? [] : [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')];
  return isTimed ? [...place, ...checkTimed(event, controller)] : place;
};

const textOf = (event: Fields, name: string): string => String(event[name] ?? '');

const checkTimed = (event: StoredObject, controller: string): readonly Problem[] => {
  const reporter = textOf(event, 'reportingComponent');
  return [
    ...(reporter === '' ? [required(controller)] : []),
    ...checkName(controller, reporter, qualifiedName),
    ...['reportingInstance', 'action', 'reason'].flatMap((name) => [
      ...(textOf(event, name) === '' ? [required(name)] : []),
      ...checkLength(event, name, SHORT_MAX),
    ]),
    ...checkLength(event, 'message', NOTE_MAX),
  ];
};

const checkLength = (event: StoredObject, name: string, max: number): readonly Problem[] =>
  Buffer.byteLength(textOf(event, name)) <= max ? [] : [invalidValue(name, '', `can have at most ${max} characters`)];

const checkBirth = (event: StoredObject): readonly Problem[] => {
  const { eventTime, type, firstTimestamp, lastTimestamp, count, source } = event;
  const { component = '', host = '' } = fieldsOf(source);
  const said: readonly (readonly [string, boolean])[] = [
    ['firstTimestamp', firstTimestamp !== undefined],
    ['lastTimestamp', lastTimestamp !== undefined],
    ['count', count !== undefined && count !== 0],
    ['source', component !== '' || host !== ''],
  ];
  const isKnownType = type === 'Normal' || type === 'Warning';
  return [
    ...checkSeries(event),
    ...(typeof eventTime === 'string' ? [] : [required('eventTime')]),
    ...(isKnownType ? [] : [invalidValue('type', '', `has invalid value: ${String(type ?? '')}`)]),
    ...said.filter(([, isSaid]) => isSaid).map(([field]) => invalidValue(field, '', 'needs to be unset')),
  ];
};

const checkSeries = ({ series }: StoredObject): readonly Problem[] => {
  if (series === undefined) return [];
  const { count, lastObservedTime } = fieldsOf(series);
  return [
    ...(Number(count ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(typeof lastObservedTime === 'string' ? [] : [required('series.lastObservedTime')]),
  ];
};

const FIXED = [
  ...['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'type', 'eventTime'],
  ...['action', 'related', 'reportingComponent', 'reportingInstance'],
];

const checkChange = (event: StoredObject, old: StoredObject): readonly Problem[] => [
  ...(isEqualJson(event['series'] ?? null, old['series'] ?? null) ? [] : checkSeries(event)),
  ...FIXED.filter((name) => !isEqualJson(event[name] ?? null, old[name] ?? null)).map((name) =>
    invalidValue(
      name === 'reportingComponent' ? 'reportingController' : name,
      event[name] ?? null,
      'field is immutable',
    ),
  ),
];
