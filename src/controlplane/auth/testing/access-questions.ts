/** For tests: the short questions of access-cases.ts as SubjectAccessReview puts them. */

const RESOURCE = /^([a-z]+)(?:\/([a-z]+))?(?:\.(\S+))?$/;

export const toAttributes = (asks: string, fieldSelector?: string): object => {
  const [verb = '', what = '', which = ''] = asks.split(' ');
  if (what.startsWith('/')) return { nonResourceAttributes: { verb, path: what } };
  const [, resource, subresource, group = ''] = RESOURCE.exec(what) ?? [];
  const [first = '', second] = which.split('/');
  const [namespace, name] = second === undefined ? ['', first] : [first, second];
  return {
    resourceAttributes: {
      ...{ verb, group, resource, namespace, name },
      ...(subresource !== undefined && { subresource }),
      ...(fieldSelector !== undefined && { fieldSelector: { rawSelector: fieldSelector } }),
    },
  };
};
