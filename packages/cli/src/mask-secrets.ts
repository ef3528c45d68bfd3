/**
 * Masks settings for display: values that look like secrets become `***`, by their key, by their form, and by equality
 * with a secret variable. A reference to a variable contains no secret and stays.
 */

import { SECRET_NAME, SECRET_VALUE } from '@castor/core/program';

export const MASK = '***';

type Environment = Readonly<Record<string, string | undefined>>;

/** Objects whose values go into an environment or a request, whatever their key. */
const SECRET_HOLDERS: ReadonlySet<string> = new Set(['env', 'headers', 'oauth']);
const REFERENCE = /^\$(?:\w+|\{\w+\})$/;
/** Shorter values are too likely to be words. */
const MIN_SECRET = 8;

/** Settings whose name contains such a word and that hold no secret. */
const HARMLESS =
  /^(?:providers\.[^.]+\.(?:apiKeyEnv|apiKeyCommand|quirks\.(?:cacheKey|maxTokensField))|security|security\.auth|security\.auth\.\w+|general\.debugKeystrokeLogging|contextManagement|model)$/;
const TOKEN_COUNT = /tokens?(?:budget|limit)?$|^(?:max|retained|normalMax|retainedMax)\w*Tokens$/i;

export function createMask(environment: Environment): (key: string, value: unknown) => unknown {
  const secrets = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= MIN_SECRET && SECRET_NAME.test(name) ? [value] : [],
  );
  const values = new Set(Object.values(environment));
  const maskText = (text: string, isSecret: boolean): string => {
    if (isSecret && text !== '' && !isReference(text)) return MASK;
    let shown = text.replace(SECRET_VALUE, MASK);
    for (const secret of secrets) shown = shown.replaceAll(secret, MASK);
    return maskUrls(shown);
  };
  // The value of `$$TOKEN` looks like a reference, but is the token.
  const isReference = (text: string) => REFERENCE.test(text) && !values.has(text.slice(1));
  const mask = (path: readonly string[], value: unknown, isSecret: boolean): unknown => {
    if (typeof value === 'string') return maskText(value, isSecret);
    if (Array.isArray(value)) return maskList(value, (item, isNext) => mask(path, item, isSecret || isNext));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        mask([...path, key], item, isSecret || isSecretKey([...path, key])),
      ]),
    );
  };
  return (key, value) => {
    const path = key === '' ? [] : key.split('.');
    const isSecret = path.some((_, index) => isSecretKey(path.slice(0, index + 1)));
    return mask(path, value, isSecret);
  };
}

function isSecretKey(path: readonly string[]): boolean {
  const name = path.at(-1) ?? '';
  if (SECRET_HOLDERS.has(name)) return true;
  if (HARMLESS.test(path.join('.')) || TOKEN_COUNT.test(name)) return false;
  // Users choose the names of servers, aliases and files.
  return path[0] !== 'ui' && !(path.length === 2 && path[0] === 'mcpServers') && SECRET_NAME.test(name);
}

/** `--api-key value` and `--token=value` in the arguments of a command. */
function maskList(values: readonly unknown[], mask: (item: unknown, isSecret: boolean) => unknown): unknown[] {
  return values.map((item, index) => {
    const before = values[index - 1];
    if (typeof item === 'string') {
      const [, flag] = /^(--?[\w-]+)=/.exec(item) ?? [];
      if (flag !== undefined && SECRET_NAME.test(flag)) return `${flag}=${MASK}`;
    }
    const isNext = typeof before === 'string' && /^--?[\w-]+$/.test(before) && SECRET_NAME.test(before);
    return mask(item, isNext);
  });
}

/** The password of a URL, and values in its query that look like keys. */
function maskUrls(text: string): string {
  if (!text.includes('://')) return text;
  return text
    .replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${MASK}@`)
    .replace(/([?&][^=&\s]*(?:key|token|secret|passw|auth|sig)[^=&\s]*=)[^&\s#]+/gi, `$1${MASK}`);
}
