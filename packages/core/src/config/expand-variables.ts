/**
 * Expands `$NAME`, `${NAME}` and `${NAME:-default}` in the strings of a settings file. It
 * replaces names by values and never runs anything; an unknown name stays as written.
 */

import { SettingsError } from './settings-error.ts';

export interface ExpansionOptions {
  path: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Names that stay as written; `onWithheld` is called for each. */
  isWithheld?(name: string): boolean;
  onWithheld?(name: string): void;
}

const MAX_DEPTH = 100;
const REFERENCE = /\$(?:\{([A-Za-z_]\w*)(?::-([^}]*))?\}|([A-Za-z_]\w*))/g;

/** A copy with every string expanded; keys stay as they are. Throws a SettingsError for too deep nesting. */
export function expandVariables<Value>(value: Value, options: ExpansionOptions): Value {
  return expand(value, options, 0) as Value;
}

function expand(value: unknown, options: ExpansionOptions, depth: number): unknown {
  if (depth > MAX_DEPTH) {
    throw new SettingsError(`${options.path} is nested more than ${MAX_DEPTH} levels deep.`, { path: options.path });
  }
  if (typeof value === 'string') return expandText(value, options);
  if (Array.isArray(value)) return value.map((item: unknown) => expand(item, options, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // Assigning it would replace the copy's prototype.
    if (key !== '__proto__') copy[key] = expand(item, options, depth + 1);
  }
  return copy;
}

function expandText(text: string, { environment, isWithheld, onWithheld }: ExpansionOptions): string {
  if (!text.includes('$')) return text;
  return text.replace(REFERENCE, (whole, braced: string | undefined, fallback: string | undefined, bare: string) => {
    const name = braced ?? bare;
    if (isWithheld?.(name) === true) {
      onWithheld?.(name);
      return whole;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (fallback !== undefined) return value || fallback;
    return value ?? whole;
  });
}
