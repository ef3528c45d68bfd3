/** `castor --record` and `castor replay`: a run over real HTTP, recorded without secrets, and run again without the server. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, fault, runCli, say } from '@castor/testkit';
import type { CliOptions, ModelRequest, Script, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const SECRET = 'hunter2-is-the-secret-value';
const KEY = `sk-ant-${'x'.repeat(30)}`;

interface Line {
  type: string;
  [field: string]: unknown;
}

interface Place extends AsyncDisposable {
  workspace: Workspace;
  file: string;
  text(): string;
  lines(): Line[];
  /** Replaces what a line of the recording says. */
  edit(change: (text: string) => string): void;
  run(args: readonly string[], options?: CliOptions): ReturnType<typeof runCli>;
}

async function openPlace(files: Record<string, string> = { 'a.txt': 'one\ntwo\n' }): Promise<Place> {
  const workspace = await createWorkspace({ files });
  const file = join(workspace.project, 'run.jsonl');
  const temporary = join(workspace.root, 'temporary');
  mkdirSync(temporary);
  const text = () => readFileSync(file, 'utf8');
  return {
    workspace,
    file,
    text,
    lines: () =>
      text()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    edit: (change) => writeFileSync(file, change(text())),
    async run(args, { env = {}, ...options } = {}) {
      const result = await runCli(args, { workspace, ...options, env: { ...env, TMPDIR: temporary } });
      expect(readdirSync(temporary).filter((name) => name.startsWith('castor-replay-'))).toEqual([]);
      return result;
    },
    [Symbol.asyncDispose]: () => workspace.dispose(),
  };
}

const results = (request: ModelRequest) => JSON.stringify(request.body).split('"functionResponse":').length - 1;

/** Reads, edits, runs a command that writes, and asks for a page; then answers. */
function worker({ body, ...request }: ModelRequest) {
  const steps = [
    answer(call('read_file', { file_path: 'a.txt' })),
    answer(call('replace', { file_path: 'a.txt', instruction: 'i', old_string: 'two', new_string: 'three' })),
    answer(call('run_shell_command', { command: `echo "$MY_TOKEN ${SECRET} $(date +%s%N)" > made.txt; cat made.txt` })),
    say('All done.'),
  ];
  return steps[results({ body, ...request })]!;
}

async function record(place: Place, script: Script, options: CliOptions & { protocol?: 'anthropic' } = {}) {
  await using model = await fakeModel(script);
  const result = await place.run(['-y', '--record', 'run.jsonl', '-p', 'Do the work'], { model, ...options });
  return { ...result, requests: model.requests.length };
}

