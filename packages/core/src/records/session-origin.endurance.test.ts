/**
 * Any history: whatever is masked, compressed, rewound, resumed or rewritten by a hook, a turn that is sent as it was
 * accepted arrives with its origin, to the byte as before, and a turn that is sent otherwise arrives without any.
 */

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock, seededRandom } from '@castor/testkit';
import { expect, inject, it } from 'vitest';
import { SYNTHETIC_THOUGHT_SIGNATURE } from '../chat/conversation.ts';
import { ForeignModel, foreignAnswer, foreignOrigin } from '../chat/foreign-model.fixture.ts';
import { GeminiChat } from '../chat/gemini-chat.ts';
import type { ModelHooks } from '../chat/model-hooks.ts';
import { Compressor } from '../client/compression.ts';
import { ToolOutputMask } from '../client/tool-output-masking.ts';
import { UtilityModel } from '../client/utility-model.ts';
import type { Content, GenerateContentResponse, Part } from '../protocol/content.ts';
import type { Origin, OriginBlock } from '../protocol/origin.ts';
import { openSession } from './open-session.ts';
import type { OpenedSession } from './open-session.ts';

const NEVER = new AbortController().signal;
const SEEDS = Array.from({ length: inject('isEndurance') ? 300 : 12 }, (_, index) => index + 1);
const STEPS = 25;
const MARK = /answer-\d+;/g;

type Random = () => number;

interface MadeAnswer {
  frames: GenerateContentResponse[];
  /** The JSON of the turn as it must be sent. */
  json: string;
  origin: Origin | undefined;
  calls: string[];
}

/** Texts, calls, shown and hidden thoughts in any order; each answer has a mark of its own. */
function makeAnswer(number: number, random: Random): MadeAnswer {
  const mark = `answer-${number};`;
  const parts: Part[] = [{ text: mark }];
  const streamed: Part[] = [];
  const blocks: OriginBlock[] = [];
  const calls: Record<string, Record<string, unknown>> = {};
  const think = (before: number) => {
    const isHidden = random() < 0.4;
    streamed.push(isHidden ? { thought: true } : { text: `**S** ${mark}`, thought: true });
    blocks.push({ before, type: isHidden ? 'redacted' : 'thinking', data: `\ud800${random()}` });
  };
  if (random() < 0.5) think(0);
  streamed.push({ text: mark.slice(0, 3) }, { text: mark.slice(3) });
  for (let count = Math.floor(random() * 4); count > 0; count--) {
    const isCall = random() < 0.5;
    // Two texts are two parts only with a block between them.
    if (!isCall && parts.at(-1)?.text !== undefined) think(parts.length);
    const id = `call-${number}-${count}`;
    const part = isCall ? { functionCall: { id, name: 't', args: { count } } } : { text: `text ${count}.` };
    if (isCall) calls[id] = { itemId: `fc-${id}` };
    parts.push(part);
    streamed.push(part);
  }
  const origin = random() < 0.85 ? foreignOrigin({ ...(blocks.length > 0 && { blocks }), calls }) : undefined;
  const sent = origin?.blocks?.some(({ before }) => before > 0) ? parts : joinTexts(parts);
  const first = sent.findIndex((part) => part.functionCall);
  const signed = sent.map((part, index) =>
    index === first ? { ...part, thoughtSignature: SYNTHETIC_THOUGHT_SIGNATURE } : part,
  );
  const json = JSON.stringify({ role: 'model', parts: signed });
  return { frames: foreignAnswer(streamed, origin), json, origin, calls: Object.keys(calls) };
}

function joinTexts(parts: readonly Part[]): Part[] {
  return parts.reduce<Part[]>((joined, part) => {
    const last = joined.at(-1);
    if (last?.text === undefined || part.text === undefined) return [...joined, part];
    return [...joined.slice(0, -1), { text: last.text + part.text }];
  }, []);
}

class Run {
  readonly made: MadeAnswer[] = [];
  /** How many turns arrived with an origin, and how many that were changed without. */
  readonly seen = { kept: 0, dropped: 0 };
  private readonly random: Random;
  private readonly home: string;
  private readonly model: ForeignModel;
  private session!: OpenedSession;
  private chat!: GeminiChat;
  private prompts = 0;
  private rewrite: ((contents: readonly Content[]) => Content[]) | undefined;

  constructor(random: Random, home: string) {
    this.random = random;
    this.home = home;
    this.model = new ForeignModel(() => this.made.at(-1)!.frames);
  }

