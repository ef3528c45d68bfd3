/**
 * Installs the dependencies of the lockfile into node_modules, and does nothing when they are up to date. Owns
 * node_modules/.castor-stamp, a copy of the files that determine them. Needs nothing but Node 20 and npm.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from './lock.mjs';

/** Resolves when the dependencies are in place; rejects with the message to show. */
export async function ensureInstalled(root) {
  const wanted = deciders(root);
  if (isStamped(root, wanted)) return;
  await withLock(
    join(root, '.castor-bootstrap'),
    async () => {
      if (isStamped(root, wanted)) return;
      if (!isInstalledByHand(root)) await install(root);
      writeFileSync(stampOf(root), wanted);
    },
    sayWaiting,
  );
}

function sayWaiting() {
  process.stderr.write('castor: waiting for another run to finish its set-up…\n');
}

/** The Node installed with the dependencies, where there is one for this platform. */
export function bundledNode(root) {
  return join(root, 'node_modules', '.bin', 'node');
}

function deciders(root) {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const folders = ['.', ...JSON.parse(manifest).workspaces];
  const manifests = folders.map((folder) => readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return [readFileSync(join(root, 'package-lock.json'), 'utf8'), ...manifests.map(dependenciesOf)].join('\n');
}

/** A changed script or description in a manifest does not require a new installation. */
function dependenciesOf(manifest) {
  const { dependencies, devDependencies, optionalDependencies, overrides, workspaces } = JSON.parse(manifest);
  return JSON.stringify({ dependencies, devDependencies, optionalDependencies, overrides, workspaces });
}

function stampOf(root) {
  return join(root, 'node_modules', '.castor-stamp');
}

function isStamped(root, wanted) {
  return readIfThere(stampOf(root)) === wanted && hasBundledNode(root);
}

function hasBundledNode(root) {
  const offered = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
  return !offered || existsSync(bundledNode(root));
}

/** npm keeps a lockfile of what it actually installed; after a manual `npm ci` it matches ours. */
function isInstalledByHand(root) {
  const installed = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined || !hasBundledNode(root)) return false;
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  if (!lockMatchesManifests(root, lock)) return false;
  const there = JSON.parse(installed).packages;
  return Object.entries(lock).every(([path, entry]) => {
    if (path === '') return true;
    return there[path] === undefined ? entry.optional === true : sameEntry(there[path], entry);
  });
}

function sameEntry(left, right) {
  return left.version === right.version && left.integrity === right.integrity && left.link === right.link;
}

function lockMatchesManifests(root, lock) {
  return ['', ...lock[''].workspaces].every((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return ['dependencies', 'devDependencies', 'optionalDependencies'].every(
      (kind) => sorted(manifest[kind]) === sorted(lock[folder]?.[kind]),
    );
  });
}

function sorted(record = {}) {
  return JSON.stringify(
    Object.keys(record)
      .sort()
      .map((name) => [name, record[name]]),
  );
}

async function install(root) {
  process.stderr.write('castor: installing dependencies (first run only)…\n');
  rmSync(stampOf(root), { force: true });
  const stopTelling = tellProgress(root);
  const { code, output } = await npm(root, [
    'ci',
    // No package here needs its scripts; NODE_ENV=production must not omit the build dependencies.
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
  ]).finally(stopTelling);
  if (code !== 0) {
    throw new Error(`${output.trim()}\ncastor: npm ci failed (exit code ${code}); nothing was started.`);
  }
}

const TELL_TERMINAL_MS = 500;
const TELL_LOG_MS = 5_000;

/**
 * Prints the number of installed packages, on one line of a terminal or as an occasional line of a log, until it is
 * stopped.
 */
function tellProgress(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const wanted = Object.keys(packages).filter(
    (path) => path.includes('node_modules/') && isForThisMachine(packages[path]),
  );
  const isTerminal = process.stderr.isTTY === true;
  const started = Date.now();
  const tell = () => {
    const installed = wanted.filter((path) => existsSync(join(root, path, 'package.json'))).length;
    const line = `castor: ${installed} of ${wanted.length} packages, ${Math.round((Date.now() - started) / 1000)} s`;
    process.stderr.write(isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
  };
  const timer = setInterval(tell, isTerminal ? TELL_TERMINAL_MS : TELL_LOG_MS);
  return () => {
    clearInterval(timer);
    if (isTerminal) process.stderr.write('\r\x1b[K');
  };
}

function isForThisMachine({ os, cpu, libc }) {
  const fits = (names, own) => names === undefined || names.includes(own);
  return fits(os, process.platform) && fits(cpu, process.arch) && (libc === undefined || libc.includes('glibc'));
}

/** The npm that started this script, on the Node that runs it: our own Node may be the one being replaced. */
function npm(root, args) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  const isNpm = script !== undefined && node !== undefined && script.includes('npm');
  const windows = process.platform === 'win32';
  const [command, prefix] = isNpm ? [node, [script]] : ['npm', []];
  const binFolder = join(root, 'node_modules', '.bin');
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== binFolder);
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...prefix, ...args], {
      cwd: root,
      env: { ...process.env, PATH: path.join(delimiter) },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: windows && !isNpm,
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => reject(new Error(`castor: npm could not be started: ${error.message}`)));
    child.on('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
