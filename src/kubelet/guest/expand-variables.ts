/** `$(NAME)` in what a container says, as Kubernetes replaces it: in its variables, its command and its arguments. Pure. */

/** `$$` is a dollar, so that `$$(NAME)` is none of ours; `$(NAME)` of a name that is not there stays as it is. */
export const expandVariables = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replace(/\$(?:\$|\(([^)]*)\))/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (variables.get(name) ?? whole),
  );
