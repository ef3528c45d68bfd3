/**
 * The last step of the build: converts ES modules to CommonJS, and packs everything a headless answer needs into one
 * file, which packages/cli/bin/load-bundle.cjs can start from code that is already compiled. What else a terminal
 * loads together is one file for each step of its start, since every file costs the start a fraction of a
 * millisecond. A chunk that must stay an ES module (top-level await, or import.meta) stays one, with all that import
 * it.
 */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import * as esbuild from 'esbuild';

const MAIN = 'packages/cli/src/main.ts';
const SURFACE = 'packages/cli/src/headless/run.ts';
/** Every run connects to its model, and that is recorded. */
const RECORDS = 'packages/core/src/audit/audit-log.ts';
/** The modules that answer; the compiled code they needed is worth caching. */
const SURFACES = [SURFACE, 'packages/cli/src/tui/run.ts'];
/** The steps of a terminal's start, in their order: the first frame, the opening of the session. */
const STEPS = ['packages/cli/src/tui/run.ts', 'packages/cli/src/tui/app/open-app.ts'];
/** Chunks that only a terminal loads, and the entry of core that only rare commands load as a whole. */
const TERMINAL = /^packages\/(?:cli\/src\/tui\/|core\/src\/program\.ts)/;
/** What opens a provider other than the Gemini API, and the protocols it may speak: an answer loads two files. */
const PROVIDERS = [
  'packages/cli/src/providers/prepare-model.ts',
  'packages/cli/src/providers/key-store.ts',
  'packages/core/src/agent/model-profile.ts',
  'packages/core/src/provider/catalogue/describe-model.ts',
  'packages/core/src/provider/provider-routes.ts',
  'packages/core/src/provider/wire/collect-answer.ts',
  'packages/core/src/provider/wire/ndjson.ts',
];
const PROTOCOLS = ['anthropic', 'chat-completions', 'ollama', 'responses'].map(
  (name) => `packages/core/src/provider/${name}/protocol.ts`,
);
/** What a first call loads, with what reads and edits need. */
const CALLS = [
  'packages/core/src/agent/create-scheduler.ts',
  'packages/core/src/secrets/guard-tools.ts',
  'packages/core/src/agent/hidden-files.ts',
  'node_modules/@cfworker/json-schema/dist/esm/index.js',
  'packages/core/src/tools/files/describe-content.ts',
  'packages/core/src/tools/files/file-change.ts',
];
/** What a first command loads. */
const COMMANDS = [
  'packages/core/src/policy/shell/judge-shell.ts',
  'packages/core/src/policy/shell/reads-only.ts',
  'node_modules/unbash/dist/parser.js',
  'packages/core/src/agent/workspace-environment.ts',
  ...['command-call', 'running-commands', 'git-wrapper', 'safe-git', 'stray-processes'].map(
    (name) => `packages/core/src/tools/shell/${name}.ts`,
  ),
];
/** What a run with MCP servers loads, and needs to end them. */
const SERVERS = ['packages/core/src/agent/workspace-servers.ts', 'packages/core/src/tools/shell/stray-processes.ts'];
/** What a task of a batch loads besides an answer: its format, the check of its session's id, the bounds of its commands. */
const TASKS = [
  'packages/cli/src/headless/stream-json-writer.ts',
  'packages/core/src/records/free-session-id.ts',
  'packages/core/src/agent/workspace-sandbox.ts',
];
const JSON_FORMAT = 'packages/cli/src/headless/json-writer.ts';
/** What watches the calls that change something. */
const UNDO = ['session-undo', 'undo-limits', 'live-points', 'repair-cut-off', 'undo-desk'].map(
  (name) => `packages/core/src/undo/${name}.ts`,
);
/** What every conversation loads once its first frame is drawn, and the reader of the bundled skills. */
const LATER = [
  ['packages/cli/src/tui/frame/ink-view.tsx', 'packages/cli/src/tui/app/draw-full.ts'],
  ['packages/cli/src/tui/render/grammars.ts'],
  ['node_modules/js-yaml/dist/js-yaml.mjs'],
];
const PROGRAM = 'main.cjs';
/** A chunk of at most this many bytes, shared by a terminal and other runs, joins the program. */
const SMALL_CHUNK = 4000;
const STATIC_IMPORT = 'import-statement';
const CJS = { format: 'cjs', platform: 'node', target: 'node22', legalComments: 'none', logLevel: 'silent' };

/**
 * Added to the chunks in the pack. Other files are read with Node's compile cache, which is enabled no earlier: most
 * answers need none of them.
 */
const PACK = 'castor:pack';
const PACK_SOURCE = `
let hasAnswered = false;
let isKeeping = false;
export const isWarm = () => hasAnswered;
export const answer = () => { hasAnswered = true; };
export const keep = () => {
  if (isKeeping) return;
  isKeeping = true;
  const folder = require.findChunkCache();
  if (folder) process.getBuiltinModule('module').enableCompileCache(folder);
};
`;

