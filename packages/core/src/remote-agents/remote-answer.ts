/**
 * RemoteAnswer: folds what a remote agent sends into the text for the parent: its messages in their order, without
 * repetitions and echoes, then its artifacts. It keeps the ids that continue the conversation, and is bounded.
 */

import type { RemoteMessage, RemoteUpdate, TaskState } from './a2a-update.ts';
import { ENDED, WAITING } from './a2a-update.ts';

const MAX_TEXT = 2_000_000;

export class RemoteAnswer {
  taskId: string | undefined;
  contextId: string | undefined;
  /** Undefined: it answered with a message alone, or not yet. */
  state: TaskState | undefined;
  private readonly sent: string;
  private readonly messages: string[] = [];
  private readonly artifacts = new Map<string, { name: string; text: string }>();
  private lastOfHistory: string | undefined;
  private size = 0;
  private hasMessage = false;

  /** `sent`: the text of our own message, which some agents send back. */
  constructor(sent: string) {
    this.sent = sent.trim();
  }

  /** Whether nothing more follows. */
  get isOver(): boolean {
    return this.state === undefined ? this.hasMessage : ENDED.has(this.state) || WAITING.has(this.state);
  }

  /** Returns what is new for the user. */
  take(update: RemoteUpdate): string | undefined {
    this.taskId = update.taskId ?? this.taskId;
    this.contextId = update.contextId ?? this.contextId;
    switch (update.kind) {
      case 'message':
        this.hasMessage = true;
        return this.add(update.message);
      case 'status':
        this.state = update.state;
        return update.message && this.add(update.message);
      case 'artifact':
        return this.addArtifact(update.artifact, update.isAppended);
      case 'task': {
        this.state = update.state;
        for (const artifact of update.artifacts) this.addArtifact(artifact, false);
        this.lastOfHistory = update.history.findLast(({ isOfUser }) => !isOfUser)?.text;
        return update.message && this.add(update.message);
      }
    }
  }

  get text(): string {
    const artifacts = [...this.artifacts.values()].map(({ name, text }) =>
      name === '' ? `Artifact:\n${text}` : `Artifact (${name}):\n${text}`,
    );
    const parts = [...this.messages, ...artifacts];
    return parts.length > 0 ? parts.join('\n\n') : (this.lastOfHistory ?? '');
  }

  private add({ isOfUser, text }: RemoteMessage): string | undefined {
    const isEcho = isOfUser || text.trim() === this.sent;
    if (isEcho || text.trim() === '' || this.messages.at(-1) === text || this.isFull(text)) return undefined;
    this.messages.push(text);
    return text;
  }

  private addArtifact({ id, name, text }: { id: string; name: string; text: string }, isAppended: boolean) {
    const known = this.artifacts.get(id);
    // A task is sent again as a whole.
    if (known && !isAppended) this.size -= known.text.length;
    if (this.isFull(text)) return undefined;
    const before = isAppended ? (known?.text ?? '') : '';
    this.artifacts.set(id, { name: known?.name ?? name, text: `${before}${text}` });
    return known ? undefined : `Artifact ${name}`.trim();
  }

  private isFull(text: string): boolean {
    this.size += text.length;
    return this.size > MAX_TEXT;
  }
}
