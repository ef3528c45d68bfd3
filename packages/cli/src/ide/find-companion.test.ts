import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { findCompanion } from './find-companion.ts';

const DEAD = 4_194_304;

async function open(files: Record<string, object | string>) {
  const workspace = await createWorkspace();
  const folder = join(workspace.root, 'ide');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), text.replaceAll('<project>', workspace.project));
  }
  const find = (environment: Record<string, string> = {}, cwd = workspace.project) =>
    findCompanion({ cwd, environment, folder });
  return { workspace, find, [Symbol.asyncDispose]: () => workspace.dispose() };
}

describe('the companion of an editor', () => {
  it('is found by its file, with token and name', async () => {
    const ideInfo = { name: 'vscode', displayName: 'VS Code' };
    await using place = await open({
      [`gemini-ide-server-${process.pid}-4000.json`]: {
        port: 4000,
        workspacePath: '<project>',
        authToken: 't',
        ideInfo,
      },
    });
    expect(place.find().addresses[0]).toMatchObject({ port: 4000, token: 't', name: 'VS Code' });
  });

  it('is found in a folder below the open one, and by the older name of its file', async () => {
    await using place = await open({
      'gemini-ide-server-7.json': { port: '4000', workspacePath: `/other${delimiter}<project>` },
    });
    const below = join(place.workspace.project, 'src');
    mkdirSync(below);
    expect(place.find({}, below).addresses[0]).toMatchObject({ port: 4000 });
  });

  it('is the one of this window: by its port, its process, then the live ones', async () => {
    const file = (port: number) => ({ port, workspacePath: '<project>' });
    await using place = await open({
      [`gemini-ide-server-${DEAD}-1.json`]: file(1),
      [`gemini-ide-server-${process.pid}-2.json`]: file(2),
      [`gemini-ide-server-1-3.json`]: file(3),
    });
    expect(place.find({ GEMINI_CLI_IDE_SERVER_PORT: '1' }).addresses[0]).toMatchObject({ port: 1 });
    expect(place.find({ GEMINI_CLI_IDE_PID: '1' }).addresses[0]).toMatchObject({ port: 3 });
    expect(place.find().addresses[0]).toMatchObject({ port: 2 });
  });

  it('may be at several places, each worth a try: the file of an editor that crashed stays behind', async () => {
    const stdio = { command: 'ide', args: ['--x'] };
    await using place = await open({
      [`gemini-ide-server-${DEAD}-1.json`]: { port: 1, workspacePath: '<project>', stdio },
    });
    const { addresses } = place.find({ GEMINI_CLI_IDE_SERVER_PORT: '2' });
    expect(addresses.map(({ port, command }) => port ?? command)).toEqual([1, 'ide', 2]);
    expect(place.find({ GEMINI_CLI_IDE_SERVER_PORT: '1' }).addresses.length).toBe(2);
  });

  it('has the token and the folder of the variables where its file names none', async () => {
    await using place = await open({ [`gemini-ide-server-${process.pid}-4000.json`]: { port: 4000 } });
    const { project } = place.workspace;
    const given = { GEMINI_CLI_IDE_AUTH_TOKEN: 't', GEMINI_CLI_IDE_WORKSPACE_PATH: project };
    expect(place.find(given).addresses).toMatchObject([{ port: 4000, token: 't' }]);
    expect(place.find().problem).toContain('please open a workspace folder');
  });

  it('is found by the variables of the editor’s terminal', async () => {
    await using place = await open({});
    const token = { GEMINI_CLI_IDE_AUTH_TOKEN: 't' };
    expect(place.find({ GEMINI_CLI_IDE_SERVER_PORT: '5000', ...token }).addresses[0]).toMatchObject({
      port: 5000,
      token: 't',
    });
    const stdio = { GEMINI_CLI_IDE_SERVER_STDIO_COMMAND: 'ide', GEMINI_CLI_IDE_SERVER_STDIO_ARGS: '["--x"]' };
    expect(place.find(stdio).addresses[0]).toMatchObject({ command: 'ide', args: ['--x'] });
  });

  it.each<[string, Record<string, object | string>, Record<string, string>, string, string]>([
    ['there is none', {}, {}, 'Failed to connect to IDE companion extension.', 'no file of a companion'],
    [
      'it has another folder open',
      { 'gemini-ide-server-1-3.json': { port: 3, workspacePath: '/elsewhere' } },
      {},
      'Directory mismatch.',
      'port 3, open: /elsewhere',
    ],
    [
      'it has no folder open',
      { 'gemini-ide-server-1-3.json': { port: 3, workspacePath: '' } },
      {},
      'please open a workspace folder',
      'no folder',
    ],
    ['its file is damaged', { 'gemini-ide-server-1-3.json': '{' }, {}, 'Failed to connect', 'ignored, '],
    [
      'its file names nothing',
      { 'gemini-ide-server-1-3.json': {} },
      {},
      'Failed to connect',
      'neither a port nor a program',
    ],
    [
      'the variables name another folder',
      {},
      { GEMINI_CLI_IDE_SERVER_PORT: '5', GEMINI_CLI_IDE_WORKSPACE_PATH: '/elsewhere' },
      'Directory mismatch.',
      'port 5',
    ],
  ])('is not found when %s, and the user learns why', async (_name, files, environment, problem, looked) => {
    await using place = await open(files);
    const found = place.find(environment);
    expect(found.addresses).toEqual([]);
    expect(found.problem).toContain(problem);
    expect(found.looked.join('\n')).toContain(looked);
  });
});
