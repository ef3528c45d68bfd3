/**
 * Describes a call's effect on a file for `gemini_cli.file_operation`: never its path, and never its content. Pure.
 */

import type { ClosedCall } from './closed-call.ts';
import type { Attributes } from './signals.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'Shell',
  c: 'C',
  cc: 'C++',
  cjs: 'JavaScript',
  clj: 'Clojure',
  cpp: 'C++',
  cs: 'C#',
  css: 'CSS',
  cts: 'TypeScript',
  dart: 'Dart',
  ex: 'Elixir',
  exs: 'Elixir',
  go: 'Go',
  h: 'C',
  hpp: 'C++',
  hs: 'Haskell',
  html: 'HTML',
  java: 'Java',
  jl: 'Julia',
  js: 'JavaScript',
  json: 'JSON',
  jsx: 'JavaScript',
  kt: 'Kotlin',
  kts: 'Kotlin',
  lua: 'Lua',
  m: 'Objective-C',
  md: 'Markdown',
  mjs: 'JavaScript',
  mts: 'TypeScript',
  php: 'PHP',
  pl: 'Perl',
  ps1: 'PowerShell',
  py: 'Python',
  r: 'R',
  rb: 'Ruby',
  rs: 'Rust',
  scala: 'Scala',
  scss: 'SCSS',
  sh: 'Shell',
  sql: 'SQL',
  svelte: 'Svelte',
  swift: 'Swift',
  toml: 'TOML',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  vue: 'Vue',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
  zig: 'Zig',
  zsh: 'Shell',
};

const TEXT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  xml: 'text/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

/** A file name may end in any text; only a plausible extension is recorded. */
const EXTENSION = /[^/\\]\.([A-Za-z0-9]{1,12})$/;

export interface FileOperation extends Attributes {
  operation: 'create' | 'read' | 'update';
}

/** Undefined for a call that touched no file, or failed. */
export function toFileOperation({ name, args, succeeded, response }: ClosedCall): FileOperation | undefined {
  if (!succeeded) return undefined;
  const { data = {}, resultDisplay } = response;
  if (name === 'read_file') return { operation: 'read', lines: linesRead(data), ...typeOf(args, response) };
  if (typeof resultDisplay !== 'object' || !('fileDiff' in resultDisplay)) return undefined;
  const { isNewFile = false, newContent } = resultDisplay;
  return { operation: isNewFile ? 'create' : 'update', lines: countLines(newContent), ...typeOf(args, response) };
}

function linesRead({ totalLines, firstLine, lastLine }: Record<string, unknown>): number | undefined {
  if (typeof firstLine === 'number' && typeof lastLine === 'number') return lastLine - firstLine + 1;
  return typeof totalLines === 'number' ? totalLines : undefined;
}

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function typeOf({ file_path }: Record<string, unknown>, { responseParts }: ClosedCall['response']): Attributes {
  const name = typeof file_path === 'string' ? file_path : '';
  const ending = EXTENSION.exec(name)?.[1]?.toLowerCase();
  const media = responseParts
    .flatMap((part) => [part, ...(part.functionResponse?.parts ?? [])])
    .find(({ inlineData }) => inlineData)?.inlineData?.mimeType;
  return {
    mimetype: media ?? (ending === undefined ? undefined : (TEXT_TYPES[ending] ?? 'text/plain')),
    extension: ending === undefined ? undefined : `.${ending}`,
    programming_language: ending === undefined ? undefined : LANGUAGES[ending],
  };
}
