/** A ContentGenerator that answers with frames of a provider with state, and keeps what each request brought back. */

import type { ContentGenerator } from '../provider/content-generator.ts';
import type { Content, GenerateContentResponse, Part } from '../protocol/content.ts';
import { originOf, withOrigin } from '../protocol/origin.ts';
import type { Origin } from '../protocol/origin.ts';

/** A turn of a request: its JSON, as the wire sees it, and its origin. */
export interface ReceivedTurn {
  json: string;
  role: string;
  origin: Origin | undefined;
}

export function foreignOrigin(fields: Partial<Origin> = {}): Origin {
  return { provider: 'foreign', protocol: 'foreign-1', model: 'm', endpoint: 'foreign.example', ...fields };
}

/** The frames of one answer: a part each, then a last frame that holds the end and the origin alone. */
export function foreignAnswer(parts: readonly Part[], origin?: Origin): GenerateContentResponse[] {
  const frames = parts.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] }));
  const content = withOrigin({ role: 'model', parts: [] }, origin);
  return [...frames, { candidates: [{ content, finishReason: 'STOP' }] }];
}

export class ForeignModel implements ContentGenerator {
  readonly requests: ReceivedTurn[][] = [];
  private readonly answer: (request: number) => readonly GenerateContentResponse[];

  constructor(answer: (request: number) => readonly GenerateContentResponse[]) {
    this.answer = answer;
  }

  static of(...answers: GenerateContentResponse[][]): ForeignModel {
    return new ForeignModel((request) => answers[request] ?? []);
  }

  get lastRequest(): readonly ReceivedTurn[] {
    return this.requests.at(-1) ?? [];
  }

  /** The origins of the model turns in the last request. */
  get received(): (Origin | undefined)[] {
    return this.lastRequest.filter(({ role }) => role === 'model').map(({ origin }) => origin);
  }

  async generateContentStream({ contents }: { contents: readonly Content[] }) {
    const index = this.requests.push(contents.map(toReceived)) - 1;
    return stream(this.answer(index));
  }

  async generateContent(): Promise<GenerateContentResponse> {
    return { candidates: [{ content: { role: 'model', parts: [{ text: 'A summary.' }] }, finishReason: 'STOP' }] };
  }

  async countTokens() {
    return { totalTokens: 1 };
  }

  async embedContent() {
    return {};
  }
}

async function* stream(frames: readonly GenerateContentResponse[]): AsyncGenerator<GenerateContentResponse, void> {
  yield* frames;
}

function toReceived(content: Content): ReceivedTurn {
  return { json: JSON.stringify(content), role: content.role ?? '', origin: originOf(content) };
}