/** Takes an unwritten split build in ES modules; returns the files to write, by name. `main.cjs` is the program. */
export async function packBundle({ outputFiles, metafile }) {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'));
  const others = outputFiles.filter(({ path }) => !path.endsWith('.js'));
  const texts = new Map(scripts.map(({ path, text }) => [basename(path), text]));
  const nameOf = (entryPoint) => [...outputs.keys()].find((name) => outputs.get(name).entryPoint === entryPoint);
  const surfaces = SURFACES.map(nameOf);
  const bundle = {
    outputs,
    texts,
    main: nameOf(MAIN),
    surfaces,
    servers: SERVERS.map(nameOf),
    packed: new Set(),
    modern: new Set(),
    steps: new Map(),
  };
  for (const name of [bundle.main, nameOf(SURFACE), nameOf(RECORDS)]) if (name !== undefined) bundle.packed.add(name);
  addImports(bundle.packed, outputs);
  for (const [name, text] of texts) if (await mustStayModern(text)) bundle.modern.add(name);
  addImporters(bundle.modern, outputs);
  addSharedChunks(STEPS.map(nameOf), bundle);
  const wrong = [...bundle.packed].find((name) => bundle.modern.has(name));
  if (wrong) throw new Error(`castor: ${wrong} awaits at its top or asks where it is, and a start would load it.`);
  for (const name of STEPS.map(nameOf)) addStep([name], bundle);
  const tasks = TASKS.map(nameOf);
  const work = [...CALLS, ...COMMANDS, ...UNDO, JSON_FORMAT].map(nameOf);
  addStep(sharedBy([...bundle.servers, ...tasks], work, bundle), bundle);
  addStep(bundle.servers, bundle);
  addStep(tasks, bundle);
  addStep(CALLS.map(nameOf), bundle);
  addStep(COMMANDS.map(nameOf), bundle);
  addStep(UNDO.map(nameOf), bundle);
  for (const names of LATER) addStep(names.map(nameOf), bundle);
  addProviderSteps(PROVIDERS.map(nameOf), PROTOCOLS.map(nameOf), bundle);

  refuseCycles(bundle);

  const files = new Map(others.map(({ path, contents }) => [basename(path), contents]));
  for (const name of texts.keys()) {
    if (name === bundle.main) continue;
    files.set(toFile(name, bundle), await contentsOf(name, bundle));
  }
  for (const step of new Set(bundle.steps.values())) files.set(step.file, await packStep(step, bundle));
  // Last, so that a process that finds the program also finds the files it names.
  files.set(PROGRAM, await pack(bundle));
  return files;
}

async function contentsOf(name, bundle) {
  if (homeOf(name, bundle) !== undefined) return forward(name, bundle);
  return bundle.modern.has(name) ? rename(name, bundle) : fromHomes(await toCommonJs(rename(name, bundle)), bundle);
}

/**
 * A step of a terminal must not hold what other runs need as well: they would load the whole step for it. Small chunks
 * join the program, Node's modules stay files, the others are a step of their own.
 */
function addSharedChunks(starts, bundle) {
  const { outputs, packed } = bundle;
  const terminal = new Set(starts.filter((name) => name !== undefined));
  addImports(terminal, outputs);
  const others = [...outputs].filter(
    ([name, output]) => !terminal.has(name) && !TERMINAL.test(output.entryPoint ?? Object.keys(output.inputs)[0]),
  );
  const shared = new Set(others.flatMap(([, output]) => staticImports(output)).filter((name) => terminal.has(name)));
  addImports(shared, outputs);
  const fits = (name) => packed.has(name) || (outputs.get(name).bytes <= SMALL_CHUNK && !hasBuiltin(outputs.get(name)));
  const small = [...shared].filter((name) => {
    const closure = new Set([name]);
    addImports(closure, outputs);
    return [...closure].every(fits);
  });
  for (const name of small) packed.add(name);
  addStep(sharedBy(bundle.servers, [...shared], bundle), bundle);
  addStep(
    [...shared].filter((name) => !packed.has(name)),
    bundle,
  );
}

/** The chunks that both load: as a step of their own they spare each the other's. */
function sharedBy(names, others, { outputs }) {
  const [first, second] = [names, others].map((entries) => {
    const closure = new Set(entries.filter((name) => name !== undefined));
    addImports(closure, outputs);
    return closure;
  });
  return [...first].filter((name) => second.has(name));
}

