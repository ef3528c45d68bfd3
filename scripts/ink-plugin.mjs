/**
 * Makes Ink start fast in the bundle (DEPENDENCIES 3): yoga's wasm is a file that is instantiated directly instead of
 * a fetched data URL, which would load all of undici; widths come from fast-string-width, whose emoji table costs
 * nothing; developer tools are left out. Characters of one style cost a frame no Sets: they were two thirds of all
 * memory that a streamed answer allocates.
 */

import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join } from 'node:path';

const REPLACED = { 'string-width': 'fast-string-width', 'wrap-ansi': 'fast-wrap-ansi' };
const DATA_ADDRESS = /data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)/;

/** No `await` and no `import.meta`: the chunk can be CommonJS like all others (pack.mjs). */
const YOGA = `
import loadYoga from '../binaries/yoga-wasm-base64-esm.js';
import wrapAssembly from './wrapAssembly.js';
import wasm from 'yoga-wasm';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
const library = {
  instantiateWasm(imports, done) {
    const bytes = readFileSync(join(__dirname, wasm));
    done(new WebAssembly.Instance(new WebAssembly.Module(bytes), imports));
    return {};
  },
};
loadYoga(library);
export default wrapAssembly(library);
export * from './generated/YGEnums.js';
`;

export const inkPlugin = {
  name: 'ink',
  setup(build) {
    let wasmSource;
    build.onResolve({ filter: /^(string-width|wrap-ansi)$/ }, ({ path, resolveDir, kind }) =>
      path === 'string-width'
        ? build.resolve(REPLACED[path], { resolveDir, kind })
        : { path: 'wrap-ansi', namespace: 'ink', pluginData: { resolveDir } },
    );
    build.onLoad({ filter: /^wrap-ansi$/, namespace: 'ink' }, ({ pluginData }) => ({
      contents: `export { wrapAnsi as default } from '${REPLACED['wrap-ansi']}';`,
      resolveDir: pluginData.resolveDir,
    }));
    build.onLoad({ filter: /yoga-layout\/dist\/src\/index\.js$/ }, ({ path }) => {
      wasmSource = join(dirname(path), '..', 'binaries', 'yoga-wasm-base64-esm.js');
      return { contents: YOGA, resolveDir: dirname(path) };
    });
    build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(DATA_ADDRESS, 'yoga.wasm').replace('import.meta.url', "''"),
      resolveDir: dirname(path),
    }));
    build.onResolve({ filter: /^yoga-wasm$/ }, () => ({ path: 'yoga.wasm', namespace: 'wasm' }));
    build.onLoad({ filter: /.*/, namespace: 'wasm' }, () => {
      const [, encoded] = DATA_ADDRESS.exec(readFileSync(wasmSource, 'utf8')) ?? [];
      if (!encoded) throw new Error('yoga-layout holds its wasm in another way than expected.');
      return { contents: Buffer.from(encoded, 'base64'), loader: 'file' };
    });
    build.onLoad({ filter: /[\\/]ink[\\/]build[\\/]reconciler\.js$/ }, ({ path }) => ({
      // Only development mode needs a top-level await.
      contents: readFileSync(path, 'utf8')
        .replaceAll("process.env['DEV'] === 'true'", 'false')
        .replace(/async function loadPackageJson[\s\S]*?\n}\n/, ''),
      resolveDir: dirname(path),
    }));
    build.onLoad({ filter: /[\\/]ansi-tokenize[\\/]build[\\/](diff|ansiCodes)\.js$/ }, ({ path }) => ({
      contents: withShortcut(readFileSync(path, 'utf8'), basename(path, '.js')),
      resolveDir: dirname(path),
    }));
    // The program handles its own exit; this package would listen to every signal there is.
    build.onResolve({ filter: /^signal-exit$/ }, () => ({ path: 'signal-exit', namespace: 'ink-nothing' }));
    build.onLoad({ filter: /.*/, namespace: 'ink-nothing' }, () => ({ contents: 'export default () => () => {};' }));
    takeBuiltinsOfOldModules(build);
  },
};

/** Neighbours mostly have the same style, and the difference between equal styles is empty. */
const SHORTCUTS = {
  diff: [
    'export function diffAnsiCodes(from, to) {',
    'if (from.length === to.length && from.every(({ code }, index) => code === to[index].code)) return [];',
  ],
  ansiCodes: ['export function ansiCodesToString(codes) {', 'if (codes.length === 0) return "";'],
};

function withShortcut(source, name) {
  const [head, shortcut] = SHORTCUTS[name];
  if (!source.includes(head)) throw new Error(`@alcalzone/ansi-tokenize has another ${name}.js than expected.`);
  return source.replace(head, `${head}\n  ${shortcut}`);
}

/** `require('events')` of modules written before the `node:` prefix. */
function takeBuiltinsOfOldModules(build) {
  const names = builtinModules.filter((name) => !name.startsWith('_')).join('|');
  build.onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path, kind }) =>
    kind === 'require-call' ? { path: path.replace(/^node:/, ''), namespace: 'builtin-required' } : undefined,
  );
  build.onLoad({ filter: /.*/, namespace: 'builtin-required' }, ({ path }) => ({
    contents: `module.exports = process.getBuiltinModule('node:${path}');`,
    loader: 'js',
  }));
}
