/**
 * A whole session full of canaries: in variables, files, prompts, output, errors, MCP results and hooks. None of them may
 * be in a request, in a file outside the project, or in what the program prints.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, mcp, mcpStdioCommand, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

/** Assembled, so that no scanner finds them here. */
const CANARY = {
  file: `ghp_${'fileCanary'.repeat(3)}012345`,
  prompt: `glpat-${'promptCanary1'.repeat(2)}`,
  output: `sk-ant-api03-${'outputCanary1'.repeat(2)}`,
  split: `npm_${'splitCanary0'.repeat(3)}`,
  variable: 'variableCanary0123456789',
  own: 'ownKeyCanary-0123456789',
  address: 'addressCanary4321',
  background: `xoxb-${'backgroundCanary1'.repeat(2)}`,
  mcp: `hf_${'mcpCanary0'.repeat(3)}1234`,
  description: `npm_${'descriptionCanary'.repeat(3).slice(0, 36)}`,
  mcpError: `npm_${'mcpErrorCanary'.repeat(3).slice(0, 36)}`,
  protocol: `npm_${'protocolCanary'.repeat(3).slice(0, 36)}`,
  reference: `npm_${'referenceCanary'.repeat(3).slice(0, 36)}`,
  hook: `glpat-${'hookCanary123'.repeat(2)}`,
  context: `AIza${'contextCanary0'.repeat(3).slice(0, 35)}`,
  block: `MIIEvQIBADANblockCanary0123456789`,
};
const BLOCK = `-----BEGIN ${'PRIVATE'} KEY-----\n${CANARY.block}\n-----END ${'PRIVATE'} KEY-----\n`;

/** Every file below a folder, as bytes. */
function filesBelow(folder: string): [path: string, bytes: Buffer][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, readFileSync(path)];
    });
}

/** The canaries in a text, with where they were found. */
function canariesIn(where: string, text: string | Buffer): string[] {
  return Object.entries(CANARY).flatMap(([name, value]) => (text.includes(value) ? [`${name} in ${where}`] : []));
}

describe('a session full of secrets', () => {
  it('sends none, keeps none and prints none, and still writes the real values where they belong', async () => {
    const server = await mcpStdioCommand({
      tools: [
        {
          name: 'tell',
          description: `Tells what ${CANARY.description} opens.`,
          result: mcp.result(mcp.text(`the token is ${CANARY.mcp}`)),
        },
        { name: 'fail', result: { isError: true, content: [mcp.text(`no such token: ${CANARY.mcpError}`)] } },
        { name: 'break' },
      ],
      rules: [
        mcp.on('tools/call', [mcp.answer({ error: { code: -32000, message: CANARY.protocol } })], { name: 'break' }),
      ],
    });
    await using _ended = server;
    await using workspace = await createWorkspace({
      files: {
        'config.ini': `A=1\nTOKEN=${CANARY.file}\nURL=postgres://bob:${CANARY.address}@db.corp.net/x\nB=2\n`,
        'key.pem': BLOCK,
        'note.txt': `see ${CANARY.reference}\n`,
        'GEMINI.md': `Use the key ${CANARY.context} for maps.`,
        'split.sh': `printf '${CANARY.split.slice(0, 14)}'; sleep 0.05; printf '${CANARY.split.slice(14)}\\n'\n`,
        'print.sh': `echo ${CANARY.output}; echo "$APP_TOKEN|$GEMINI_API_KEY"; env\n`,
        'serve.sh': `echo ${CANARY.background}; sleep 30\n`,
        'hook.sh': `cat > hook-input; env > hook-environment; echo '{"hookSpecificOutput":{"additionalContext":"${CANARY.hook}"}}'\n`,
      },
    });
    const settings = {
      telemetry: {
        enabled: true,
        target: 'local',
        outfile: join(workspace.home, '.gemini', 'telemetry.log'),
        logPrompts: true,
      },
      mcpServers: { one: server.entry },
      hooks: { AfterTool: [{ matcher: 'read_file', hooks: [{ type: 'command', command: 'bash hook.sh' }] }] },
    };
    mkdirSync(join(workspace.home, '.gemini'));
    writeFileSync(join(workspace.home, '.gemini', 'settings.json'), JSON.stringify(settings));
    const script = [
      answer(call('read_file', { file_path: 'config.ini' }), call('read_file', { file_path: 'key.pem' })),
      call('run_shell_command', { command: 'bash print.sh; bash split.sh; echo $APP_TOKEN' }),
      call('run_shell_command', {
        command: "printf '%s' '‹secret:github-1›' > used; printf %s \"‹secret:gitlab-1›\" > typed; wc -c used",
      }),
      call('replace', {
        instruction: 'change it',
        file_path: 'config.ini',
        old_string: 'TOKEN=‹secret:github-1›\nURL',
        new_string: 'TOKEN=‹secret:github-1›\nNEW=1\nURL',
      }),
      call('replace', {
        instruction: 'change it',
        file_path: 'config.ini',
        old_string: 'TOKEN=‹secret:github-1›\nMISSING',
        new_string: 'x',
      }),
      call('write_file', { file_path: 'copy.pem', content: '‹secret:private-key-1›\n' }),
      call('write_file', { file_path: 'bad.txt', content: 'x ‹secret:github-99› y' }),
      call('run_shell_command', { command: 'bash serve.sh', is_background: true, delay_ms: 400 }),
      answer(call('mcp_one_tell', {}), call('mcp_one_fail', {}), call('mcp_one_break', {})),
      call('grep_search', { pattern: 'TOKEN' }),
      say('done'),
    ];
    await using model = await fakeModel(script, { key: CANARY.own });
    const result = await runCli(
      [
        '-p',
        `the token is ${CANARY.prompt}, see @note.txt`,
        '-y',
        '--output-format',
        'stream-json',
        '--skip-trust',
        '--debug',
      ],
      {
        model,
        workspace,
        env: { APP_TOKEN: CANARY.variable, GEMINI_API_KEY: CANARY.own },
      },
    );
    expect([result.stderr.slice(-500), result.code]).toEqual([expect.any(String), 0]);

    const requests = model.requests.map(({ body }) => JSON.stringify(body));
    const found = [
      ...requests.flatMap((request, index) => canariesIn(`request ${index + 1}`, request)),
      ...canariesIn('stdout', result.stdout),
      ...canariesIn('stderr', result.stderr),
      ...filesBelow(join(workspace.home, '.gemini')).flatMap(([path, bytes]) => canariesIn(path, bytes)),
      ...canariesIn('the input of a hook', readFileSync(join(workspace.project, 'hook-input'))),
      ...canariesIn('the environment of a hook', readFileSync(join(workspace.project, 'hook-environment'))),
    ];
    expect(found).toEqual([]);

    const read = (name: string) => readFileSync(join(workspace.project, name), 'utf8');
    expect(read('used')).toBe(CANARY.file);
    expect(read('typed')).toBe(CANARY.prompt);
    expect(read('config.ini')).toBe(
      `A=1\nTOKEN=${CANARY.file}\nNEW=1\nURL=postgres://bob:${CANARY.address}@db.corp.net/x\nB=2\n`,
    );
    expect(read('copy.pem')).toBe(BLOCK);
    const last = requests.at(-1) ?? '';
    expect(last).toContain('‹secret:github-99› stands for a value that Castor no longer has');
    expect(last).toContain('Castor withholds APP_TOKEN from commands');
    expect(last.match(/stands for a secret that Castor withholds/g)).toHaveLength(1);
  });
});
