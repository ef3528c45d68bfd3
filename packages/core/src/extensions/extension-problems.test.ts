import { createWorkspace } from '@castor/testkit';
import { expect, it } from 'vitest';
import { findProblems } from './extension-problems.ts';
import { readManifest } from './manifest.ts';

it('names what an extension holds in vain, by file and line', async () => {
  const servers = { a: { commnd: 'x' }, b: 5, c: { command: 'node' } };
  const manifest = { name: 'made', version: '1.0.0', mcpServers: servers, excludeTools: 'web_fetch', themes: [{}] };
  await using files = await createWorkspace({
    files: {
      'gemini-extension.json': JSON.stringify(manifest),
      'hooks/hooks.json': '{',
      'commands/c.toml': 'description = "x"',
      'skills/s/SKILL.md': '---\nname: s\n---\n',
      'skills/t/SKILL.md': '---\nname: t\ndescription: Does t.\n---\n',
      'agents/a.md': '---\nname: a\n---\n',
      'policies/p.toml': '[[rule]]\ntoolNam = "x"\ndecision = "deny"\npriority = 1\n',
    },
  });
  expect(await findProblems(files.project)).toEqual([
    'gemini-extension.json: themes: each needs a name.',
    'gemini-extension.json: mcpServers.a: it has no command, url or httpUrl.',
    'gemini-extension.json: mcpServers.b: it has no command, url or httpUrl.',
    expect.stringMatching(/^hooks\/hooks\.json: line \d:\d: /),
    'commands/c.toml: it has no prompt.',
    'skills/s/SKILL.md: description is missing.',
    'agents/a.md: description is missing.',
    expect.stringMatching(/^policies\/p\.toml: line 2: .*unknown key "toolNam"/),
  ]);
  // A restriction is not lost for its form.
  expect(readManifest(files.project, files.project).excludeTools).toEqual(['web_fetch']);
});
