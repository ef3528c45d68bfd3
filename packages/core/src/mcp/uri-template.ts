/** Matches addresses against the templates of MCP resources (RFC 6570, as far as servers use it). Pure. */

const EXPRESSION = /\{([+#./;?&]?)([^}]*)\}/g;
/** Values as they may be written in an address. */
const PATTERNS: Readonly<Record<string, string>> = {
  '': String.raw`[^/?#]+`,
  '+': '.+',
  '#': '(?:#.*)?',
  '.': String.raw`(?:\.[^/?#]+)?`,
  '/': String.raw`(?:/[^?#]*)?`,
  ';': String.raw`(?:;[^/?#]*)?`,
  '?': String.raw`(?:\?[^#]*)?`,
  '&': '(?:&[^#]*)?',
};
const MAX_EXPRESSIONS = 10;

/** Whether the address is one the template stands for. A template with too many variables matches none. */
export function fitsTemplate(uri: string, template: string): boolean {
  const expressions = [...template.matchAll(EXPRESSION)];
  if (expressions.length > MAX_EXPRESSIONS) return false;
  let pattern = '';
  let position = 0;
  for (const { index, 0: whole, 1: operator = '', 2: names = '' } of expressions) {
    pattern += escape(template.slice(position, index));
    pattern += operator === '' && names.endsWith('*') ? '.+' : PATTERNS[operator]!;
    position = index + whole.length;
  }
  return new RegExp(`^${pattern}${escape(template.slice(position))}$`).test(uri);
}

/** The first variable of a template and the text before it, for completion. */
export function firstVariable(template: string): { before: string; name: string } | undefined {
  const found = /\{[+#./;?&]?([^}*:,]+)/.exec(template);
  return found ? { before: template.slice(0, found.index), name: found[1]! } : undefined;
}

function escape(literal: string): string {
  return literal.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