describe('a recorded run', () => {
  it('runs again without the server and without its commands, and is the same', async () => {
    await using place = await openPlace();
    const recorded = await record(place, worker, { env: { MY_TOKEN: SECRET } });
    expect([recorded.code, recorded.stdout], recorded.stderr).toEqual([0, 'All done.\n']);
    const kinds = place.lines().map(({ type }) => type);
    expect(kinds.filter((type) => ['request', 'response', 'call', 'result', 'end'].includes(type))).toEqual([
      ...['request', 'response', 'call', 'result', 'request', 'response', 'call', 'result', 'request', 'response'],
      ...['call', 'result', 'request', 'response', 'end'],
    ]);
    // The time of each piece, the bytes of each request, the changes of the command.
    expect(place.lines().filter(({ type }) => type === 'response')).toSatisfy((lines: Line[]) =>
      lines.every(({ chunks }) => (chunks as [number, string][]).every(([at]) => at > 0)),
    );
    expect(place.lines().at(-1)).toMatchObject({
      exitCode: 0,
      changes: [{ path: 'a.txt', text: 'one\nthree\n' }, { path: 'made.txt' }],
    });
    expect(place.text()).not.toContain(SECRET);
    expect(place.text()).not.toContain(place.workspace.root);
    const { code, stdout, stderr } = await place.run(['replay', 'run.jsonl']);
    expect([code, stdout], stderr).toEqual([0, '✓ run.jsonl  the same (4 requests, 3 calls, 2 changed files)\n']);
  });

  it('holds no secret, and is the same with secrets in its prompt, files, output, variables and answers', async () => {
    /** Assembled, so that no scanner finds them here. */
    const secrets = {
      prompt: `ghp_${'promptSecret'.repeat(3)}`,
      file: `ghp_${'fileOfSecret'.repeat(3)}`,
      password: 'passwordSecret4321',
      output: `npm_${'outputSecret'.repeat(3)}`,
      answer: `glpat-${'answerSecret1'.repeat(2)}`,
      variable: 'variableSecret0123456789',
      key: `MIIEvQIBADAN${'keySecret'.repeat(4)}`,
    };
    const block = ['-----BEGIN PRIVATE KEY-----', secrets.key, '-----END PRIVATE KEY-----', ''].join('\n');
    await using place = await openPlace({
      'a.ini': `A=1\nTOKEN=${secrets.file}\nURL=postgres://bob:${secrets.password}@db.corp.net/x\n`,
      'key.pem': block,
      'print.sh': `echo ${secrets.output}; echo ${secrets.variable}; echo ${secrets.password}; cp key.pem made.pem\n`,
    });
    const script = [
      answer(call('read_file', { file_path: 'a.ini' }), call('read_file', { file_path: 'key.pem' })),
      call('run_shell_command', { command: `bash print.sh; echo '‹secret:github-1›' > used.txt # ${secrets.answer}` }),
      call('run_shell_command', { command: "echo '‹secret:github-99›'" }),
      call('replace', {
        ...{ instruction: 'change it', file_path: 'a.ini' },
        ...{ old_string: 'TOKEN=‹secret:github-2›', new_string: 'TOKEN=‹secret:github-2›\nNPM=‹secret:npm-1›' },
      }),
      call('write_file', { file_path: 'copy.pem', content: '‹secret:private-key-1›\n' }),
      call('read_file', { file_path: 'used.txt' }),
      say(`Done with ${secrets.answer}.`),
    ];
    await using model = await fakeModel(script);
    const prompt = `Use ${secrets.prompt}\n${secrets.prompt} now`;
    const env = { APP_TOKEN: secrets.variable };
    const recorded = await place.run(['-y', '--record', 'run.jsonl', '-p', prompt], { model, env });
    expect(recorded.code, recorded.stderr).toBe(0);
    model.assertDone();
    // They were marked for the model, and the edits wrote them back.
    const last = JSON.stringify(model.requests.at(-1)?.body);
    for (const mark of ['github-1', 'github-2', 'password-1', 'npm-1', 'app-token-1', 'private-key-1'])
      expect(last).toContain(`‹secret:${mark}›`);
    expect(readFileSync(join(place.workspace.project, 'a.ini'), 'utf8')).toContain(`NPM=${secrets.output}`);
    for (const secret of Object.values(secrets)) expect(place.text()).not.toContain(secret);
    const same = '✓ run.jsonl  the same (7 requests, 7 calls, 4 changed files)\n';
    const replayed = await place.run(['replay', 'run.jsonl']);
    expect([replayed.code, replayed.stdout], replayed.stderr).toEqual([0, same]);
    // Written anew it is still the same, and holds none either.
    expect((await place.run(['replay', 'run.jsonl', '--update'])).code).toBe(0);
    const again = await place.run(['replay', 'run.jsonl'], { env });
    expect([again.code, again.stdout], again.stderr).toEqual([0, same]);
    for (const secret of Object.values(secrets)) expect(place.text()).not.toContain(secret);
  });

  /** Replays a recording that was changed. */
  async function recorded(place: Place) {
    await record(place, worker);
    const whole = place.text();
    const replay = (change: (text: string) => string, flags: readonly string[] = []) => {
      writeFileSync(place.file, change(whole));
      return place.run(['replay', 'run.jsonl', ...flags]);
    };
    return { whole, replay };
  }

  it('differs by a byte of a request; --update accepts it', { timeout: 240_000 }, async () => {
    await using place = await openPlace();
    const { replay } = await recorded(place);
    // As after a change of the prompt of the system.
    const request = await replay((text) =>
      text.replaceAll('Do the work', 'Do  the work').replace('Do  the work', 'Do the work'),
    );
    expect([request.code, request.stdout]).toEqual([
      1,
      expect.stringMatching(
        /✗ run\.jsonl {2}differs\n +The request POST \S+ differs, at contents\[0\]\.parts\[1\]\.text.*\n +recorded +"Do {2}the work"\n +now +"Do the work"\n +after .* castor replay --update run\.jsonl\n/,
      ),
    ]);
    const updated = await replay(
      (text) => text.replaceAll('Do the work', 'Do  the work').replace('Do  the work', 'Do the work'),
      ['--update'],
    );
    expect([updated.code, updated.stdout]).toEqual([0, expect.stringContaining('✓ run.jsonl  updated')]);
    expect(place.text()).not.toContain('Do  the work');
    const kept = await place.run(['replay', 'run.jsonl', '--keep']);
    expect([kept.code, kept.stderr]).toEqual([0, 'castor: kept in replays. castor replay runs it.\n']);
    const all = await place.run(['replay', '-o', 'json']);
    expect([all.code, JSON.parse(all.stdout)]).toMatchObject([
      0,
      { replays: [{ file: 'replays/run.jsonl', requests: 4, calls: 3 }] },
    ]);
  });

  it('differs by a call, a file, an answer that is missing', { tags: 'wide', timeout: 240_000 }, async () => {
    await using place = await openPlace();
    const { whole, replay } = await recorded(place);
    const file = await replay((text) =>
      text.replace('"changes":[{"path":"a.txt","text":"one\\nthree', '"changes":[{"path":"a.txt","text":"one\\nfour'),
    );
    expect([file.code, file.stdout]).toEqual([
      1,
      expect.stringContaining('a.txt has another content at the end, at line 2.'),
    ]);
    const missing = await replay((text) =>
      text
        .split('\n')
        .filter((line) => !/"id":4[,}]/.test(line))
        .join('\n'),
    );
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain(
      'The order differs: the call replace comes where the recording has the request POST',
    );
    const [before = ''] = whole.split(/^\{"type":"response"/m);
    const empty = await replay(() => before);
    expect([empty.code, empty.stdout, empty.stderr]).toEqual([
      ...[42, ''],
      expect.stringContaining('holds no answer of the model: the recorded run was interrupted before the first one.'),
    ]);
  });

  it('keeps failures of the server and the waits after them, and replays them at once', { tags: 'wide' }, async () => {
    await using place = await openPlace();
    let asked = 0;
    const { code } = await record(place, () => (asked++ === 0 ? fault(503, { retryAfter: 1 }) : say('after all')));
    expect(code).toBe(0);
    expect(place.lines().some(({ type, ms }) => type === 'sleep' && Number(ms) >= 1_000)).toBe(true);
    const { stdout } = await place.run(['replay', 'run.jsonl']);
    expect(stdout).toBe('✓ run.jsonl  the same (2 requests, 0 calls, 0 changed files)\n');
  });

  it(
    'of another protocol holds neither key nor folder, also where a model spells them in pieces',
    { tags: 'wide' },
    async () => {
      await using place = await openPlace();
      const path = join(place.workspace.project, 'a.txt');
      const script = (request: ModelRequest) =>
        JSON.stringify(request.body).includes('tool_result')
          ? say(`The file ${path} and ${SECRET} are read.`)
          : answer(call('read_file', { file_path: path }));
      await using model = await fakeModel(script, { protocol: 'anthropic', key: KEY, quirks: { argumentPieces: 3 } });
      const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: model.url, MY_SECRET: SECRET };
      const words = ['--model', 'anthropic/claude-opus-5', '--record', 'run.jsonl', '-p', 'Read it'];
      const recorded = await place.run(words, { env });
      expect(recorded.code, recorded.stderr).toBe(0);
      for (const hidden of [KEY, SECRET, place.workspace.root]) expect(place.text()).not.toContain(hidden);
      const { code, stdout, stderr } = await place.run(['replay', 'run.jsonl']);
      expect([code, stdout], stderr).toEqual([0, '✓ run.jsonl  the same (2 requests, 1 call, 0 changed files)\n']);
    },
  );
});

