/** The table of flags. help.ts explains each to the user; other files decide what it does. */

/** The value each kind of flag takes. `optional`: a value, or none, which counts as an empty one. */
type FlagKind = 'switch' | 'text' | 'optional' | 'list' | 'once';

export interface Flag {
  kind: FlagKind;
  alias?: string;
  /** The name of the value. */
  value?: string;
  /** Undocumented: for tests and for bug reports. */
  hidden?: boolean;
  /** A flag of Gemini CLI that Castor does not support yet: parsed, then rejected with a sentence. */
  unsupported?: boolean;
}

/** `once`: text of the user, which a second flag must not overwrite. */
export const FLAGS = {
  prompt: { kind: 'once', alias: 'p', value: 'text' },
  'prompt-interactive': { kind: 'once', alias: 'i', value: 'text' },
  model: { kind: 'text', alias: 'm', value: 'name' },
  'output-format': { kind: 'text', alias: 'o', value: 'format' },
  'output-schema': { kind: 'text', value: 'path' },
  'input-format': { kind: 'text', value: 'format' },
  yolo: { kind: 'switch', alias: 'y' },
  'approval-mode': { kind: 'text', value: 'mode' },
  'allowed-tools': { kind: 'list', value: 'names' },
  policy: { kind: 'list', value: 'path' },
  'admin-policy': { kind: 'list', value: 'path' },
  'skip-trust': { kind: 'switch' },
  'acknowledge-agents': { kind: 'switch' },
  sandbox: { kind: 'switch', alias: 's' },
  airgap: { kind: 'switch' },
  'max-turns': { kind: 'text', value: 'count' },
  'max-tokens': { kind: 'text', value: 'count' },
  'max-cost': { kind: 'text', value: 'dollars' },
  'max-time': { kind: 'text', value: 'duration' },
  resume: { kind: 'optional', alias: 'r', value: 'session' },
  continue: { kind: 'switch' },
  fork: { kind: 'switch' },
  'session-id': { kind: 'text', value: 'id' },
  'session-file': { kind: 'text', value: 'path' },
  'list-sessions': { kind: 'switch' },
  'delete-session': { kind: 'text', value: 'session' },
  'include-directories': { kind: 'list', value: 'paths' },
  worktree: { kind: 'optional', alias: 'w', value: 'name', unsupported: true },
  'ignore-env': { kind: 'switch' },
  extensions: { kind: 'list', alias: 'e', value: 'names' },
  'list-extensions': { kind: 'switch', alias: 'l' },
  'allowed-mcp-server-names': { kind: 'list', value: 'names' },
  acp: { kind: 'switch' },
  'experimental-acp': { kind: 'switch', hidden: true },
  'screen-reader': { kind: 'switch' },
  'raw-output': { kind: 'switch' },
  'accept-raw-output-risk': { kind: 'switch' },
  debug: { kind: 'switch', alias: 'd' },
  record: { kind: 'text', value: 'file' },
  // What a batch asks of the run of a task.
  task: { kind: 'list', hidden: true },
  'replay-in': { kind: 'text', value: 'path', hidden: true },
  'fake-responses': { kind: 'text', value: 'path', hidden: true },
  'fake-responses-non-strict': { kind: 'text', value: 'path', hidden: true },
  'record-responses': { kind: 'text', value: 'path', hidden: true },
  version: { kind: 'switch', alias: 'v' },
  help: { kind: 'switch', alias: 'h' },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type ValueOf<Kind extends FlagKind> = Kind extends 'switch' ? boolean : Kind extends 'list' ? string[] : string;

/** By the flag's name in camel case. */
export type CliArguments = { [Name in FlagName as CamelCase<Name>]?: ValueOf<(typeof FLAGS)[Name]['kind']> } & {
  /** Words that belong to no flag, joined by one space. */
  query?: string;
};