  async open(resume?: string): Promise<void> {
    this.session?.recorder.close();
    const root = join(this.home, 'project');
    this.session = await openSession({ home: this.home, root, ...(resume && { resume }) });
    const hooks: ModelHooks = {
      beforeModel: async (request) => {
        const { rewrite } = this;
        return { kind: 'proceed', ...(rewrite && { request: { ...request, contents: rewrite(request.contents) } }) };
      },
    };
    const { history, recorder } = this.session;
    this.chat = new GeminiChat({
      generator: this.model,
      model: 'm',
      clock: createFakeClock(),
      history,
      recorder,
      hooks,
    });
  }

  close(): void {
    this.session.recorder.close();
  }

  async step(): Promise<void> {
    const { resume, mask, compress, rewind, forgetWords, edit, hooked } = this;
    const steps: (() => void | Promise<void>)[] = [resume, mask, compress, rewind, forgetWords, edit, hooked];
    if (this.random() < 0.5) await steps[Math.floor(this.random() * steps.length)]?.();
    await this.prompt();
  }

  private readonly resume = () => this.open('latest');

  private readonly mask = () =>
    new ToolOutputMask(async () => ({ path: '/saved' }), {
      protectionThresholdTokens: 1,
      minPrunableThresholdTokens: 1,
    }).apply(this.chat);

  private readonly compress = async () => {
    const resolveModel = () => ({ model: 'small', config: {} });
    const utility = new UtilityModel({ generator: this.model, clock: createFakeClock(), resolveModel });
    const compressor = new Compressor({ model: utility, tokenLimit: () => 1000 });
    await compressor.tryCompressChat({ chat: this.chat, activeModel: 'm', prompt_id: 'c', signal: NEVER, force: true });
  };

  private readonly rewind = () => {
    const words = this.chat.getHistory().filter(({ parts }) => parts?.[0]?.text?.startsWith('prompt'));
    const content = words[Math.floor(this.random() * words.length)];
    if (content && words.length > 3) this.chat.rewindTo(content);
  };

  /** Two model turns follow each other then, and are sent as one. */
  private readonly forgetWords = () => {
    const { random } = this;
    this.chat.setHistory(
      this.chat.getHistory().filter(({ parts }) => !parts?.[0]?.text?.startsWith('prompt') || random() < 0.8),
    );
  };

  private readonly edit = () => {
    this.chat.setHistory(this.chat.getHistory().map((turn) => this.changed(turn, 0.2)));
  };

  private readonly hooked = () => {
    const { random } = this;
    this.rewrite = (contents) =>
      contents.map((turn) => {
        const changed = this.changed(turn, 0.2);
        // A hook that spreads a turn keeps the symbol, one that clones it loses it.
        if (changed !== turn) return { ...turn, parts: changed.parts ?? [] };
        return random() < 0.5 ? structuredClone(turn) : turn;
      });
  };

  private changed(turn: Content, share: number): Content {
    if (turn.role !== 'model' || this.random() > share) return turn;
    const parts = turn.parts?.map((part) => (part.text ? { ...part, text: `${part.text}!` } : part)) ?? [];
    return { role: 'model', parts };
  }

  /** One prompt until the model asks for no more calls. */
  private async prompt(): Promise<void> {
    let message: Part[] = [{ text: `prompt ${this.prompts++}` }];
    while (message.length > 0) {
      const made = makeAnswer(this.made.length, this.random);
      this.made.push(made);
      for await (const _ of await this.chat.sendMessageStream('m', message, `p${this.prompts}`, NEVER));
      this.check();
      message = made.calls.map((id) => ({
        functionResponse: { id, name: 't', response: { output: `${id} `.repeat(200) } },
      }));
    }
    this.rewrite = undefined;
  }

  private check(): void {
    for (const { json, role, origin } of this.model.lastRequest) {
      if (role !== 'model') continue;
      const [mark = '', ...others] = json.match(MARK) ?? [];
      const made = this.made[Number.parseInt(mark.slice('answer-'.length), 10)];
      const isUnchanged = made !== undefined && others.length === 0 && json === made.json;
      expect(origin, json).toEqual(isUnchanged ? made.origin : undefined);
      if (isUnchanged) this.seen.kept += made.origin ? 1 : 0;
      else if (made?.origin) this.seen.dropped++;
    }
  }
}

it.each(SEEDS)('an unchanged turn arrives with its origin, a changed one without (seed %i)', async (seed) => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'castor-origins-')));
  const run = new Run(seededRandom(seed), home);
  try {
    await run.open();
    for (let step = 0; step < STEPS; step++) await run.step();
    expect(run.seen.kept).toBeGreaterThan(0);
  } finally {
    run.close();
    await rm(home, { recursive: true });
  }
});
