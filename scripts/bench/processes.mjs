/**
 * Starts the processes of the bench: the model, and the measured programs. A program that uses the runtime is first
 * bundled from source, as published.
 */

import { fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const USAGE = join(HERE, 'usage.cjs');
/** Inside node_modules, so that packages left out of a bundle resolve from it. */
const BUNDLES = join(HERE, '..', '..', 'node_modules', '.cache', 'castor-bench');

/** Starts a model; the caller may replace `onArrival` of the result. `stop` ends it. */
export async function startModel(path = join(HERE, 'server.mjs')) {
  const child = fork(path);
  const model = { url: '', onArrival: () => {}, stop: () => child.kill() };
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`The model ended with ${code}.`)));
    child.on('message', ({ port, arrived, bytes }) => {
      if (port === undefined) return model.onArrival(arrived, bytes);
      model.url = `http://127.0.0.1:${port}`;
      resolve();
    });
  });
  return model;
}

/** Bundles programs of this folder and returns their paths, by name. */
export async function bundle(names) {
  await build({
    entryPoints: names.map((name) => join(HERE, `${name}.mjs`)),
    outdir: BUNDLES,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    conditions: ['castor-source'],
    mainFields: ['module', 'main'],
    external: ['@vscode/ripgrep', '@lydell/node-pty'],
    logLevel: 'silent',
  });
  return Object.fromEntries(names.map((name) => [name, join(BUNDLES, `${name}.mjs`)]));
}

/** Runs a program to its end; parses its output as JSON. */
export function runProgram(path, args, { env = {}, cwd } = {}) {
  const child = spawn(process.execPath, [path, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output === '' ? undefined : JSON.parse(output));
      else reject(new Error(`${path} ended with ${code ?? signal}`));
    });
  });
}

/** Runs a program of the cli to its end; `usage` measures its CPU and memory instead of its duration. */
export function measure(name, program, { model, env, usage = false, isQuiet = false }) {
  const started = performance.timeOrigin + performance.now();
  let firstRequestMs;
  let firstRequestBytes;
  model.onArrival = (arrived, size) => {
    firstRequestMs ??= arrived - started;
    firstRequestBytes ??= size;
  };
  const args = usage ? ['-r', USAGE, ...program] : program;
  // In the empty home: a start in this repository would also read its AGENTS.md and .gitignore.
  const cwd = env.HOME;
  const child = spawn(process.execPath, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', isQuiet ? 'ignore' : 'inherit', usage ? 'pipe' : 'ignore'],
  });
  let bytes = 0;
  let report = '';
  child.stdout.on('data', (chunk) => (bytes += chunk.length));
  child.stdio[3]?.on('data', (chunk) => (report += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const wallMs = performance.timeOrigin + performance.now() - started;
      if (code !== 0) reject(new Error(`${name} ended with ${code}`));
      else resolve({ wallMs, bytes, firstRequestMs, firstRequestBytes, ...(usage && JSON.parse(report)) });
    });
  });
}
