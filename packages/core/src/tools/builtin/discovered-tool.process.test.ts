import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../protocol/tools.ts';
import { splitCommand } from '../split-command.ts';
import { discoverTools } from './discovered-tool.ts';

function createContext(signal = new AbortController().signal): ToolContext {
  return { callId: '1', signal, onOutput: () => undefined, onPid: () => undefined };
}

const DECLARATIONS = [
  {
    name: 'echo',
    description: 'Echoes.',
    parametersJsonSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
  { functionDeclarations: [{ name: 'fail' }, { name: 'wait' }, { name: 'chatty' }, { name: 'environment' }] },
  { function_declarations: [{ name: 'echo' }, { name: 'bad name' }, {}, { name: 'x'.repeat(60) }] },
  'nonsense',
];

const CALL = `
const name = process.argv[2];
if (name === 'wait') { process.stdout.write('x'); setInterval(() => {}, 1000); }
else if (name === 'fail') { console.log('partly'); console.error('broken'); process.exitCode = 3; }
else if (name === 'chatty') console.error('a warning');
else if (name === 'environment') process.stdout.write(Object.keys(process.env).sort().join());
else { let text = ''; process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => process.stdout.write(name + ' ' + text)); }
`;

async function open(discovery = `process.stdout.write(${JSON.stringify(JSON.stringify(DECLARATIONS))})`) {
  const files = await createWorkspace({ files: { 'list tools.cjs': discovery, 'call.cjs': CALL } });
  const leftOut: string[] = [];
  const discover = () =>
    discoverTools(
      {
        discoveryCommand: `"${process.execPath}" 'list tools.cjs'`,
        callCommand: `"${process.execPath}" call.cjs`,
        cwd: files.project,
        env: { ONLY: 'this' },
      },
      new AbortController().signal,
      (sentence) => void leftOut.push(sentence),
    );
  return { discover, leftOut, [Symbol.asyncDispose]: files.dispose };
}

async function openTool(name: string) {
  const project = await open();
  const tools = await project.discover();
  const tool = tools.find((each) => each.name === `discovered_tool_${name}`);
  if (!tool) throw new Error(`${name} was not discovered.`);
  return { tool, [Symbol.asyncDispose]: project[Symbol.asyncDispose] };
}

describe('discovered tools', () => {
  it('are taken from what the command prints, in any of its shapes, bad names left out', async () => {
    await using project = await open();
    expect((await project.discover()).map(({ schema }) => schema)).toEqual([
      {
        name: 'discovered_tool_echo',
        description: 'Echoes.',
        parametersJsonSchema: { type: 'object', properties: { text: { type: 'string' } } },
      },
      ...['fail', 'wait', 'chatty', 'environment'].map((name) => ({
        name: `discovered_tool_${name}`,
        description: '',
        parametersJsonSchema: { type: 'object', properties: {} },
      })),
    ]);
    expect(project.leftOut).toEqual([
      `The project's tool "echo" was skipped: the name is taken.`,
      `The project's tool "bad name" was skipped: a name consists of letters, digits and _ . : -, a letter first.`,
      `The project's tool "" was skipped: a name consists of letters, digits and _ . : -, a letter first.`,
      `The project's tool "${'x'.repeat(60)}" was skipped: a name has 48 characters at most.`,
    ]);
  });

  it('get their arguments as JSON on stdin', async () => {
    await using opened = await openTool('echo');
    expect(await opened.tool.build({ text: 'a "b" $(c)' }).execute(createContext())).toEqual({
      llmContent: 'echo {"text":"a \\"b\\" $(c)"}',
      returnDisplay: 'echo {"text":"a \\"b\\" $(c)"}',
    });
  });

  it.each([
    ['fail', 'Stdout: partly\n\nStderr: broken\n\nError: (none)\nExit Code: 3\nSignal: (none)'],
    ['chatty', 'Stdout: (empty)\nStderr: a warning\n\nError: (none)\nExit Code: 0\nSignal: (none)'],
  ])('%s is a failure in five lines', async (name, message) => {
    await using opened = await openTool(name);
    expect(await opened.tool.build({}).execute(createContext())).toEqual({
      llmContent: message,
      returnDisplay: message,
      error: { message, type: 'discovered_tool_execution_error' },
    });
  });

  it('see the environment they are given and nothing of ours', async () => {
    await using opened = await openTool('environment');
    expect((await opened.tool.build({}).execute(createContext())).llmContent).toBe('ONLY');
  });

  it('are killed on abort', async () => {
    await using opened = await openTool('wait');
    const controller = new AbortController();
    const pids: number[] = [];
    const running = opened.tool.build({}).execute({
      ...createContext(controller.signal),
      onPid: (pid) => {
        pids.push(pid);
        setImmediate(() => controller.abort());
      },
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(() => process.kill(pids[0] ?? 0, 0)).toThrow('ESRCH');
  });

  it.each([
    ['process.stdout.write("no json")', 'Tool discovery did not print JSON'],
    ['process.stdout.write("{}")', 'Tool discovery did not print a JSON array'],
    ['console.error("oops"); process.exit(2)', 'Tool discovery failed (exit code 2): oops'],
    ['process.stdout.write("[" + " ".repeat(11000000) + "]")', 'is larger than 10485760 bytes'],
  ])('are not there when the command does %s', async (discovery, message) => {
    await using project = await open(discovery);
    await expect(project.discover()).rejects.toMatchObject({
      type: 'discovered_tool_execution_error',
      message: expect.stringContaining(message),
    });
  });

  it('name a command that cannot be started', async () => {
    const request = { discoveryCommand: '/no/such/program', callCommand: 'x', cwd: '/', env: {} };
    await expect(discoverTools(request, new AbortController().signal)).rejects.toThrow('could not be started');
  });
});

describe('splitCommand', () => {
  it.each([
    ['a b  c', ['a', 'b', 'c']],
    [`a 'b c' "d \\" e" f\\ g ''`, ['a', 'b c', 'd " e', 'f g', '']],
    [`a; rm -rf $HOME | b`, ['a;', 'rm', '-rf', '$HOME', '|', 'b']],
    ['', []],
  ])('%s', (command, words) => {
    expect(splitCommand(command)).toEqual(words);
  });

  it('refuses an open quotation mark', () => {
    expect(() => splitCommand(`a 'b`)).toThrow('Unclosed quote');
  });
});
