/**
 * Bundles the scripted MCP server once for a run of the tests. Node would strip the types of its twenty files at every
 * start, which costs five times the start itself, and the tests start it hundreds of times.
 */

import { build } from 'esbuild';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = new URL('../../packages/testkit/src/mcp/stdio-main.ts', import.meta.url);

/** Called by Vitest before the workers start, after the folder for temporary files exists. */
export async function setup(): Promise<() => void> {
  const outfile = join(tmpdir(), 'castor-scripted-server.mjs');
  await build({
    entryPoints: [fileURLToPath(SOURCE)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'silent',
    // The server starts other files that lie beside its source.
    define: { 'import.meta.url': JSON.stringify(SOURCE.href) },
  });
  process.env['CASTOR_SCRIPTED_SERVER'] = outfile;
  return () => delete process.env['CASTOR_SCRIPTED_SERVER'];
}
