/* Runs the bundle with the code V8 has made of it in an earlier run. Node's own compile
 * cache keeps a file as it is when it was just read, with hardly a function compiled;
 * this keeps what a whole answer needed, which makes a start 10 ms shorter. Such code is
 * trusted like the program: it lies beside it, or in a file only the user can write.
 * Nothing here may fail a run: without the cache it just starts as any program does. */
'use strict';

const fs = require('fs');
const Module = require('module');
const path = require('path');
const { isatty } = require('tty');
const vm = require('vm');

const BUNDLE = path.join(__dirname, '..', 'dist', 'main.cjs');
const KEPT_MS = 30 * 24 * 60 * 60_000;
/* A screen needs other functions than an answer to a pipe: each has a cache of its own. */
const isTerminal = isatty(0) && isatty(1);
/* A screen may be open for days; by then V8 has dropped what only its beginning needed. */
const KEEP_AFTER_MS = 5000;

/* A step of a start, made by scripts/pack.mjs, with the name of its first chunk. */
const STEP = /([^/\\]+)\.step-\w+\.cjs$/;
/* What was compiled from text, and where its code is to be kept. */
const unkept = [];

/* The body as a function. Both ends are written around the bytes of the file: joined to its text, they would copy it,
 * and half a megabyte more is one collection of garbage more before the first request. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const TAIL = '\n})';

const source = readSource(BUNDLE);
/* V8 compares no more of the source than its length: which bundle it is, its own first line says. */
const id = /^[^{]*\{\/\*(\w+)\*\//.exec(source);
const places = id && !process.env.NODE_DISABLE_COMPILE_CACHE ? cachePlaces(id[1]) : [];
/* Lazy chunks ask for the bundle by its name and must get this one. */
const bundle = { id: BUNDLE, filename: BUNDLE, exports: {}, children: [], loaded: true };
require.cache[BUNDLE] = bundle;
const importModule = (name) => import(name.startsWith('./') ? `../dist/${name.slice(2)}` : name);
const requireFile = Module.createRequire(BUNDLE);
const requireFromBundle = Object.assign((name) => findStep(name) || requireFile(name), requireFile, { importModule });
Module._extensions['.cjs'] = loadChunk;
/* A step asks for the bundle a hundred times, and each time Node would look for it. What is no step is read with Node's cache. */
const requireFromStep = Object.assign(
  (name) => {
    if (name === './main.cjs') return bundle.exports;
    const step = findStep(name);
    if (!step && name.startsWith('./') && bundle.exports.keep) bundle.exports.keep();
    return step || requireFile(name);
  },
  { importModule },
);
/* Where Node may keep the code of lazy chunks. Its own choice is a folder of /tmp that anybody can make first. */
requireFromBundle.findChunkCache = () => findFirst(places, findChunkCache);
compile(BUNDLE, source, places)(bundle.exports, requireFromBundle, bundle, BUNDLE, path.dirname(BUNDLE));

function readSource(file) {
  const descriptor = fs.openSync(file, 'r');
  try {
    const { size } = fs.fstatSync(descriptor);
    const bytes = Buffer.allocUnsafe(HEAD.length + size + TAIL.length);
    bytes.write(HEAD, 0, 'latin1');
    let read = 0;
    for (let count = 1; count > 0 && read < size; read += count)
      count = fs.readSync(descriptor, bytes, HEAD.length + read, size - read);
    bytes.write(TAIL, HEAD.length + read, 'latin1');
    return bytes.latin1Slice(0, HEAD.length + read + TAIL.length);
  } finally {
    fs.closeSync(descriptor);
  }
}

/* A run without usable code keeps what it compiles. */
function compile(file, text, kept) {
  const cachedData = findFirst(kept, readCache);
  const script = new vm.Script(text, { filename: file, ...(cachedData && { cachedData }) });
  if (kept.length > 0 && (!cachedData || script.cachedDataRejected)) {
    if (unkept.push({ script, kept }) === 1) process.on('exit', keep);
    if (isTerminal) setTimeout(keep, KEEP_AFTER_MS, 0).unref();
  }
  return script.runInThisContext();
}

/* A step is compiled as the bundle is; any other file as Node does. */
function loadChunk(module, file) {
  if (STEP.test(file) && path.dirname(file) === path.dirname(BUNDLE)) runStep(module, file);
  else Module._extensions['.js'](module, file);
}

/* Node would look for the file, and ask which package it is of, for a millisecond of a start. */
function findStep(name) {
  if (!name.startsWith('./') || !STEP.test(name)) return undefined;
  const file = path.join(path.dirname(BUNDLE), name);
  if (require.cache[file]) return require.cache[file].exports;
  const module = { id: file, filename: file, exports: {}, children: [], loaded: true };
  require.cache[file] = module;
  try {
    runStep(module, file);
  } catch (error) {
    delete require.cache[file];
    throw error;
  }
  return module.exports;
}

function runStep(module, file) {
  const kept = places.map((place) => place.replace(/\.cache$/, `.${STEP.exec(file)[1]}.cache`));
  const body = compile(file, readSource(file), kept);
  body.call(module.exports, module.exports, requireFromStep, module, file, path.dirname(file));
}

/* The first that can be used counts. Another Node must not push this one's code out. */
function cachePlaces(name) {
  const file = `main.${name}.${process.version}-${process.arch}${isTerminal ? '-tty' : ''}.cache`;
  const home = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, '.cache'));
  const own = home && path.isAbsolute(home) ? [path.join(home, 'castor', file)] : [];
  return [path.join(path.dirname(BUNDLE), file), ...own];
}