/** What several protocols share belongs to the file that opens a provider, so that each protocol is one more file. */
function addProviderSteps(opening, protocols, bundle) {
  if ([...opening, ...protocols].includes(undefined)) return;
  const closures = protocols.map((name) => {
    const closure = new Set([name]);
    addImports(closure, bundle.outputs);
    return closure;
  });
  const shared = [...new Set(closures.flatMap((closure) => [...closure]))].filter(
    (chunk) => closures.filter((closure) => closure.has(chunk)).length > 1,
  );
  addStep([...opening, ...shared], bundle);
  for (const name of protocols) addStep([name], bundle);
}

/** The chunks that a step loads together, without those of the program and of earlier steps. */
function addStep(names, { outputs, packed, modern, steps }) {
  if (names.includes(undefined)) return;
  const closure = new Set(names);
  addImports(closure, outputs);
  const isFree = (each) =>
    !packed.has(each) && !modern.has(each) && !steps.has(each) && !isOnlyBuiltin(outputs.get(each));
  const chunks = [...closure].filter(isFree);
  if (chunks.length === 0) return;
  const mark = createHash('sha256')
    .update([...chunks, ...packed].join())
    .digest('hex')
    .slice(0, 8)
    .toUpperCase();
  const step = { chunks, file: chunks[0].replace(/\.js$/, `.step-${mark}.cjs`) };
  for (const each of chunks) steps.set(each, step);
}

/** Two files that need each other would find one of them empty: what a step imports must not import the step. */
function refuseCycles(bundle) {
  const { outputs } = bundle;
  const fileOf = (name) => homeOf(name, bundle) ?? name;
  const needs = new Map();
  for (const [name, output] of outputs) {
    const file = fileOf(name);
    const needed = staticImports(output).map(fileOf);
    needs.set(file, new Set([...(needs.get(file) ?? []), ...needed.filter((each) => each !== file)]));
  }
  const visited = new Map();
  const visit = (file, path) => {
    if (visited.get(file) === 'open') throw new Error(`castor: ${[...path, file].join(' needs ')}.`);
    if (visited.has(file) || file === PROGRAM) return;
    visited.set(file, 'open');
    for (const each of needs.get(file) ?? []) visit(each, [...path, file]);
    visited.set(file, 'done');
  };
  for (const file of needs.keys()) visit(file, []);
}

/** The file that holds the chunk together with others, if there is one. */
function homeOf(name, { packed, steps }) {
  return packed.has(name) ? PROGRAM : steps.get(name)?.file;
}

/** Takes chunks from the files that hold them: CommonJS needs none of the files that ES modules import them from. */
function fromHomes(code, bundle) {
  const homes = new Map([...bundle.packed, ...bundle.steps.keys()].map((name) => [toFile(name, bundle), name]));
  return code.replaceAll(/\brequire\("\.\/([^"]+\.packed\.cjs)"\)/g, (all, file) => {
    const name = homes.get(file);
    return name === undefined ? all : reference(name, bundle);
  });
}

/** Whether it uses top-level await or import.meta: CommonJS supports neither. */
async function mustStayModern(text) {
  if (text.includes('import.meta')) return true;
  return toCommonJs(text).then(
    () => false,
    (error) => {
      if (String(error.message).includes('Top-level await')) return true;
      throw error;
    },
  );
}

async function toCommonJs(text) {
  return (await esbuild.transform(text, { ...CJS, minifyWhitespace: true, minifySyntax: true })).code;
}

function addImporters(names, outputs) {
  for (let before = -1; before !== names.size;) {
    before = names.size;
    for (const [name, output] of outputs) if (staticImports(output).some((each) => names.has(each))) names.add(name);
  }
}

function addImports(names, outputs) {
  for (const name of names) for (const each of staticImports(outputs.get(name))) names.add(each);
}

function hasBuiltin({ inputs }) {
  return Object.keys(inputs).some((path) => path.startsWith('builtin:'));
}

function isOnlyBuiltin({ inputs }) {
  const paths = Object.keys(inputs);
  return paths.length > 0 && paths.every((path) => path.startsWith('builtin:'));
}

function staticImports({ imports }) {
  return imports.filter(({ kind, external }) => kind === STATIC_IMPORT && !external).map(({ path }) => basename(path));
}

/**
 * The file of a chunk. Its name depends on its text and on which of its dependencies are packed: a program that still
 * runs another build, with a different pack, must not find this build's file under the same name.
 */
function toFile(name, bundle) {
  const { outputs, modern, packed, steps } = bundle;
  if (packed.has(name)) return name.replace(/\.js$/, '.packed.cjs');
  const needed = new Set([name]);
  for (const each of needed) {
    for (const { path, external } of outputs.get(each).imports) if (!external) needed.add(basename(path));
  }
  const found = [...packed, ...steps.keys()].filter((each) => needed.has(each));
  const homes = found.map((each) => `${each} ${homeOf(each, bundle)}`);
  const mark = createHash('sha256').update(homes.join()).digest('hex').slice(0, 8).toUpperCase();
  const end = steps.has(name) ? '.packed.cjs' : modern.has(name) ? '.js' : '.cjs';
  return name.replace(/\.js$/, `-${mark}${end}`);
}

