/** Leaves out the fields of a request that are not set: strict servers reject what they do not know. */

/** The same fields, each of which may be left undefined instead of absent. */
export type Fields<T> = { [K in keyof T]: T[K] | undefined };

/** Without those that are undefined, and those a server has rejected. */
export function definedFields<T extends object>(fields: Fields<T>, without?: ReadonlySet<string>): T {
  const kept: Partial<T> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && !without?.has(name)) kept[name] = value;
  }
  return kept as T;
}
