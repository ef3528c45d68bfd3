/**
 * Builds the cli as one esbuild bundle with lazy chunks, packed by pack.mjs. New files are put in place one by one,
 * the entry last: a program that runs or starts during the build always finds the chunks its own entry names.
 */

import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { directImports } from './direct-imports.mjs';
import { inkPlugin } from './ink-plugin.mjs';
import { collectNotices } from './notices.mjs';
import { packBundle } from './pack.mjs';

/** Chunks of an older build are kept this long for the programs that still run it. */
const KEEP_OLD_CHUNKS_MS = 24 * 60 * 60_000;
/** Chunks, and half-written files of an interrupted build. */
const OURS = /\.c?js$|^\..*\.\d+$/;

/**
 * `import … from 'node:fs'` makes Node evaluate every export of the module, including lazy ones, which loads unused
 * code: 6 ms of every start. The bundle takes the modules themselves instead.
 */
const directBuiltins = {
  name: 'direct-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin', sideEffects: false }));
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      // Only imported names are read: the rest is dropped from the bundle.
      const names = Object.getOwnPropertyNames(process.getBuiltinModule(path)).filter(
        (name) => /^[A-Za-z_]\w*$/.test(name) && name !== 'default',
      );
      const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ $take('${name}');`);
      const taken = `process.getBuiltinModule('${path}')[name]`;
      // It has functions only (`constants` are those of node:fs). The first call loads it: most starts make none before
      // the first request, and loading it takes 2 ms.
      const isLate = path === 'node:fs/promises';
      const head = `const $take = (name) => ${isLate ? `(...given) => ${taken}(...given)` : taken};`;
      const whole = `export default /* @__PURE__ */ (() => process.getBuiltinModule('${path}'))();`;
      return { contents: [head, whole, ...exported].join('\n') };
    });
  },
};

export async function buildBundle(root, folder = join(root, 'packages', 'cli', 'dist')) {
  const { version } = JSON.parse(readFileSync(join(root, 'packages', 'cli', 'package.json'), 'utf8'));
  const result = await esbuild
    .build({
      absWorkingDir: root,
      entryPoints: ['packages/cli/src/main.ts'],
      outdir: folder,
      write: false,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      conditions: ['castor-source'],
      // Real dependencies of the published package: they contain binaries that cannot be bundled.
      external: ['@vscode/ripgrep', '@lydell/node-pty', '@napi-rs/keyring', '@castor/queue-bullmq'],
      mainFields: ['module', 'main'],
      // Minifies names too: a third less to read and compile at every start. Classes whose name is visible set it by
      // hand.
      minify: true,
      metafile: true,
      legalComments: 'none',
      loader: { '.md': 'text' },
      chunkNames: '[name]-[hash]',
      assetNames: '[name]-[hash]',
      plugins: [directImports(root), inkPlugin, directBuiltins],
      jsx: 'automatic',
      define: {
        CASTOR_VERSION: JSON.stringify(version),
        'process.env.NODE_ENV': '"production"',
        // Packages pass it to createRequire, which accepts a path as well: so their chunks can be CommonJS
        // (pack.mjs).
        'import.meta.url': '__filename',
      },
      logLevel: 'silent',
    })
    .catch((error) => {
      const lines = esbuild.formatMessagesSync(error.errors ?? [], { kind: 'error', color: false });
      throw new Error(`castor: the build failed\n${lines.join('\n') || error.message}`);
    });
  mkdirSync(folder, { recursive: true });
  const files = await packBundle(result);
  // A program of its own: the process beside the agent that keeps files for undo.
  files.set('undo-process.cjs', await bundleProcess(root, 'packages/core/src/undo/undo-process.ts'));
  for (const [name, contents] of files) replaceFile(join(folder, name), contents);
  await buildQueue(root);
  replaceFile(join(folder, 'meta.json'), JSON.stringify(result.metafile));
  replaceFile(join(folder, 'NOTICES.txt'), collectNotices(root, result.metafile));
  // For the agent that answers questions about the program.
  const pages = join(root, 'docs');
  mkdirSync(join(folder, 'docs'), { recursive: true });
  for (const name of readdirSync(pages).filter((each) => each.endsWith('.md')))
    replaceFile(join(folder, 'docs', name), readFileSync(join(pages, name)));
  removeOldChunks(folder, files);
}

/** A package of its own, which castor loads only for a queue on a server. Its drivers stay dependencies. */
async function buildQueue(root) {
  const folder = join(root, 'packages', 'queue-bullmq');
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [join(folder, 'src', 'index.ts')],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    conditions: ['castor-source'],
    external: ['bullmq', 'ioredis', 'pg'],
    legalComments: 'none',
    logLevel: 'silent',
  });
  mkdirSync(join(folder, 'dist'), { recursive: true });
  replaceFile(join(folder, 'dist', 'index.js'), outputFiles[0].contents);
}

async function bundleProcess(root, entry) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles[0].contents;
}

function replaceFile(path, contents) {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

function removeOldChunks(folder, current) {
  for (const name of readdirSync(folder)) {
    if (!OURS.test(name) || current.has(name)) continue;
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEEP_OLD_CHUNKS_MS) rmSync(path, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A separate output folder, for trials beside the built program.
  const [folder] = process.argv.slice(2);
  if (folder?.startsWith('-')) {
    process.stderr.write('usage: node scripts/build.mjs [folder]\n');
    process.exitCode = 1;
  } else {
    await buildBundle(fileURLToPath(new URL('..', import.meta.url)), folder && resolve(folder));
  }
}