describe('the recording of a stranger', () => {
  let hello: Promise<string> | undefined;
  const recordHello = async () => {
    await using place = await openPlace();
    await record(place, () => say('hello'));
    return place.text();
  };
  /** A recording names no folder: it is the same wherever it lies. */
  const writeHello = async ({ file }: Place) => writeFileSync(file, await (hello ??= recordHello()));

  it('starts no program and reaches no address, whatever it says', { tags: 'wide' }, async () => {
    await using place = await openPlace();
    await writeHello(place);
    const marker = join(place.workspace.home, 'ran');
    const hook = { matcher: '*', hooks: [{ type: 'command', command: `touch ${marker}` }] };
    const settings = {
      hooks: { SessionStart: [hook], BeforeAgent: [hook], BeforeModel: [hook] },
      mcpServers: { evil: { command: 'touch', args: [marker] } },
      tools: { discoveryCommand: `touch ${marker}`, callCommand: 'x' },
      telemetry: { enabled: true, outfile: marker },
    };
    const [first = '', ...rest] = place.text().split('\n');
    const start = JSON.parse(first) as { argv: string[]; environment: Record<string, string> };
    const line = { type: 'file', root: 'home', path: '.gemini/settings.json', text: JSON.stringify(settings) };
    const evil = {
      ...start,
      argv: ['--skip-trust', ...start.argv],
      environment: { ...start.environment, NODE_OPTIONS: `--require ${marker}` },
    };
    writeFileSync(place.file, [JSON.stringify(evil), JSON.stringify(line), ...rest].join('\n'));
    const { stdout, stderr } = await place.run(['replay', 'run.jsonl']);
    expect([existsSync(marker), stdout], stderr).toEqual([false, expect.stringContaining('run.jsonl')]);
  });

  it('writes no file outside its folder', async () => {
    await using place = await openPlace();
    await writeHello(place);
    const line = { type: 'file', root: 'workspace', path: '../../../escaped.txt', text: 'x' };
    place.edit((text) => `${text}${JSON.stringify(line)}\n`);
    const { code, stderr } = await place.run(['replay', 'run.jsonl']);
    expect([code, stderr]).toEqual([42, expect.stringContaining('names a file outside its folder')]);
  });
});

