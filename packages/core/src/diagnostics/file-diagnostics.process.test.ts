import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { FileDiagnostics } from './file-diagnostics.ts';
import type { ChangedFile, FileDiagnosticsOptions } from './file-diagnostics.ts';
import { scriptedServer } from './scripted-server.fixture.ts';
import { chooseServers } from './server-table.ts';
import { variants } from '../../../../test/house/variants.ts';

/** A real language server, from npm. */
const JSON_SERVER = createRequire(import.meta.url).resolve('vscode-json-languageserver/bin/vscode-json-languageserver');
const SERVER = { json: { command: process.execPath, args: [JSON_SERVER, '--stdio'], extensions: ['.json'] } };
const failed = (why: string) => `broken failed (${why}), so that edits are no longer checked with it.`;
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
  const cancel = new AbortController();
  const report = (changes: readonly ChangedFile[]) => diagnostics.report(changes, cancel.signal);
  const edit = async (before: string | undefined, after: string) => {
    await writeFile(path, after);
    return (await report([{ path, before, after, adopt }])).text;
  };
  const dispose = async () => {
    diagnostics.dispose();
    await workspace.dispose();
  };
  /** What the editor has not saved. */
  const editUnsaved = async (after: string) => (await report([{ path, before: undefined, after, adopt }])).text;
  const given = { path, root: workspace.project, told, formatted, options, cancel, diagnostics };
  return { ...given, edit, editUnsaved, [Symbol.asyncDispose]: dispose };
}

/** Once it has one. */
async function contentOf(path: string): Promise<string> {
  for (;;) {
    const content = await readFile(path, 'utf8').catch(() => '');
    if (content !== '') return content;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function untilGone(pid: number): Promise<void> {
  for (;;) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
    // A dead child of a dead parent waits for its new parent.
    if (/\) [ZX]/.test(state)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
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

  it('knows the errors before the first edit from the text before it', { tags: 'wide' }, async () => {
    await using files = await open();
    expect(await files.edit('{ "a": nope }', '{ "a": nope, "b": 1 }')).toBeUndefined();
  });

  it('is asked about the text of an editor that has not saved it', { tags: 'wide' }, async () => {
    await using files = await open({ formatters: [{ name: 'tidy', ...node('0') }] });
    await files.edit('{}', '{}');
    expect(await files.editUnsaved('{ "a": nope }')).toMatch(/a\.json:1: Value expected/);
    expect(files.told).toContainEqual(expect.stringContaining('tidy did not run on'));
  });

  variants.each(['numbered', 'in parts', 'tsserver'] as const)('may tell its errors %s', async (way) => {
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
    ['ends at once', { command: 'false', extensions: ['.json'] }, [failed('it ended with exit code 1')]],
    [
      'says why it ends',
      node('console.error("a\\nboom"); process.exit(3)'),
      [failed('it ended with exit code 3: boom')],
    ],
    [
      'rejects the folder',
      node(
        `process.stdin.once('data', () => {
          const body = '{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no TypeScript here"}}';
          process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
        })`,
      ),
      [failed('no TypeScript here')],
    ],
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

  it('that removes the file has lost it: the model and the user are told', async () => {
    await using files = await open({ servers: [], formatters: format('require("fs").rmSync(process.argv[1])') });
    const lost = `tidy removed ${files.path} after this edit. The file no longer exists.`;
    expect(await files.edit('', '{}')).toBe(lost);
    expect(files.told).toEqual([lost]);
  });

  it('that reaches its limit is told to the model and the user', async () => {
    await using files = await open({ servers: [], limitMs: 20, formatters: format('setInterval(() => {}, 1000)') });
    const late = `tidy on ${files.path}: it took longer than 0.02 s and was ended.`;
    expect(await files.edit('', '{}')).toBe(late);
    expect(files.told).toEqual([late]);
  });

  it.each(['cancel', 'end'] as const)('that runs does not survive the %s, nor do its children', async (occasion) => {
    const script =
      'const { spawn } = require("child_process"); const { pid } = spawn("sleep", ["1000"]);' +
      'require("fs").writeFileSync(process.argv[1] + ".pids", process.pid + " " + pid); setInterval(() => {}, 1000)';
    await using files = await open({ servers: [], formatters: format(script) });
    const edited = files.edit('', '{}');
    const pids = await contentOf(`${files.path}.pids`);
    if (occasion === 'cancel') files.cancel.abort();
    else files.diagnostics.dispose();
    expect(await edited).toBeUndefined();
    expect(files.told).toEqual([]);
    for (const pid of pids.split(' ').map(Number)) await untilGone(pid);
  });

  it('that cannot be started is told to the user', async () => {
    const formatters = [{ name: 'gone', command: 'no-such-formatter', args: [], extensions: ['.json'] }];
    await using files = await open({ servers: [], formatters });
    expect(await files.edit('', '{}')).toBeUndefined();
    expect(files.told).toEqual([expect.stringContaining('gone did not run on')]);
  });
});
