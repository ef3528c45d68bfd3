/**
 * Our own sources with imports that cost a start less than those people write:
 *
 * - `import { … } from '@castor/core'` goes to the files that define the names. esbuild
 *   puts everything an index file re-exports for anybody into one chunk for everybody:
 *   a start would load what only another surface uses.
 * - `import('node:…')` takes the module itself. The usual way reads every name it has,
 *   deprecated and lazy ones too.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILTIN = /\bimport\('(node:[\w/]+)'\)/g;
const IMPORT = /^import \{([^}]*)\} from '@castor\/core';$/gm;
const EXPORT = /^export \{([^}]*)\} from '(\.\/[^']+)';$/gm;
const EXPORT_ALL = /^export \* from '(\.\/[^']+)';$/gm;
const DECLARATION = /^export (?:async )?(?:const|let|class|enum|function\*?) (\w+)/gm;

/** The plugin, for the tree at `root`. */
export function directImports(root) {
  return {
    name: 'direct-imports',
    setup(build) {
      const source = join(root, 'packages', 'core', 'src');
      const files = readIndex(source);
      build.onLoad({ filter: /[\\/]packages[\\/](cli|core)[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8')
          .replace(IMPORT, (_all, list) => toDirect(list, files))
          .replace(BUILTIN, "Promise.resolve(process.getBuiltinModule('$1'))"),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }));
    },
  };
}

/** For each exported value the file it comes from. */
function readIndex(source) {
  const files = new Map();
  const index = readFileSync(join(source, 'index.ts'), 'utf8');
  for (const [, list, file] of index.matchAll(EXPORT)) {
    for (const name of toNames(list)) files.set(name, join(source, file));
  }
  for (const [, file] of index.matchAll(EXPORT_ALL)) {
    const path = join(source, file);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(DECLARATION)) files.set(name, path);
  }
  return files;
}

/** On one line, so that lines keep their numbers. What is renamed on its way out is left to the index. */
function toDirect(list, files) {
  const imports = toNames(list).map((name) => {
    const file = files.get(name.split(' ')[0]) ?? '@castor/core';
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
