/**
 * Lists of earlier work for the golden pictures: `/resume`, `/rewind` and `/diff`, opened by their slash commands over
 * sessions that an agent has recorded in a folder on the disk, against a scripted model.
 */

import { createGeminiGenerator, createWorkspaceAgent, openSession, systemClock } from '@castor/core';
import type { WorkspaceAgent } from '@castor/core';
import { call, createWorkspace, fakeModel, say } from '@castor/testkit';
import type { Script, Workspace } from '@castor/testkit';
import type { CommandContext } from '../slash/command.ts';
import type { App } from './app/app.ts';
import { chooseChanges, decisionQuestion } from './choices/diff.ts';
import { chooseRewind } from './choices/rewind.ts';
import { chooseSession } from './choices/sessions.ts';
import { SelectDialog } from './dialogs/select-dialog.ts';
import type { SelectQuestion } from './dialogs/select-dialog.ts';
import type { DrawComponent } from './pictures-of-questions.fixture.ts';
import { grammars } from './render/grammars.ts';

const CART = `export function totalOf(lines: Line[], discount = 0): number {
  let total = 0;
  for (const line of lines) {
    total += line.price;
  }
  return roundMoney(total - discount);
}
`;
const CHECKOUT = `export const checkout = (basket: Basket) => totalOf(basket.lines, basket.voucher);\n`;
const CLAMP = call('replace', {
  file_path: 'src/cart.ts',
  instruction: 'Clamp the total at zero',
  old_string: 'total - discount',
  new_string: 'Math.max(0, total - discount)',
});
const REFUSE = call('replace', {
  file_path: 'src/api/checkout.ts',
  instruction: 'Refuse a voucher that is too large',
  old_string: 'totalOf(basket.lines, basket.voucher)',
  new_string: 'totalOf(basket.lines, Math.min(basket.voucher, totalOf(basket.lines)))',
});
const TEST = call('run_shell_command', { command: 'true', description: 'runs the tests' });
const WHY = 'why does the total go negative when a voucher is larger?';

const HOUR = 3_600_000;
/** A time of day that every machine shows alike. */
const AFTERNOON = new Date(2026, 10, 16, 14, 2).getTime();

interface Played {
  readonly agent: WorkspaceAgent;
  readonly recorder: Awaited<ReturnType<typeof openSession>>['recorder'];
}

/** A session at a time, whose prompts the model has answered. */
async function play(
  folder: Workspace,
  now: number,
  prompts: readonly string[],
  script: Script,
  undo: 'auto' | 'off' = 'off',
): Promise<Played> {
  const { home, project: root } = folder;
  await using model = await fakeModel(script);
  const session = await openSession({ home, root, clock: { ...systemClock, now: () => now } });
  const agent = await createWorkspaceAgent({
    generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
    ...{ model: 'gemini-2.5-pro', approvalMode: 'yolo', environment: {}, undo },
    ...{ sessionId: session.sessionId, session, root, home },
  });
  for (const text of prompts) {
    for await (const _event of agent.session.prompt(text, new AbortController().signal)) continue;
  }
  return { agent, recorder: session.recorder };
}

/** What a slash command asks first, instead of the answer of a user. */
function questionOf<T>(
  state: Partial<Played>,
  ask: (app: App, context: CommandContext) => Promise<void>,
  onDraw = () => {},
): Promise<SelectQuestion<T>> {
  const { promise, resolve } = Promise.withResolvers<SelectQuestion<T>>();
  const choose = (asked: SelectQuestion<T>) => (resolve(asked), new Promise<never>(() => {}));
  const app = { state, grammars, dialogs: { choose }, screen: { drawNow: onDraw } } as unknown as App;
  const { signal } = new AbortController();
  const context = { agent: state.agent, home: state.agent?.workspace.root, signal } as unknown as CommandContext;
  void ask(app, context);
  return promise;
}

async function openAll() {
  await using folder = await createWorkspace({ files: { 'src/cart.ts': CART, 'src/api/checkout.ts': CHECKOUT } });
  const work = await play(
    folder,
    AFTERNOON,
    ['fix it', 'and the API', 'run the tests', WHY],
    [CLAMP, say('The total stops at zero.'), REFUSE, say('Refused.'), TEST, say('All tests pass.'), say('Because.')],
    'auto',
  );
  const rewind = await questionOf(work, (app, { signal }) => chooseRewind(app, signal));
  const changes = await questionOf<Parameters<typeof decisionQuestion>[0]>(work, (app, { signal }) =>
    chooseChanges(app, signal),
  );
  const decision = decisionQuestion(changes.options[0]!.value, { grammars });
  await work.agent.dispose();
  return { rewind, changes, decision, sessions: await openSessions() };
}

async function openSessions(): Promise<SelectQuestion<unknown>> {
  await using folder = await createWorkspace({ files: { 'src/cart.ts': CART } });
  const now = Date.now();
  const answered = 'The total stops at zero.\n\nAll tests pass.';
  const earlier: readonly (readonly [now: number, prompts: readonly string[], script: Script])[] = [
    [now - 96 * HOUR, ['Release 1.2'], [say('Tagged.')]],
    [now - 30 * HOUR, ['Which database should the carts live in?', 'why?'], [say('Postgres.'), say('Orders are.')]],
    [now - 2 * HOUR, ['Cart totals below zero', 'undo', 'fix it'], [CLAMP, say('Done.'), say('So?'), say(answered)]],
  ];
  for (const [at, prompts, script] of earlier) await (await play(folder, at, prompts, script)).agent.dispose();
  const current = await play(folder, now, [], []);
  const read = Promise.withResolvers<void>();
  let left = earlier.length;
  const onDraw = () => void (--left === 0 && read.resolve());
  const ask = (app: App, context: CommandContext) => chooseSession(app, { ...context, home: folder.home });
  const question = await questionOf<unknown>(current, ask, onDraw);
  await read.promise;
  await current.agent.dispose();
  return question;
}

const opened = await openAll();

function picked<T>(question: SelectQuestion<T>): DrawComponent {
  return (styles, width) => new SelectDialog(question, () => {}).view({ styles, width, maxRows: 40 }).rows;
}

export const WORK: Readonly<Record<string, DrawComponent>> = {
  sessions: picked(opened.sessions),
  rewind: picked(opened.rewind),
  changes: (styles, width) => [...picked(opened.changes)(styles, width), '', ...picked(opened.decision)(styles, width)],
};
