/**
 * `npm start`, `npm test` and the other tasks, each with its own set-up: install when node_modules is stale, build
 * when the bundle is, then run the task on a recent enough Node. Dependency-free and compatible with Node 20, which
 * may be the only one installed.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundleFresh, sourceState, stampPath } from './bundle-state.mjs';
import { bundledNode, ensureInstalled } from './install.mjs';
import { withLock } from './lock.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NEEDED_NODE = [22, 18];

const TASKS = { start, test, endurance, check, build, bench, format };

async function main([name, ...args]) {
  const task = Object.hasOwn(TASKS, name ?? '') ? TASKS[name] : undefined;
  if (!task) return fail(`usage: node scripts/run.mjs <${Object.keys(TASKS).join('|')}> [arguments]`);
  endWithShell();
  await ensureInstalled(ROOT);
  if (!isNewEnough(process.versions.node)) return runOnBundledNode([name, ...args]);
  process.env.PATH = [join(ROOT, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  return task(args);
}

async function start(args) {
  await ensureBundle();
  if (!isModelConfigured(args)) process.env.CASTOR_OFFLINE ??= '1';
  // npm changes to the root of the project; the prompt concerns the user's current folder.
  if (process.env.npm_lifecycle_event === 'start' && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  const launcher = join(ROOT, 'packages', 'cli', 'bin', 'castor.cjs');
  process.argv = [process.execPath, launcher, ...args];
  createRequire(launcher)(launcher);
}

/** Whole projects leave out what is tagged `wide`; a file or a test that is named runs as a whole. */
async function test(args) {
  const isNamed = args.some((arg, index) =>
    arg.startsWith('-') ? /^(-t|--testNamePattern)(=|$)/.test(arg) : args[index - 1] !== '--project',
  );
  const isProjectNamed = args.some((arg) => /^--project(=|$)/.test(arg));
  return runTests([
    ...(isProjectNamed ? [] : ['--project=unit', '--project=program']),
    ...(isNamed ? [] : ['--tags-filter=!wide']),
    ...args,
  ]);
}

/** The long forms, then what `npm test` leaves out. */
async function endurance(args) {
  // A file that is named may have only one of the two.
  const options = args.length > 0 ? ['--passWithNoTests', ...args] : args;
  const code = await runTests(['--project=endurance', ...options]);
  return (await runTests(['--project=wide', '--tags-filter=wide', ...options])) || code;
}

async function runTests(args) {
  await ensureBundle();
  return runTool('vitest', ['run', ...args]);
}

async function check() {
  const results = await Promise.all([
    captureTool('oxfmt', ['--check', '.']),
    captureTool('oxlint', ['.']),
    captureTool('typescript', ['-p', 'tsconfig.json', '--pretty', String(process.stdout.isTTY === true)], 'tsc'),
    captureTool('knip', ['--no-progress']),
  ]);
  for (const { name, code, output, ms } of results) {
    const verdict = code === 0 ? 'ok' : `failed (${code})`;
    process.stdout.write(`${name.padEnd(6)} ${verdict} in ${(ms / 1000).toFixed(1)} s\n`);
    // oxlint's warnings do not fail the check; they are printed for a reviewer.
    if (code !== 0 || / warnings?\(/.test(output)) process.stdout.write(`${output.trimEnd()}\n\n`);
  }
  return results.every(({ code }) => code === 0) ? 0 : 1;
}

async function build() {
  await rebuild(sourceState(ROOT));
  return buildCore();
}

/** Some rows measure core as an embedding program loads it, so they need its typed build. */
async function bench(args) {
  await ensureBundle();
  const code = await buildCore();
  if (code !== 0) return code;
  return runNode([join(ROOT, 'scripts', 'bench.mjs'), ...args]);
}

async function format(args) {
  const code = await runTool('oxlint', ['--fix', '--quiet', ...(args.length > 0 ? args : ['.'])]);
  return (await runTool('oxfmt', args.length > 0 ? args : ['.'])) || code;
}

async function ensureBundle() {
  const state = sourceState(ROOT);
  if (!isBundleFresh(ROOT, state)) await rebuild(state);
}

function buildCore() {
  rmSync(join(ROOT, 'packages', 'core', 'dist'), { recursive: true, force: true });
  return runTool('typescript', ['-p', 'packages/core/tsconfig.build.json'], 'tsc');
}

function rebuild(state) {
  return withLock(join(ROOT, '.castor-bootstrap'), async () => {
    if (isBundleFresh(ROOT, state)) return;
    const { buildBundle } = await import('./build.mjs');
    await buildBundle(ROOT);
    writeFileSync(stampPath(ROOT), state);
  });
}

const MODEL_VARIABLES = [
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'GOOGLE_VERTEX_BASE_URL',
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GEMINI_CLI_USE_COMPUTE_ADC',
  'CLOUD_SHELL',
];

/** Whether the user has configured a model; if not, a fresh clone uses the offline model. */
function isModelConfigured(args) {
  if (args.some((arg) => /^(-m|--model|--fake-responses)/.test(arg))) return true;
  if (MODEL_VARIABLES.some((name) => process.env[name])) return true;
  const settings = join(process.env.GEMINI_CLI_HOME || homedir(), '.gemini', 'settings.json');
  try {
    return existsSync(settings) && /"selectedType"\s*:\s*"/.test(readFileSync(settings, 'utf8'));
  } catch {
    // Unreadable settings configure nothing here; the program itself reports what is wrong with them.
    return false;
  }
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1]);
}

function runOnBundledNode(args) {
  const node = bundledNode(ROOT);
  if (!existsSync(node)) {
    return fail(
      `castor: this is Node ${process.versions.node}, and Castor needs Node ${NEEDED_NODE.join('.')} or newer ` +
        `(there is no bundled Node for ${process.platform}-${process.arch}); install it from https://nodejs.org.`,
    );
  }
  return waitFor(spawn(node, [fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' }));
}

function runTool(packageName, args, bin = packageName) {
  return runNode([binOf(packageName, bin), ...args]);
}

function runNode(args) {
  return waitFor(spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }));
}

function captureTool(packageName, args, bin = packageName) {
  const started = performance.now();
  const child = spawn(process.execPath, [binOf(packageName, bin), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return waitFor(child, 'close').then((code) => ({ name: bin, code, output, ms: performance.now() - started }));
}

function binOf(packageName, bin) {
  const folder = join(ROOT, 'node_modules', packageName);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[bin]);
}

/**
 * A signal to this process alone is forwarded to the child; one to the whole group reaches it twice, which it must
 * tolerate.
 */
function waitFor(child, event = 'exit') {
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on(event, (code, signal) => {
      for (const name of signals) process.off(name, forward);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** npm forwards a signal only to the shell in between, and the shell dies of it silently. */
function endWithShell() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const shell = process.ppid;
  const check = () => {
    if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM');
  };
  setInterval(check, 250).unref();
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  return 1;
}

try {
  const code = await main(process.argv.slice(2));
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  process.exitCode = fail(error.message);
}
