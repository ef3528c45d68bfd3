/**
 * Detects whether the bundle is older than its sources, by one walk over names, sizes and times. The stamp is the
 * list itself, so that comparing needs no hash.
 */

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const SOURCES = [
  'docs',
  'packages/core/src',
  'packages/cli/src',
  'packages/cli/package.json',
  'scripts/build.mjs',
  'scripts/direct-imports.mjs',
  'scripts/ink-plugin.mjs',
  'scripts/models-dev-licence.txt',
  'scripts/notices.mjs',
  'scripts/pack.mjs',
];

/** Lists all inputs of the bundle as one text that changes when any of them does. */
export function sourceState(root) {
  const lines = [];
  for (const source of SOURCES) walk(join(root, source), lines, root);
  return lines.join('\n');
}

export function stampPath(root) {
  return join(root, 'packages', 'cli', 'dist', '.stamp');
}

export function isBundleFresh(root, state) {
  if (!existsSync(join(root, 'packages', 'cli', 'dist', 'main.cjs'))) return false;
  try {
    return readFileSync(stampPath(root), 'utf8') === state;
  } catch {
    return false;
  }
}

function walk(path, lines, root) {
  const stat = statSync(path);
  if (!stat.isDirectory()) {
    lines.push(`${relative(root, path)} ${stat.size} ${stat.mtimeMs}`);
    return;
  }
  for (const name of readdirSync(path).sort()) {
    if (!/\.(test|test-d|fixture)\.tsx?$/.test(name)) walk(join(path, name), lines, root);
  }
}
