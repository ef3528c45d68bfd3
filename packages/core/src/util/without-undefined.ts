/** Copies an object without its undefined fields, for options that are either set or absent. */

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Defined<T>;
}
