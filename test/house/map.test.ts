/** ARCHITECTURE.md and the AGENTS.md files name files and folders; each of them is there. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n');
const PAGES = FILES.filter((file) => /(^|\/)(ARCHITECTURE|AGENTS)\.md$/.test(file));

/** Names in code style that look like a file, or a folder with a slash at its end; `*` and `<name>` stand for any name. */
function namesOn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```.*?^```/gms, '');
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const looksLikeFile = /^[\w./<>*-]+(\.(tsx?|mjs|cjs|md|json)|\/)$/;
  return spans.filter(
    (span) => looksLikeFile.test(span) && !/^(\.|~)|(^|\/)x\.|^node_modules|^dist|\.gemini/.test(span),
  );
}

/** The end of the path of some file, or of a folder. */
function isThere(name: string): boolean {
  const pattern = name
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**', '.*')
    .replaceAll(/(?<!\.)\*|<[^>]+>/g, '[^/]*');
  const expression = new RegExp(name.endsWith('/') ? `(^|/)${pattern}` : `(^|/)${pattern}$`);
  return FILES.some((file) => expression.test(file));
}

describe('the map', () => {
  it.each(PAGES)('%s names only what is there', (page) => {
    expect(namesOn(page).filter((name) => !isThere(name))).toEqual([]);
  });

  it('has names to look for', () => {
    expect(namesOn('ARCHITECTURE.md').length).toBeGreaterThan(40);
  });
});
