import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { FileDiagnostics } from './file-diagnostics.ts';
import type { FileDiagnosticsOptions } from './file-diagnostics.ts';
import { scriptedServer } from './scripted-server.fixture.ts';
import { chooseServers } from './server-table.ts';

/** A real language server, from npm. */
const JSON_SERVER = createRequire(import.meta.url).resolve('vscode-json-languageserver/bin/vscode-json-languageserver');
const SERVER = { json: { command: process.execPath, args: [JSON_SERVER, '--stdio'], extensions: ['.json'] } };
const node = (script: string) => ({ command: process.execPath, args: ['-e', script, '{file}'], extensions: ['.json'] });

async function open(more: Partial<FileDiagnosticsOptions> = {}) {
  const workspace = await createWorkspace();
  const told: string[] = [];
  const formatted: string[] = [];
  const options = {
    root: workspace.project,
    environment: { PATH: process.env['PATH'] ?? '', HOME: workspace.home },
    servers: chooseServers('auto', SERVER),
    formatters: [],
    limitMs: 30_000,
    onReport: (message: string) => told.push(message),
    ...more,
  };
  const diagnostics = new FileDiagnostics(options);
  const adopt = async (from: Buffer, to: Buffer) => void formatted.push(`${from.toString()} → ${to.toString()}`);
  const path = join(workspace.project, 'a.json');
  const edit = async (before: string | undefined, after: string) => {
    await writeFile(path, after);
    return (await diagnostics.report([{ path, before, after, adopt }])).text;
  };
  const dispose = async () => {
    diagnostics.dispose();
    await workspace.dispose();
  };
  /** What the editor has not saved. */
  const editUnsaved = async (after: string) =>
    (await diagnostics.report([{ path, before: undefined, after, adopt }])).text;
  return { path, root: workspace.project, edit, editUnsaved, told, formatted, options, [Symbol.asyncDispose]: dispose };
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

  it('is asked about the text of an editor that has not saved it', async () => {
    await using files = await open({ formatters: [{ name: 'tidy', ...node('0') }] });
    await files.edit('{}', '{}');
    expect(await files.editUnsaved('{ "a": nope }')).toMatch(/a\.json:1: Value expected/);
    expect(files.told).toContainEqual(expect.stringContaining('tidy did not run on'));
  });

  it.each(['numbered', 'in parts', 'tsserver'] as const)('may tell its errors %s', async (way) => {
    await using files = await open({ servers: chooseServers('auto', scriptedServer(way)) });
    expect(await files.edit('one', 'two')).toBeUndefined();
    expect(await files.edit('two', 'two\nnope')).toMatch(/a\.json:2: nope is wrong/);
    expect(await files.edit('two\nnope', 'two\nnope\nthree')).toBeUndefined();
    expect(await files.edit('two\nnope\nthree', 'nope\nnope')).toMatch(/from scripted:\n.*a\.json:2: nope is wrong.*$/);
  });

  it('that is still starting is asked again, and then tells what the first edit broke', async () => {
    await using files = await open({ limitMs: 20 });
    const gate = join(files.root, 'gate');
    files.options.servers = chooseServers('auto', scriptedServer('numbered', gate));
    expect(await files.edit('one', 'nope')).toBeUndefined();
    expect(files.told).toEqual(['scripted has not answered yet; this edit is not checked.']);
    await writeFile(gate, '');
    files.options.limitMs = 60_000;
    expect(await files.edit('nope', 'nope\ntwo')).toMatch(/a\.json:1: nope is wrong/);
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
