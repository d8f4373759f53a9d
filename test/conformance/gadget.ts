/** A small kind of the suite's own: defaulting, pruning, rules, status, scale, columns, list types. */

const string = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { ...integer, minimum: 1, maximum: 10 },
    color: { ...string, default: 'red', enum: ['red', 'green', 'blue'] },
    code: { ...string, pattern: '^[a-z]+$', maxLength: 8 },
    frozen: { ...string, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'frozen stays' }] },
    replicas: integer,
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    tags: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    parts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: string, count: { ...integer, default: 1 }, note: string },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    words: { type: 'array', items: string, maxItems: 3 },
    labels: { type: 'object', additionalProperties: string },
    either: { 'x-kubernetes-int-or-string': true },
    maybe: { ...string, nullable: true },
    low: integer,
    high: integer,
    when: { ...string, format: 'date-time' },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
      messageExpression: "has(self.code) ? 'low is above high in ' + self.code : 'low is above high'",
      reason: 'FieldValueInvalid',
      fieldPath: '.low',
    },
  ],
};

const status = {
  type: 'object',
  properties: {
    phase: string,
    replicas: integer,
    selector: string,
    conditions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'status'],
        properties: { type: string, status: string, reason: string },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
};

export const GADGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.conformance.macfleet.dev' },
  spec: {
    group: 'conformance.macfleet.dev',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList', shortNames: ['gdt'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How large' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        selectableFields: [{ jsonPath: '.spec.color' }],
      },
    ],
  },
};
