import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { FileStore } from '../tools/files/file-store.ts';
import { IgnoreRules } from '../tools/files/ignore-rules.ts';
import { ReadLedger } from '../tools/files/read-ledger.ts';
import { Workspace } from '../tools/files/workspace.ts';
import { createApplyPatchTool } from '../tools/builtin/apply-patch.ts';
import { guardTools } from '../secrets/guard-tools.ts';
import { SecretVault } from '../secrets/secret-vault.ts';
import { saveGrant } from '../sandbox/grants.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { ToolContext } from '../protocol/tools.ts';
import { createWorkspaceAgent } from './workspace-agent.ts';

const CONTEXT = {
  callId: 'c',
  signal: new AbortController().signal,
  onOutput: () => undefined,
  onPid: () => undefined,
  onEvent: () => undefined,
} as unknown as ToolContext;

/** One of each part of the list: folders, files in them, histories, other agents' logins. */
const HELD = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.config/gh/hosts.yml',
  '.netrc',
  '.npmrc',
  '.bash_history',
  '.gemini/oauth_creds.json',
  '.codex/auth.json',
];

describe('file tools in a workspace around the home folder', () => {
  it('refuse the files that hold credentials, and read one that the user allowed', async () => {
    const homeFiles = Object.fromEntries([...HELD, 'notes.txt'].map((path) => [path, 'CANARY content\n']));
    await using files = await createWorkspace({ homeFiles });
    saveGrant(files.home, { kind: 'read', what: join(files.home, '.npmrc'), root: files.home });
    const agent = await createWorkspaceAgent({
      // No model is asked anything here.
      ...{ generator: {} as ContentGenerator, model: 'gemini-2.5-flash', sessionId: 's' },
      ...{ root: files.home, home: files.home, environment: { PATH: process.env['PATH'] }, interactive: true },
    });
    const run = async (tool: string, args: Record<string, unknown>) => {
      try {
        return JSON.stringify((await agent.tools.getTool(tool)!.build(args).execute(CONTEXT)).llmContent);
      } catch (error) {
        return String(error);
      }
    };
    try {
      const results = await Promise.all(HELD.map((path) => run('read_file', { file_path: path })));
      const told = results.map((text) =>
        text.includes('CANARY') ? 'read' : text.includes('holds credentials') ? 'refused' : text,
      );
      expect(told).toEqual(HELD.map((path) => (path === '.npmrc' ? 'read' : 'refused')));
      expect(await run('read_file', { file_path: 'notes.txt' })).toContain('CANARY');
      const written = await run('write_file', { file_path: '.ssh/authorized_keys', content: 'x' });
      expect(written).toContain('holds credentials');
      const found = await run('grep_search', { pattern: 'CANARY' });
      expect([
        ...HELD.filter((path) => path !== '.npmrc' && found.includes(path)),
        found.includes('notes.txt'),
      ]).toEqual([true]);
    } finally {
      await agent.dispose();
    }
  });
});

it('apply_patch finds the value behind a mark, keeps it, and shows only the mark', async () => {
  const token = `ghp_${'patchCanary'.repeat(3)}012`;
  await using files = await createWorkspace({ files: { 'config.ini': `A=1\nTOKEN=${token}\nB=2\n` } });
  const { project: root } = files;
  const workspace = new Workspace({ root, tempDirectory: files.root, ignore: await IgnoreRules.load(root, {}) });
  const vault = new SecretVault();
  vault.conceal(token);
  const tool = createApplyPatchTool({ store: new FileStore(workspace, new ReadLedger()) });
  const guarded = guardTools(
    { getTool: () => tool, notFound: () => new Error('none') },
    { vault, resolve: (path) => workspace.resolve(path), noteFor: () => undefined },
  ).getTool('apply_patch')!;
  const patch = [
    '*** Begin Patch',
    '*** Update File: config.ini',
    '@@',
    ' A=1',
    ' TOKEN=‹secret:github-1›',
    '-B=2',
    '+B=3',
    '+COPY=‹secret:github-1›',
    '*** End Patch',
  ].join('\n');
  const result = await guarded.build({ patch }).execute(CONTEXT);
  expect(await readFile(join(root, 'config.ini'), 'utf8')).toBe(`A=1\nTOKEN=${token}\nB=3\nCOPY=${token}\n`);
  expect(JSON.stringify(result)).not.toContain(token);
});