describe('what cannot be recorded or replayed', () => {
  variants.each<[string, string[], number, RegExp]>([
    ['a missing recording', ['replay', 'no.jsonl'], 42, /no\.jsonl does not exist\./],
    ['another file', ['replay', 'other.jsonl'], 42, /other\.jsonl:1: the line is not part of a recording\./],
    ['no folder', ['replay'], 42, /There is no folder replays\./],
    ['an existing file', ['--model', 'offline', '--record', 'other.jsonl', '-p', 'x'], 42, /other\.jsonl exists\./],
    ['a conversation', ['--record', 'r', '--acp'], 42, /--record records a run of one prompt/],
  ])('is said in one sentence: %s', async (_, words, code, sentence) => {
    await using place = await openPlace({ 'other.jsonl': '{"a":1}\n' });
    const result = await place.run(words, { env: { GEMINI_API_KEY: 'k' } });
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(sentence)]);
  });
});

describe('a run that a replay could not do again', () => {
  const HOOK = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'true' }] }] } };
  const SERVER = { mcpServers: { near: { command: 'node', args: ['x.js'] } } };
  const SIGNED = { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'global' };

  variants.each<[string, object, readonly string[], Record<string, string>, RegExp]>([
    [
      'hooks',
      HOOK,
      [],
      {},
      /does not record hooks, and a replay runs none: .*settings\.json\. To record without them: /,
    ],
    ['MCP servers', SERVER, [], {}, /MCP servers, and a replay starts none: near\. .* --allowed-mcp-server-names none/],
    ['a resumed session', {}, ['--resume', 'latest'], {}, /from its start; it cannot continue a session/],
    ['Vertex AI', {}, [], SIGNED, /does not record Vertex AI: a replay has no Google credentials/],
    ['a conversation', {}, ['--input-format', 'stream-json', '-o', 'stream-json'], {}, /records one prompt/],
  ])('is refused before anything is sent or written: %s', async (_name, settings, args, env, sentence) => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': JSON.stringify(settings) } });
    await using model = await fakeModel([say('never')]);
    const prompt = args.includes('--input-format') ? [] : ['-p', 'go'];
    const { code, stderr, stdout } = await runCli(['--record', 'r.jsonl', ...args, ...prompt], {
      workspace,
      model,
      env,
    });
    expect([code, `${stderr}${stdout}`]).toEqual([42, expect.stringMatching(sentence)]);
    expect([model.requests.length, existsSync(join(workspace.project, 'r.jsonl'))]).toEqual([0, false]);
  });

  it('is recorded where it is told to leave them out, and is the same again', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': JSON.stringify({ ...SERVER, ...HOOK, hooksConfig: { enabled: false } }) },
    });
    await using model = await fakeModel([say('hello')]);
    const args = ['--allowed-mcp-server-names', 'none', '--record', 'r.jsonl', '-p', 'go'];
    const recorded = await runCli(args, { workspace, model });
    expect([recorded.code, recorded.stdout], recorded.stderr).toEqual([0, 'hello\n']);
    const replayed = await runCli(['replay', 'r.jsonl'], { workspace });
    expect(replayed.code, replayed.stdout + replayed.stderr).toBe(0);
  });
});
