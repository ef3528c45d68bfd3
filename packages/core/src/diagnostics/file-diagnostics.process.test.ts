import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { FileDiagnostics } from './file-diagnostics.ts';
import type { FileDiagnosticsOptions } from './file-diagnostics.ts';
import { chooseServers } from './server-table.ts';

/** A real language server, from npm. */
const JSON_SERVER = createRequire(import.meta.url).resolve('vscode-json-languageserver/bin/vscode-json-languageserver');
const SERVER = { json: { command: process.execPath, args: [JSON_SERVER, '--stdio'], extensions: ['.json'] } };
const node = (script: string) => ({ command: process.execPath, args: ['-e', script, '{file}'], extensions: ['.json'] });

async function open(more: Partial<FileDiagnosticsOptions> = {}) {
  const workspace = await createWorkspace();
  const told: string[] = [];
  const formatted: string[] = [];
  const diagnostics = new FileDiagnostics({
    root: workspace.project,
    environment: { PATH: process.env['PATH'] ?? '', HOME: workspace.home },
    servers: chooseServers('auto', SERVER),
    formatters: [],
    limitMs: 30_000,
    onReport: (message) => told.push(message),
    onFormatted: async (_path, before, after) => void formatted.push(`${before.toString()} → ${after.toString()}`),
    ...more,
  });
  const path = join(workspace.project, 'a.json');
  const edit = async (before: string | undefined, after: string) => {
    await writeFile(path, after);
    return diagnostics.report([{ path, before, callId: 'c1' }]);
  };
  const dispose = async () => {
    diagnostics.dispose();
    await workspace.dispose();
  };
  return { path, edit, told, formatted, diagnostics, [Symbol.asyncDispose]: dispose };
}

describe('a language server', () => {
  it('reports the new errors of an edit with their lines, and none that were there before', async () => {
    await using files = await open();
    expect(await files.edit('{"a": 1}', '{"a": 1}\n')).toBeUndefined();
    const broken = await files.edit(undefined, '{\n  "a": nope\n}\n');
    expect(broken).toMatch(/^New errors after this edit, from json:\n.*a\.json:2: Value expected/);
    expect(files.told).toEqual([expect.stringContaining('json: 1 new error in ')]);
    expect(await files.edit(undefined, '{\n  "b": 2,\n  "a": nope\n}\n')).toBeUndefined();
    expect(await files.edit(undefined, '{ "a": 1 }\n')).toBeUndefined();
  });

  it('knows the errors before the first edit from the text before it', async () => {
    await using files = await open();
    expect(await files.edit('{ "a": nope }', '{ "a": nope, "b": 1 }')).toBeUndefined();
  });

  it('is not started for other files, nor when the mode is off', async () => {
    await using files = await open({ servers: chooseServers('off', SERVER) });
    expect(await files.edit('{}', '{')).toBeUndefined();
    expect(files.told).toEqual([]);
  });

  it('that does not answer costs no more than its limit, and the user is told', async () => {
    const silent = { silent: { command: 'sleep', args: ['1000'], extensions: ['.json'] } };
    await using files = await open({ servers: chooseServers('auto', silent), limitMs: 50 });
    expect(await files.edit('{}', '{')).toBeUndefined();
    expect(files.told).toEqual(['silent has not answered yet; this edit is not checked.']);
  });

  it.each([
    ['ends at once', { command: 'false', extensions: ['.json'] }, [expect.stringContaining('failed')]],
    ['is not installed', { command: 'no-such-server', extensions: ['.json'] }, []],
  ])('that %s is not asked again', async (_name, program, told) => {
    await using files = await open({ servers: chooseServers('auto', { broken: program }) });
    expect(await files.edit('{}', '{')).toBeUndefined();
    expect(await files.edit('{}', '{{')).toBeUndefined();
    expect(files.told).toEqual(told);
  });
});

describe('the servers that run', () => {
  it.each([
    ['auto', ['json', 'gopls']],
    ['on', ['json', 'typescript-language-server', 'pyright', 'gopls', 'rust-analyzer']],
    ['off', []],
  ] as const)('in mode %s', (mode, names) => {
    expect(chooseServers(mode, SERVER).map(({ name }) => name)).toEqual(names);
  });
});

describe('a formatter', () => {
  const format = (script: string) => [{ name: 'tidy', ...node(script) }];

  it('changes the file, and the model is told how', async () => {
    const script = 'const fs = require("fs"); fs.writeFileSync(process.argv[1], "{}\\n")';
    await using files = await open({ servers: [], formatters: format(script) });
    const said = await files.edit('', '{  }');
    expect(said).toMatch(/^tidy changed .*a\.json after this edit\.[\s\S]*-\{ {2}\}[\s\S]*\+\{\}/);
    expect(files.formatted).toEqual(['{  } → {}\n']);
  });

  it('that complains is quoted, and one that changes nothing says nothing', async () => {
    const script = 'console.log("line 1: no semicolon"); process.exitCode = process.argv[1].length > 0 ? 2 : 0';
    await using files = await open({ servers: [], formatters: format(script) });
    expect(await files.edit('', '{}')).toMatch(/tidy on .*a\.json: line 1: no semicolon$/);
    await using quiet = await open({ servers: [], formatters: format('0') });
    expect(await quiet.edit('', '{}')).toBeUndefined();
  });

  it('that cannot be started is told to the user', async () => {
    const formatters = [{ name: 'gone', command: 'no-such-formatter', args: [], extensions: ['.json'] }];
    await using files = await open({ servers: [], formatters });
    expect(await files.edit('', '{}')).toBeUndefined();
    expect(files.told).toEqual([expect.stringContaining('gone did not run on')]);
  });
});
