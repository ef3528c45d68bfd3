/** Fields: reads the keys of a front matter by their expected form, and collects a sentence with its place for each problem. */

import { isRecord } from '../util/is-record.ts';

export class Fields {
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  private readonly values: Readonly<Record<string, unknown>>;
  private readonly placeOf: (key: string) => string;

  /** `placeOf`: the file and the line of a key. */
  constructor(values: Readonly<Record<string, unknown>>, placeOf: (key: string) => string) {
    this.values = values;
    this.placeOf = placeOf;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** `null` counts as missing: YAML makes it of an empty value. */
  get(key: string): unknown {
    return (Object.hasOwn(this.values, key) ? this.values[key] : undefined) ?? undefined;
  }

  text(key: string, rule?: { pattern: RegExp; expected: string }): string | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.fail(key, `expected a text, not ${describe(value)}`);
    if (rule && !rule.pattern.test(value)) return this.fail(key, `expected ${rule.expected}, not "${value}"`);
    return value;
  }

  choice<const T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const found = allowed.find((each) => each === value);
    return found ?? this.fail(key, `expected ${allowed.join(' or ')}, not ${describe(value)}`);
  }

  number(key: string, rule: { minimum: number; maximum?: number; isWhole?: boolean }): number | undefined {
    const { minimum, maximum = Number.POSITIVE_INFINITY, isWhole = false } = rule;
    const value = this.get(key);
    if (value === undefined) return undefined;
    const isFit = typeof value === 'number' && value >= minimum && value <= maximum;
    if (isFit && (!isWhole || Number.isInteger(value))) return value;
    const end = Number.isFinite(maximum) ? ` to ${maximum}` : ' or more';
    return this.fail(
      key,
      `expected ${isWhole ? 'a whole number' : 'a number'} of ${minimum}${end}, not ${describe(value)}`,
    );
  }

  record(key: string): Record<string, unknown> | undefined {
    const value = this.get(key);
    if (value === undefined || isRecord(value)) return value;
    return this.fail(key, `expected a map, not ${describe(value)}`);
  }

  fail(key: string, problem: string): undefined {
    this.errors.push(`${this.placeOf(key)}: ${key}: ${problem}.`);
    return undefined;
  }

  warn(key: string, problem: string): void {
    this.warnings.push(`${this.placeOf(key)}: ${key}: ${problem}.`);
  }

  warnOfUnknown(known: readonly string[]): void {
    for (const key of Object.keys(this.values))
      if (!known.includes(key)) this.warn(key, `unknown key, ignored; the keys are ${known.join(', ')}`);
  }
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
