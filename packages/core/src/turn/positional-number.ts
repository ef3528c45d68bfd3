/**
 * Validates the numbers that the documented consumers take by position, so that no other argument is silently
 * ignored.
 */

/** Throws a TypeError that names the supported form. */
export function requireNumber(value: unknown, least: number, form: string, name: string): number {
  if (typeof value === 'number' && value >= least) return value;
  const got = typeof value === 'number' ? String(value) : typeof value;
  throw new TypeError(`${name} must be a number of at least ${least}, got ${got}. Use ${form}.`);
}
