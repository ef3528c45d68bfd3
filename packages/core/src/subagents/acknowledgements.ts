/**
 * Acknowledgements: which agents of a project the user has accepted, each by the hash of its file. A changed agent is
 * new. The file is Gemini CLI's: `{ "<project root>": { "<agent>": "<hash>" } }`.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';
import type { AgentDefinition } from './agent-definition.ts';

type Stored = Record<string, Record<string, string>>;

export class Acknowledgements {
  private readonly path: string;
  private readonly root: string;

  constructor(home: string, root: string) {
    this.path = join(userDirectory(home), 'acknowledgments', 'agents.json');
    this.root = root;
  }

  /** The agents that the user has not accepted as they are now. */
  findNew(agents: readonly AgentDefinition[]): AgentDefinition[] {
    const known = this.read()[this.root] ?? {};
    return agents.filter(({ name, fingerprint }) => !Object.hasOwn(known, name) || known[name] !== fingerprint);
  }

  /** Throws when the file cannot be written. */
  accept(agents: readonly AgentDefinition[]): void {
    const stored = this.read();
    const accepted = agents.map(({ name, fingerprint = '' }) => [name, fingerprint]);
    const next = { ...stored, [this.root]: { ...stored[this.root], ...Object.fromEntries(accepted) } };
    replaceFile(this.path, `${JSON.stringify(next, undefined, 2)}\n`);
  }

  /** A missing or damaged file acknowledges nothing. */
  private read(): Stored {
    try {
      const parsed: unknown = JSON.parse(readFileSync(this.path, 'utf8'));
      if (!isRecord(parsed)) return {};
      const entries = Object.entries(parsed).filter((entry): entry is [string, Record<string, string>] =>
        isRecord(entry[1]),
      );
      return Object.fromEntries(entries);
    } catch {
      return {};
    }
  }
}
