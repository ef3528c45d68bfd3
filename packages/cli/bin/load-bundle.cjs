/* Runs the bundle with the code V8 has made of it in an earlier run. Node's own compile
 * cache keeps a file as it is when it was just read, with hardly a function compiled;
 * this keeps what a whole answer needed, which makes a start 10 ms shorter. Such code is
 * trusted like the program: it lies beside it, or in a file only the user can write.
 * Nothing here may fail a run: without the cache it just starts as any program does. */
'use strict';

const fs = require('fs');
const { createRequire } = require('module');
const path = require('path');
const vm = require('vm');

const BUNDLE = path.join(__dirname, '..', 'dist', 'main.cjs');

const source = fs.readFileSync(BUNDLE, 'latin1');
/* V8 compares no more of the source than its length: which bundle it is, its own first line says. */
const id = /^\/\*(\w+)\*\//.exec(source);
const places = id && !process.env.NODE_DISABLE_COMPILE_CACHE ? cachePlaces(id[1]) : [];
const cachedData = findFirst(places, readCache);
const script = new vm.Script(`(function (exports, require, module) {${source}\n})`, {
  filename: BUNDLE,
  ...(cachedData && { cachedData }),
});
/* Lazy chunks ask for the bundle by its name and must get this one. */
const bundle = { id: BUNDLE, filename: BUNDLE, exports: {}, children: [], loaded: true };
require.cache[BUNDLE] = bundle;
if (places.length > 0 && (!cachedData || script.cachedDataRejected)) process.on('exit', keep);
const requireFromBundle = createRequire(BUNDLE);
requireFromBundle.importModule = (name) => import(name.startsWith('./') ? `../dist/${name.slice(2)}` : name);
script.runInThisContext()(bundle.exports, requireFromBundle, bundle);

/* The first that can be used counts. Another Node must not push this one's code out. */
function cachePlaces(name) {
  const file = `main.${name}.${process.version}-${process.arch}.cache`;
  const home = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, '.cache'));
  const own = home && path.isAbsolute(home) ? [path.join(home, 'castor', file)] : [];
  return [path.join(path.dirname(BUNDLE), file), ...own];
}

function readCache(file, index) {
  const descriptor = fs.openSync(file, 'r');
  try {
    const { uid, mode } = fs.fstatSync(descriptor);
    const isOurs = !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
    return index === 0 || isOurs ? fs.readFileSync(descriptor) : undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/* A run that failed, or asked for help only, has compiled too little to be worth keeping. */
function keep(exitCode) {
  if (exitCode !== 0 || !bundle.exports.isWarm || !bundle.exports.isWarm()) return;
  const data = script.createCachedData();
  findFirst(places, (file) => {
    makeFolder(path.dirname(file));
    const temporary = `${file}.${process.pid}`;
    fs.writeFileSync(temporary, data, { mode: 0o644, flag: 'wx' });
    fs.renameSync(temporary, file);
    removeOlder(file);
    return true;
  });
}

/* Not `recursive`: below a home such as /proc that never ends. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/* Of bundles that are no more. */
function removeOlder(file) {
  const ours = path.basename(file).split('.')[1];
  for (const name of fs.readdirSync(path.dirname(file))) {
    const [main, other, ...rest] = name.split('.');
    if (main !== 'main' || rest.at(-1) !== 'cache' || other === ours) continue;
    fs.rmSync(path.join(path.dirname(file), name), { force: true });
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
