/** One thing of another agent, and what becomes of it here. Types only. */

export type ImportStep = {
  /** What it is, for the report: `MCP server github`. */
  readonly what: string;
  /** What the user has to do or check. */
  readonly notes?: readonly string[];
} & (
  | { readonly kind: 'setting'; readonly key: readonly string[]; readonly value: unknown }
  /** Items for a list, added to those that are there. */
  | { readonly kind: 'items'; readonly key: readonly string[]; readonly items: readonly unknown[] }
  /** A path below the scope's `.gemini` folder, or, with `isBeside`, beside it. */
  | { readonly kind: 'file'; readonly path: string; readonly text: string; readonly isBeside?: boolean }
  | { readonly kind: 'skill'; readonly name: string; readonly from: string }
  | { readonly kind: 'none'; readonly reason: string }
  /** Castor uses the file itself. */
  | { readonly kind: 'shared' }
);

export interface ImportPlace {
  readonly scope: 'user' | 'project';
  readonly home: string;
  readonly cwd: string;
}

/** Reads the files of one agent. Throws an Error with a sentence for a file that cannot be read. */
export type ReadAgent = (place: ImportPlace) => Promise<ImportStep[]>;

export function none(what: string, reason: string): ImportStep {
  return { kind: 'none', what, reason };
}
