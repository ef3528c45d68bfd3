/** Runs that make something happen which telemetry has a name for: the library, the program and the terminal. */

import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  ALLOW_EVERYTHING,
  createAgent,
  createGeminiGenerator,
  createWorkspaceAgent,
  openTelemetry,
  systemClock,
  ToolRegistry,
} from '@castor/core';
import type { AgentEvent, TelemetryPort, TelemetrySettings, WorkspaceAgent, WorkspaceAgentOptions } from '@castor/core';
import {
  answer,
  call,
  createFakeClock,
  createWorkspace,
  fakeModel,
  fault,
  finish,
  raw,
  refusedUrl,
  runCli,
  say,
  startTerminal,
  text,
} from '@castor/testkit';
import type { ModelRequest, Script, Step, Workspace } from '@castor/testkit';
import { createWebFetchTool } from '../../packages/core/src/tools/builtin/web-fetch.ts';
import { readTold } from './told.ts';
import type { Told } from './told.ts';

export interface AgentScene {
  script: Script;
  files?: Record<string, string>;
  options?: Partial<WorkspaceAgentOptions>;
  settings?: TelemetrySettings;
  prompts?: readonly string[];
  onEvent?: (event: AgentEvent, agent: WorkspaceAgent) => void;
  before?: (agent: WorkspaceAgent) => void | Promise<void>;
}

const NEVER = new AbortController().signal;

/** A workspace agent that asks a scripted model, under a clock of its own. */
export async function runAgent(scene: AgentScene): Promise<Told> {
  await using workspace = await createWorkspace({ files: scene.files ?? {} });
  await using model = await fakeModel(scene.script);
  return await watch(workspace, scene.settings, async (telemetry, clock) => {
    const agent = await createWorkspaceAgent({
      generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
      model: 'gemini-2.5-flash',
      sessionId: 's',
      root: workspace.project,
      home: workspace.home,
      environment: { PATH: process.env['PATH'] },
      approvalMode: 'yolo',
      clock,
      telemetry,
      ...scene.options,
    });
    await scene.before?.(agent);
    for (const words of scene.prompts ?? ['go']) {
      const prompt = agent.session.prompt([{ text: words }], NEVER, { text: words });
      for await (const event of prompt) scene.onEvent?.(event, agent);
    }
    await agent.dispose();
  });
}

async function watch(
  workspace: Workspace,
  settings: TelemetrySettings | undefined,
  run: (telemetry: TelemetryPort, clock: ReturnType<typeof createFakeClock>) => Promise<void>,
): Promise<Told> {
  const clock = createFakeClock();
  const outfile = join(workspace.root, 'telemetry.log');
  const telemetry = await openTelemetry(
    { enabled: true, outfile, ...settings },
    {
      sessionId: 's',
      version: '1',
      interactive: false,
      endpoint: 'http://model.example:8080/',
      clock,
      onProblem: (problem) => {
        throw new Error(problem);
      },
    },
  );
  await run(telemetry!, clock);
  await telemetry!.shutdown();
  return readTold(outfile);
}

/** JSON for whoever asks for JSON, else the next of the steps. */
export function besides(json: (request: ModelRequest) => object | string, steps: readonly Step[]): Script {
  let next = 0;
  return (request) => {
    if (request.body.generationConfig?.responseMimeType !== 'application/json') return steps[next++] ?? say('done');
    const value = json(request);
    return say(typeof value === 'string' ? value : JSON.stringify(value));
  };
}

const NO_RIPGREP = `require('node:module').registerHooks({
  resolve(name, context, next) {
    if (name === '@vscode/ripgrep') throw new Error('there is none');
    return next(name, context);
  },
});`;

const EMPTY_FRAME = raw({ candidates: [{ content: { role: 'model', parts: [] } }] });