function readCache(file, index) {
  const descriptor = fs.openSync(file, 'r');
  try {
    return isTrusted(fs.fstatSync(descriptor), index) ? readTwice(fs.readFileSync(descriptor)) : undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/* A user who can write beside the bundle can write the bundle. */
function isTrusted({ uid, mode }, index) {
  return index === 0 || !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
}

function findChunkCache(file, index) {
  const folder = path.join(path.dirname(file), 'chunks.cache');
  makeFolder(folder);
  fs.accessSync(folder, fs.constants.W_OK);
  return isTrusted(fs.statSync(folder), index) ? folder : undefined;
}

/* V8 runs whatever it is given, also with a byte turned over: such a run may never end. The file
 * holds the code twice, since to compare costs 0.1 ms and a checksum would load a module for 2 ms. */
function readTwice(bytes) {
  const half = bytes.length / 2;
  const data = bytes.subarray(0, half);
  return Number.isInteger(half) && data.equals(bytes.subarray(half)) ? data : undefined;
}

/* A run that failed, or asked for help only, has compiled too little to be worth keeping. */
function keep(exitCode) {
  if (exitCode !== 0 || !bundle.exports.isWarm || !bundle.exports.isWarm()) return;
  process.off('exit', keep);
  for (const { script, kept } of unkept.splice(0)) {
    const data = script.createCachedData();
    findFirst(kept, (file, index) => {
      makeFolder(path.dirname(file));
      replaceFile(file, Buffer.concat([data, data]));
      removeOld(file, index);
      return true;
    });
  }
}

/* Not `recursive`: below a home such as /proc that never ends. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/* Whole or not at all, also when the machine loses its power. */
function replaceFile(file, bytes) {
  const temporary = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, bytes, { mode: 0o644, flush: true });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/* Beside the bundle, what is of an earlier one; in the user's cache, where several versions
 * may share, what no version has written for a month. */
function removeOld(file, index) {
  const folder = path.dirname(file);
  const ours = path.basename(file).split('.')[1];
  const oldest = Date.now() - KEPT_MS;
  for (const name of fs.readdirSync(folder)) {
    if (!/^main\.\w+\.v.*\.cache(\.\d+)?$/.test(name)) continue;
    const isEarlier = index === 0 && name.endsWith('.cache') && name.split('.')[1] !== ours;
    const other = path.join(folder, name);
    if (isEarlier || fs.statSync(other).mtimeMs < oldest) fs.rmSync(other, { force: true });
  }
}

/* What the first of them gives that neither fails nor gives nothing. */
function findFirst(files, use) {
  for (const [index, file] of files.entries()) {
    try {
      const found = use(file, index);
      if (found) return found;
    } catch {
      /* Not there, or not ours to use: the next. */
    }
  }
  return undefined;
}
