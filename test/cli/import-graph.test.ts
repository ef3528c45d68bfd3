/** What a start loads: read from the bundle's own account of itself, so that nothing heavy gets in unseen. */

import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Meta {
  outputs: Record<
    string,
    {
      bytes: number;
      inputs: Record<string, unknown>;
      imports: { path: string; kind: string; external?: boolean }[];
      entryPoint?: string;
    }
  >;
}

const META = fileURLToPath(new URL('../../packages/cli/dist/meta.json', import.meta.url));
const { outputs } = JSON.parse(readFileSync(META, 'utf8')) as Meta;

const HEAVY =
  /node_modules\/(react|react-dom|react-reconciler|ink|undici|zod\/v4\/classic|zod\/v3|yargs|marked|highlight\.js|@modelcontextprotocol|@agentclientprotocol|@opentelemetry\/(sdk|exporter)|@google\/genai|google-auth-library)\b/;
/** Loading these built-in modules costs most of what separates us from the floor. */
const SLOW_BUILTINS = new Set([
  'node:http',
  'node:https',
  'node:crypto',
  'node:child_process',
  'node:worker_threads',
  'node:inspector',
  'undici',
]);

/** The chunk of a source file and all it imports statically. */
function load(source: string) {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === source);
  if (!entry) throw new Error(`${source} is no entry of the bundle.`);
  const chunks = new Set([entry]);
  for (const chunk of chunks) {
    for (const { path, kind, external } of outputs[chunk]?.imports ?? []) {
      if (kind === 'import-statement' && !external) chunks.add(path);
    }
  }
  const loaded = [...chunks].flatMap((path) => outputs[path] ?? []);
  const inputs = loaded.flatMap((chunk) => Object.keys(chunk.inputs));
  return {
    bytes: loaded.reduce((total, { bytes }) => total + bytes, 0),
    inputs,
    // See `direct-builtins` in scripts/build.mjs.
    builtins: inputs.filter((path) => path.startsWith('builtin:')).map((path) => path.slice('builtin:'.length)),
  };
}

describe('what is loaded before it is needed', () => {
  it('keeps the entry small and without any dependency but leaves of core', () => {
    const { bytes, inputs } = load('packages/cli/src/main.ts');
    const room = /node_modules\/|packages\/core\/src\/(?!util\/|config\/paths)/;
    expect(inputs.filter((path) => room.test(path))).toEqual([]);
    expect(bytes).toBeLessThan(22_800);
  });

  it('answers an editor before the library of the protocol is loaded', () => {
    const { bytes, inputs } = load('packages/cli/src/acp/run.ts');
    expect(inputs.filter((path) => HEAVY.test(path) || path.includes('node_modules/'))).toEqual([]);
    expect(bytes).toBeLessThan(20_000);
  });

  it('keeps a headless answer free of anything heavy', () => {
    const { bytes, inputs, builtins } = load('packages/cli/src/headless/run.ts');
    expect(inputs.filter((path) => HEAVY.test(path))).toEqual([]);
    expect(builtins).toContain('node:path');
    expect(builtins.filter((name) => SLOW_BUILTINS.has(name))).toEqual([]);
    // What only some prompts and folders need.
    expect(
      inputs.filter((path) => /cli\/src\/(slash|prompt\/(at-ref|shell))|context-(assembly|imports)/.test(path)),
    ).toEqual([]);
    // The agent and the declarations of its tools; what only a call needs is loaded by the call.
    const atWork =
      /scheduler\/|tools\/(tool-output|grep\/|files\/(diff|file-change|describe-content)|shell\/(running-commands|command-output|pty|stray-processes))|policy\/rules-file|carried-over/;
    expect(inputs.filter((path) => atWork.test(path))).toEqual([]);
    // Of MCP only the question whether a server is configured.
    expect(inputs.filter((path) => path.includes('core/src/mcp/'))).toEqual(['packages/core/src/mcp/server-layer.ts']);
    // What only a model of another provider needs.
    const foreign =
      /provider\/(?:catalogue\/(?!gemini|model-catalogue|plain)|model-lists|provider-routes|(?!gemini)[a-z-]+\/protocol)/;
    expect(inputs.filter((path) => foreign.test(path))).toEqual([]);
    // Other providers than the Gemini API, their tables and their keys.
    const others =
      /provider\/(anthropic|chat-completions|ollama|responses|vertex)\/|provider\/(open-provider|provider-routes|providers)\.ts|catalogue\/(bundled|list|model-families|model-list|models-data|provider)|cli\/src\/providers\//;
    expect(inputs.filter((path) => others.test(path))).toEqual([]);
    expect(bytes).toBeLessThan(482_500);
  });

  it('has a program that is read as it is, without decoding', () => {
    const program = readFileSync(fileURLToPath(new URL('../../packages/cli/dist/main.cjs', import.meta.url)), 'latin1');
    expect(program.slice(0, 20)).toMatch(/^\/\*[\da-f]{16}\*\//);
    expect(/[^\0-\x7f]/.exec(program)?.[0]).toBeUndefined();
  });

  it('keeps the first frame of a conversation free of Ink, React and the agent', () => {
    const { bytes, inputs } = load('packages/cli/src/tui/run.ts');
    const core = /packages\/core\/src\/(tools|scheduler|agent|records|context|client|chat|config|policy)\//;
    expect(inputs.filter((path) => HEAVY.test(path) || core.test(path))).toEqual([]);
    expect(bytes).toBeLessThan(200_000);
  });

  it('holds nothing of Ink that costs a start dearly', () => {
    const chunks = Object.keys(outputs).map((path) => basename(path, '.js'));
    const files = readdirSync(dirname(META)).filter(
      (name) => /\.c?js$/.test(name) && chunks.some((chunk) => name.startsWith(chunk)),
    );
    // An emoji table that takes 25 ms to compile, and wasm that is fetched from an address.
    const costly = files.filter((name) => {
      const text = readFileSync(join(dirname(META), name), 'latin1');
      return text.includes('RGI_Emoji') || /data:application\/octet-stream;base64,[\w+/]{40}/.test(text);
    });
    expect(files.length).toBeGreaterThan(10);
    expect(costly).toEqual([]);
  });
});
