/**
 * Stand-ins for secrets: of the same kind, form and length, made of zeros and a number. Whatever treats a secret by its form treats its
 * stand-in alike, and it says nothing about the value. Pure.
 */

import { FORMS } from './find-secrets.ts';
import type { FoundSecret } from './find-secrets.ts';
import { isDistinctive } from './secret-vault.ts';

/** A class with a count, in the source of a form: what is not fixed in it. */
const VARIABLE_PART = /(\[[^\]]+\]\{[\d,]+\})/;
/** Each form with its fixed and its variable parts in turns. */
const PARTS = FORMS.map(([, form]) => {
  const parts = form.split(VARIABLE_PART).filter((part) => part !== '');
  return {
    expression: new RegExp(`^${parts.map((part) => `(${part})`).join('')}$`),
    isVariable: parts.map((part) => VARIABLE_PART.test(part)),
  };
});

export function standInFor({ kind, value }: Omit<FoundSecret, 'start'>, number: number): string {
  if (kind === 'private-key') return blockStandIn(value, number);
  for (const { expression, isVariable } of PARTS) {
    const [, ...parts] = expression.exec(value) ?? [];
    if (parts.length > 0)
      return parts.map((part, index) => (isVariable[index] ? digits(part.length, number) : part)).join('');
  }
  return plainStandIn(value, number);
}

/** For a secret without a form: it is as recognisable outside its context as the value. */
export function plainStandIn(value: string, number: number): string {
  return isDistinctive(value) ? `v${digits(value.length - 1, number)}` : digits(value.length, number);
}

/** The lines of a key stay; in JSON they are joined by escapes. */
function blockStandIn(value: string, number: number): string {
  const [, begin = '', body = '', end = ''] =
    /^(-----BEGIN [A-Z ]+-----)([^]*?)(-----END [A-Z ]+-----)?$/.exec(value) ?? [];
  const zeros = body.replace(/(\\.)|[A-Za-z0-9+/=]/g, (_, escape?: string) => escape ?? '0');
  const at = /0(?=(?:\\.|[^0])*$)/.exec(zeros)?.index ?? 0;
  const written = String(number);
  const from = zeros.slice(0, at + 1).endsWith('0'.repeat(written.length)) ? at + 1 - written.length : at + 1;
  return `${begin}${zeros.slice(0, from)}${written}${zeros.slice(at + 1)}${end}`;
}

function digits(length: number, number: number): string {
  return String(number).padStart(length, '0').slice(-length);
}
