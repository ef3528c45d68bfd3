/**
 * Rewrites imports of our own sources into ones that make a start cheaper:
 *
 * - `import { … } from '@castor/core'` and from '@castor/core/program' goes to the files that define the names.
 *   esbuild puts everything an entry re-exports into one chunk: a start would load code that only another surface uses.
 * - `import('node:…')` takes the module itself. The usual form evaluates every export, including deprecated and lazy
 *   ones.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILTIN = /\bimport\('(node:[\w/]+)'\)/g;
const IMPORT = /^import \{([^}]*)\} from '(@castor\/core(?:\/program)?)';$/gm;
/** The entries of core, each with its file. */
const ENTRIES = { '@castor/core': 'index.ts', '@castor/core/program': 'program.ts' };
const EXPORT = /^export \{([^}]*)\} from '(\.\/[^']+)';$/gm;
const EXPORT_ALL = /^export \* from '(\.\/[^']+)';$/gm;
const DECLARATION = /^export (?:async )?(?:const|let|class|enum|function\*?) (\w+)/gm;

/** The plugin, for the tree at `root`. */
export function directImports(root) {
  return {
    name: 'direct-imports',
    setup(build) {
      const source = join(root, 'packages', 'core', 'src');
      const files = Object.fromEntries(
        Object.entries(ENTRIES).map(([entry, name]) => [entry, readEntry(source, name)]),
      );
      build.onLoad({ filter: /[\\/]packages[\\/](batch|cli|core)[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8')
          .replace(IMPORT, (_all, list, entry) => toDirect(list, entry, files[entry]))
          .replace(BUILTIN, "Promise.resolve(process.getBuiltinModule('$1'))"),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }));
    },
  };
}

/** Maps each exported value to the file that defines it. */
function readEntry(source, entry) {
  const files = new Map();
  const text = readFileSync(join(source, entry), 'utf8');
  for (const [, list, file] of text.matchAll(EXPORT)) {
    for (const name of toNames(list)) files.set(name, join(source, file));
  }
  for (const [, file] of text.matchAll(EXPORT_ALL)) {
    const path = join(source, file);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(DECLARATION)) files.set(name, path);
  }
  return files;
}

/** On one line, so that lines keep their numbers. Names that the entry renames are still imported from the entry. */
function toDirect(list, entry, files) {
  const imports = toNames(list).map((name) => {
    const file = files.get(name.split(' ')[0]) ?? entry;
    return `import { ${name} } from ${JSON.stringify(file)};`;
  });
  return imports.join(' ') + '\n'.repeat(list.split('\n').length - 1);
}

function toNames(list) {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