export const SCENES = {
  agents: () =>
    runAgent({
      script: [
        answer(call('invoke_agent', { agent_name: 'generalist', prompt: 'Look.' }, { id: '1' })),
        say('I forget to hand it in.'),
        answer(call('complete_task', { result: { response: 'Found.' } }, { id: '2' })),
        say('Done.'),
      ],
    }),

  edits: () =>
    runAgent({
      files: { 'a.ts': 'const a = 1;\nconst b = 2;\n' },
      settings: { traces: true },
      script: [
        answer(call('read_file', { file_path: 'a.ts' }, { id: '1' })),
        answer(
          call(
            'replace',
            { file_path: 'a.ts', instruction: 'x', old_string: 'const b = 2;', new_string: 'const b = 3;' },
            { id: '2' },
          ),
        ),
        answer(call('write_file', { file_path: 'new.md', content: '# New\n\nwords' }, { id: '3' })),
        say('Edited.'),
      ],
    }),

  failures: () =>
    runAgent({
      script: [fault(503), answer(text('half'), finish('MALFORMED_FUNCTION_CALL')), answer(EMPTY_FRAME, text('whole'))],
    }),

  unusable: () => runAgent({ script: () => answer(finish('STOP')) }),

  circles: () =>
    runAgent({
      script: () => answer(call('list_directory', { dir_path: '.' })),
      before: (agent) => agent.disableLoopDetection(),
      options: { limits: { maxSessionTurns: 2 } },
    }),

  repeatedCalls: () => runAgent({ script: () => answer(call('list_directory', { dir_path: '.' })) }),

  judgedLoop: () =>
    runAgent({
      // The judge has ten seconds, which must not pass at once.
      options: { clock: systemClock },
      script: besides(
        () => ({ unproductive_state_analysis: 'It lists folders.', unproductive_state_confidence: 0.95 }),
        Array.from({ length: 31 }, (_, index) => answer(call('list_directory', { dir_path: `f${index}` }))),
      ),
    }),

  nextSpeaker: () => {
    const answers = ['no JSON', { reasoning: 'all is said', next_speaker: 'user' }];
    return runAgent({
      script: besides(() => answers.shift()!, [say('Done.')]),
      options: { features: { nextSpeakerCheck: true } },
    });
  },

  compression: () =>
    runAgent({
      prompts: ['one', 'two', 'three'],
      options: { limits: { compressionThreshold: 0.000001 } },
      script: ({ body }) =>
        body.systemInstruction && JSON.stringify(body.contents.at(-1)).includes('state_snapshot')
          ? say('<state_snapshot>short</state_snapshot>')
          : say(Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ')),
    }),

  masking: () =>
    runAgent({
      files: Object.fromEntries([1, 2, 3].map((n) => [`f${n}.txt`, `${n} line of text\n`.repeat(400)])),
      options: { outputMasking: { protectionThresholdTokens: 500, minPrunableThresholdTokens: 500 } },
      script: [
        ...[1, 2, 3].map((n) => answer(call('read_file', { file_path: `f${n}.txt` }, { id: String(n) }))),
        say('Read.'),
      ],
    }),

  longOutput: () =>
    runAgent({
      options: { limits: { toolOutput: 1_000 } },
      script: [answer(call('run_shell_command', { command: 'seq 1 2000' }, { id: '1' })), say('Long.')],
    }),

  plan: () =>
    runAgent({
      options: { approvalMode: 'plan', interactive: true, planSettings: { directory: 'plans' } },
      files: { 'plans/plan.md': '1. think\n' },
      script: [answer(call('exit_plan_mode', { plan_filename: 'plan.md' }, { id: '1' })), say('Off we go.')],
      onEvent(event, agent) {
        if (event.type !== 'tool_call_confirmation') return;
        agent.session.respond('1', 'proceed_once', { approved: true, approvalMode: 'autoEdit' });
      },
    }),

  fallback: () =>
    runAgent({
      options: { model: 'auto-gemini-2.5' },
      script: ({ model }) => (model === 'gemini-2.5-pro' ? fault(429) : say('from flash')),
    }),

  routingFailure: () =>
    runAgent({
      options: { model: 'auto-gemini-2.5', features: { classifyRequests: true } },
      script: besides(() => 'no JSON', [say('Answered.')]),
    }),

  webFetch: async () => {
    const pages = createServer((_request, response) => response.end('a page'));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const { port } = pages.address() as AddressInfo;
    await using workspace = await createWorkspace();
    const prompt = `read http://page.example:${port}/`;
    await using model = await fakeModel([answer(call('web_fetch', { prompt })), say('Read.')]);
    const told = await watch(workspace, undefined, async (telemetry, clock) => {
      const tools = new ToolRegistry();
      tools.register(
        createWebFetchTool({
          // No model that could open a page can be reached, nor one to read what was fetched.
          generator: createGeminiGenerator({ apiKey: 'k', baseUrl: await refusedUrl() }),
          resolveModel: ({ model: name }) => ({ model: name, config: {} }),
          clock,
          isAllowedAddress: () => true,
          resolve: async () => [{ address: '127.0.0.1', family: 4 }],
        }),
      );
      const agent = createAgent({
        generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
        model: 'gemini-2.5-flash',
        sessionId: 's',
        tempDirectory: workspace.root,
        tools,
        policy: ALLOW_EVERYTHING,
        telemetry,
        clock,
      });
      for await (const event of agent.session.prompt('go', NEVER)) void event;
    });
    pages.close();
    return told;
  },

  /** The program as it is built: hooks, a command, an end with an error. */
  program: async () => {
    await using workspace = await createWorkspace();
    const outfile = join(workspace.root, 'telemetry.log');
    await writeSettings(workspace, outfile, {
      hooks: { BeforeAgent: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    });
    await using model = await fakeModel([say('ok'), fault(400)]);
    for (const words of ['hello', '/memory show', 'again']) await runCli(['-p', words], { model, workspace });
    return readTold(outfile);
  },

  /** The program without ripgrep, as on a platform that has none. */
  noRipgrep: async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'needle\n' } });
    const outfile = join(workspace.root, 'telemetry.log');
    await writeSettings(workspace, outfile);
    const preload = join(workspace.root, 'no-ripgrep.cjs');
    await writeFile(preload, NO_RIPGREP);
    await using model = await fakeModel([answer(call('grep_search', { pattern: 'needle' })), say('Found.')]);
    await runCli(['-p', 'find'], { model, workspace, env: { NODE_OPTIONS: `--require=${preload}` } });
    return readTold(outfile);
  },

  /** A person chooses another model, goes back, and makes the window smaller than the frame. */
  terminal: async () => {
    await using workspace = await createWorkspace();
    const outfile = join(workspace.root, 'telemetry.log');
    await writeSettings(workspace, outfile);
    await using model = await fakeModel([say('one')], { repeatLast: true });
    await using terminal = await startTerminal([], { model, workspace, rows: 24 });
    await terminal.waitForText('Type your message');
    terminal.type('hi\r');
    await terminal.waitForText('one');
    terminal.type('/model set flash\r');
    await terminal.waitForText('The model is flash');
    terminal.type('/rewind\r');
    await terminal.waitForText('Rewind to before which message?');
    terminal.type('\r');
    await terminal.waitForText('Rewound to before that message');
    await terminal.resize(80, 1);
    // The first key may be seen before the new size is; the second is drawn in it.
    terminal.type('quark');
    await terminal.waitForText('quark');
    terminal.type('muon');
    await terminal.waitForText('quarkmuon');
    terminal.type('\x03\x03\x03');
    await terminal.done;
    return readTold(outfile);
  },
};

async function writeSettings(workspace: Workspace, outfile: string, rest: object = {}): Promise<void> {
  const directory = join(workspace.home, '.gemini');
  await mkdir(directory, { recursive: true });
  const settings = { telemetry: { enabled: true, outfile }, ...rest };
  await writeFile(join(directory, 'settings.json'), JSON.stringify(settings));
}
