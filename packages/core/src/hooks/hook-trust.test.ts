import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHookLayers } from './hook-config.ts';
import type { HookEntry } from './hook-config.ts';
import { HookConsent, admitHooks } from './hook-trust.ts';

let root: string;
let file: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'castor-trust-')));
  mkdirSync(join(root, 'project'));
  file = join(root, 'home', 'trusted_hooks.json');
});
afterEach(() => rmSync(root, { recursive: true }));

const project = () => join(root, 'project');
const consent = () => new HookConsent({ file, root: project() });

function entries(command: string, rest: object = {}, event = 'BeforeTool'): HookEntry[] {
  const hooks = { [event]: [{ hooks: [{ type: 'command', name: 'n', command, ...rest }] }] };
  return [...readHookLayers([{ source: 'project', hooks }]).entries];
}

const admit = (all: HookEntry[], options: { isTrusted?: boolean; isTrustedForRun?: boolean } = {}) => {
  const { entries: admitted, messages } = admitHooks(all, {
    isTrusted: true,
    isTrustedForRun: false,
    consent,
    ...options,
  });
  return [admitted.map(({ command }) => command), messages] as const;
};

describe('admitHooks', () => {
  it('lets no hook of a project run before the folder is trusted', () => {
    expect(admit(entries('a'), { isTrusted: false })).toEqual([
      [],
      ['1 hook(s) of this project do not run, because the folder is not trusted.'],
    ]);
  });

  it('announces the hooks of a trusted project once, and records them for their owner only', () => {
    expect(admit(entries('a'))).toEqual([
      ['a'],
      ['This project has hooks that run with your permissions: BeforeTool n (a).'],
    ]);
    expect(admit(entries('a'))).toEqual([['a'], []]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each<[string, HookEntry[]]>([
    ['another command', entries('b')],
    ['another environment', entries('a', { env: { X: '1' } })],
    ['another timeout', entries('a', { timeout: 1 })],
    ['another event', entries('a', {}, 'AfterTool')],
  ])('lets %s run only after another consent', (_, changed) => {
    admit(entries('a'));
    const [admitted, messages] = admit(changed);
    expect(admitted).toEqual([]);
    expect(messages).toEqual([expect.stringMatching(/and do not run: .*\.$/)]);
    expect(admit(changed)[0]).toEqual([]);
    consent().consent(changed);
    expect(admit(changed)).toEqual([[changed[0]?.command], []]);
  });

  it.each(['./hook.sh', '$GEMINI_PROJECT_DIR/hook.sh', 'bash "${CLAUDE_PROJECT_DIR}/hook.sh" x'])(
    'notices that a script of the project was changed: %s',
    (command) => {
      writeFileSync(join(project(), 'hook.sh'), 'echo 1');
      admit(entries(command));
      expect(admit(entries(command))[0]).toEqual([command]);
      writeFileSync(join(project(), 'hook.sh'), 'echo 2');
      expect(consent().stateOf(entries(command)[0]!)).toBe('changed');
      expect(admit(entries(command))[0]).toEqual([]);
    },
  );

  it('notices the change of a file that an interpreter reads, not of one the hook works on', () => {
    const write = (text: string) =>
      ['run', 'log', 'package.json'].forEach((name) => writeFileSync(join(project(), name), text));
    const commands = ['bash run', 'echo x >> log', 'prettier --check package.json'];
    const states = commands.map((command) => {
      write('1');
      consent().consent(entries(command));
      write('2');
      return consent().stateOf(entries(command)[0]!);
    });
    expect(states).toEqual(['changed', 'known', 'known']);
  });

  it('lets what is new run when the folder is trusted for this run, and only in this one', () => {
    admit(entries('a'));
    expect(admit(entries('b'), { isTrustedForRun: true })).toEqual([
      ['b'],
      [expect.stringContaining('run with your permissions')],
    ]);
    expect(admit(entries('b'))[0]).toEqual([]);
    expect(admit(entries('a'))).toEqual([['a'], []]);
  });

  it('lets no later hook run where a person has consented to none', () => {
    consent().consent([]);
    expect(admit(entries('a'))).toEqual([[], [expect.stringContaining('do not run: BeforeTool n (a)')]]);
  });

  it('need not be asked again about a hook that was switched off and on', () => {
    const both = [...entries('a'), ...entries('b', { name: 'm' }, 'AfterTool')];
    const off = both.map((entry) => ({ ...entry, isDisabled: entry.name === 'm' }));
    admit(both);
    expect(admit(off)).toEqual([['a', 'b'], []]);
    expect(admit(both)).toEqual([['a', 'b'], []]);
  });

  it('keeps the neighbours of a hook that may not run', () => {
    admit(entries('a'));
    expect(admit([...entries('a'), ...entries('b', {}, 'AfterTool')])[0]).toEqual(['a']);
  });

  it('says nothing of hooks that are not the project’s, or switched off', () => {
    const own = readHookLayers([
      { source: 'user', hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: 'u' }] }] } },
    ]);
    const off = entries('a').map((entry) => ({ ...entry, isDisabled: true }));
    expect(admit([...own.entries, ...off], { isTrusted: false })).toEqual([['u'], []]);
  });
});

describe('HookConsent', () => {
  it('takes what Gemini CLI recorded for consent, and leaves it there', () => {
    mkdirSync(join(root, 'home'));
    writeFileSync(file, JSON.stringify({ [project()]: ['n:a'], '/other': [':x'] }));
    expect([consent().stateOf(entries('a')[0]!), consent().stateOf(entries('b')[0]!)]).toEqual(['known', 'changed']);
    consent().consent(entries('a'));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      [project()]: ['n:a', expect.stringMatching(/^sha256:[0-9a-f]{64} BeforeTool n$/)],
      '/other': [':x'],
    });
  });

  it.each(['', '[]', '{"a": 1}', '{'])('knows nothing and writes nothing when the file is %j', (text) => {
    mkdirSync(join(root, 'home'));
    writeFileSync(file, text);
    const [admitted, messages] = admit(entries('a'));
    expect(admitted).toEqual([]);
    expect(messages[0]).toBe(`${file} was ignored: it must be a JSON object that maps folders to lists of strings.`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