/** Chunks are named by their hash: their quoted name can only be an import. */
function rename(from, bundle) {
  const { outputs, texts, modern } = bundle;
  return outputs.get(from).imports.reduce((code, { path, kind, external }) => {
    if (external) return code;
    const name = basename(path);
    const file = toFile(name, bundle);
    if (kind === STATIC_IMPORT || modern.has(name)) return code.replaceAll(`"./${name}"`, `"./${file}"`);
    return code.replaceAll(`import("./${name}")`, `Promise.resolve().then(()=>require("./${file}"))`);
  }, texts.get(from));
}

/** The packed chunks in one scope, the program last: it starts when all of them are defined. */
async function pack(bundle) {
  const { packed, main } = bundle;
  const chunks = [...packed].filter((name) => name !== main);
  const entry = [
    ...chunks.map((name) => `export * as ${idOf(name)} from "./${name}";`),
    `export { isWarm, keep } from "${PACK}";`,
    `import "./${main}";`,
  ];
  const { outputFiles } = await esbuild.build({
    ...CJS,
    stdin: { contents: entry.join('\n') },
    bundle: true,
    write: false,
    minify: true,
    plugins: [readPacked(bundle)],
  });
  const code = toAscii(fromHomes(outputFiles[0].text, bundle));
  // The first line identifies the bundle.
  return `/*${createHash('sha256').update(code).digest('hex').slice(0, 16)}*/${code}`;
}

/** The chunks of a step in one scope. */
async function packStep({ chunks }, bundle) {
  const names = new Map(chunks.map((name) => [toFile(name, bundle), name]));
  const { outputFiles } = await esbuild.build({
    ...CJS,
    stdin: { contents: [...names].map(([file, name]) => `export * as ${idOf(name)} from "./${file}";`).join('\n') },
    bundle: true,
    write: false,
    minify: true,
    plugins: [
      {
        name: 'step',
        setup(build) {
          build.onResolve({ filter: /.*/ }, ({ path, kind }) => {
            const name = kind === STATIC_IMPORT ? names.get(basename(path)) : undefined;
            return name === undefined ? { path, external: true } : { path: name, namespace: 'step' };
          });
          build.onLoad({ filter: /.*/, namespace: 'step' }, ({ path }) => ({ contents: rename(path, bundle) }));
        },
      },
    ],
  });
  // The launcher compiles it as it does the pack.
  const code = outputFiles[0].text.replaceAll(/\bimport\("([^"]+)"\)/g, 'require.importModule("$1")');
  return toAscii(fromHomes(code, bundle));
}

/** The pack is read without decoding. esbuild does not escape characters beyond ASCII in regular expressions. */
function toAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function readPacked(bundle) {
  const { packed, modern, surfaces, steps } = bundle;
  return {
    name: 'packed',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) => {
        const name = basename(path);
        if (path === PACK || packed.has(name)) return { path: path === PACK ? path : name, namespace: 'packed' };
        return { path: path.startsWith('./') ? `./${toFile(name, bundle)}` : path, external: true };
      });
      build.onLoad({ filter: /.*/, namespace: 'packed' }, ({ path }) => ({
        contents: path === PACK ? PACK_SOURCE : withNotes(bundle.texts.get(path)),
      }));
    },
  };

  /**
   * A lazily loaded chunk announces itself first. Code compiled from a text cannot import modules without a warning:
   * the launcher does it.
   */
  function withNotes(text) {
    const noted = text.replaceAll(/\bimport\("([^"]+)"\)/g, (all, path) => {
      const name = basename(path);
      const note = surfaces.includes(name) ? '$pack.answer(),' : '';
      if (packed.has(name)) return note === '' ? all : `(${note}${all})`;
      if (modern.has(name)) return `(${note}$pack.keep(),require.importModule("./${toFile(name, bundle)}"))`;
      if (!path.startsWith('./')) return `(${note}$pack.keep(),require.importModule("${path}"))`;
      // The launcher keeps the code of steps itself.
      const ahead = steps.has(name) ? note : `${note}$pack.keep(),`;
      return `(${ahead}Promise.resolve().then(()=>require("${path}")))`;
    });
    return noted === text ? text : `import * as $pack from "${PACK}";${noted}`;
  }
}

function idOf(name) {
  return name.replace(/\.js$/, '').replaceAll(/\W/g, '_');
}

function reference(name, bundle) {
  return `require("./${homeOf(name, bundle)}").${idOf(name)}`;
}

/** The names are listed for ES modules, which read them without running the file. */
function forward(name, bundle) {
  const names = bundle.outputs.get(name).exports;
  return `"use strict";module.exports=${reference(name, bundle)};\n0&&(module.exports={${names.join(',')}});\n`;
}
