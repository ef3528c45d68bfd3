/**
 * Detects whether the bundle is older than its sources, by one walk over names, sizes and times. The stamp is the
 * list itself, so that comparing needs no hash.
 */

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  'docs',
  'packages/batch/src',
  'packages/queue-bullmq/src',
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
  for (const source of SOURCES) {
    if (statSync(join(root, source)).isDirectory()) walk(root, source, lines);
    else addFile(root, source, lines);
  }
  return lines.join('\n');
}

export function stampPath(root) {
  return join(root, 'packages', 'cli', 'dist', '.stamp');
}

export function isBundleFresh(root, state) {
  if (!existsSync(join(root, 'packages', 'cli', 'dist', 'main.cjs'))) return false;
  if (!existsSync(join(root, 'packages', 'queue-bullmq', 'dist', 'index.js'))) return false;
  try {
    return readFileSync(stampPath(root), 'utf8') === state;
  } catch {
    return false;
  }
}

/** Every start walks over a thousand files, so a name costs one concatenation and only a file costs a system call. */
function walk(root, folder, lines) {
  const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const { name } = entry;
    if (entry.isDirectory()) walk(root, `${folder}/${name}`, lines);
    else if (!/\.(test|test-d|fixture)\.tsx?$/.test(name)) addFile(root, `${folder}/${name}`, lines);
  }
}

function addFile(root, path, lines) {
  const { size, mtimeMs } = statSync(`${root}/${path}`);
  lines.push(`${path} ${size} ${mtimeMs}`);
}
