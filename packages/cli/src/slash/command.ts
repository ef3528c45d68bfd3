/**
 * Defines a slash command: a name, a sentence, and a function from its services to a result. It never prints: each
 * surface carries results out in its own way.
 */

import type { Part, ProposedCall, Source, WorkspaceAgent, WorkspaceAgentOptions } from '@castor/core';
import type { CommandFileOptions } from '@castor/core/program';

export interface SlashCommand {
  name: string;
  aliases?: readonly string[];
  description: string;
  source: 'builtin' | Source | ServerSource;
  /** The syntax of its arguments, such as `<name> [--persist]`; absent: it takes none. */
  usage?: string;
  subCommands?: readonly SlashCommand[];
  /** May run without a screen: it answers with text or a prompt, and changes nothing of the user's. */
  runsHeadless?: boolean;
  /** May run beside a prompt: it asks no model and changes nothing the prompt relies on. */
  runsWhileBusy?: boolean;
  /** The arguments that may follow; `before` is what was typed after the command, without the last word. */
  complete?(partial: string, signal: AbortSignal, before: string): Promise<readonly string[]>;
  /** The names that its argument may be: completion offers those that are not typed yet. */
  names?(context: NameContext): readonly string[] | Promise<readonly string[]>;
  /** Absent: only its sub-commands run. `args` is trimmed. */
  run?(context: CommandContext, args: string): CommandResult | Promise<CommandResult>;
}

export type NameContext = Pick<CommandContext, 'agent' | 'home'>;

/** The MCP server whose prompt a command is. */
export interface ServerSource {
  readonly kind: 'server';
  readonly name: string;
}

export type DialogName =
  | 'agent'
  | 'sessions'
  | 'settings'
  | 'theme'
  | 'model'
  | 'trust'
  | 'servers'
  | 'editor'
  | 'auth'
  | 'connect'
  | 'signout'
  | 'rewind'
  | 'diff'
  | 'footer'
  | 'shortcuts'
  | 'help'
  | 'background'
  | 'undo';

export type CommandResult =
  | { type: 'message'; messageType: 'info' | 'error'; content: string }
  /** Sent to the model as if the user had typed it. */
  | { type: 'submit_prompt'; parts: Part[]; notes?: readonly string[] }
  /** The user is asked about this call, which the history ends with, and the model receives its result. */
  | { type: 'propose_call'; call: ProposedCall; message: string }
  | { type: 'open_dialog'; dialog: DialogName; argument?: string }
  /** The session ends (SessionEnd "clear"), and the surface begins a new one. */
  | { type: 'new_session' }
  /** The surface continues this session instead. */
  | { type: 'resume_session'; sessionId: string }
  | { type: 'copy_text'; text: string }
  /** The session goes on with the extensions as they are now; `names` limits it to them. */
  | { type: 'reload_extensions'; message: string; names?: readonly string[] }
  | { type: 'toggle_vim' }
  | { type: 'quit'; deleteSession: boolean };

/** The user's answer when the shell commands of a custom command are shown. */
export type ShellConsent = 'once' | 'always' | 'cancel';

type SignInPorts = Parameters<NonNullable<WorkspaceAgent['servers']>['signIn']>[1];

/** The services surfaces offer beside the agent; a command without its service reports that. */
export interface CommandServices {
  /** Writes a setting to the user's file. */
  saveSetting?(key: string, value: unknown): Promise<void>;
  /** Makes a model usable in this session. Resolves to its full name; rejects with a sentence. */
  prepareModel?(name: string): Promise<string>;
  /** Whether the setting castor.model precedes model.name. */
  prefersOwnModel?: boolean;
  /** A page about the hooks in force. */
  describeHooks?(): Promise<string>;
  /**
   * Enables or disables one hook, or all of them, in the session and in the user's file. Returns a sentence; throws an
   * Error with one.
   */
  switchHooks?(what: 'enable' | 'disable', name: string | undefined): Promise<string>;
  /** How the user takes part in signing in to an MCP server. */
  signInPorts?(signal: AbortSignal): SignInPorts;
  /** Enables or disables a skill in the project's settings. Resolves to a sentence; rejects with one. */
  switchSkill?(what: 'enable' | 'disable', name: string): Promise<string>;
  /** Links the skills of a folder; takes the words after the command. Resolves to a sentence; rejects with one. */
  linkSkills?(words: string): Promise<string>;
  /** The list of the settings as they are now. */
  readDisabledSkills?(): Promise<readonly string[]>;
  /** Loads what `/extensions` needs. */
  openExtensions?(): Promise<ExtensionService>;
  /** The editor around the terminal. */
  openCompanion?(): Promise<CompanionService>;
  /** Loads what `/chat` needs. */
  openSessions?(): Promise<SessionService>;
  /** Asks the user about all shell commands of a custom command at once; absent where the user cannot be asked. */
  confirmShellCommands?(commands: readonly string[]): Promise<ShellConsent>;
  /** Shows a page and asks a question about it; no is the default. Absent where the user cannot be asked. */
  confirmPage?(page: string, question: string): Promise<boolean>;
}

/**
 * `/chat`: conversations saved under a name of the user's choice. Each method returns a sentence, or throws an Error
 * with one.
 */
export interface SessionService {
  list(): Promise<string>;
  save(tag: string): Promise<string>;
  /** The id of the session to resume. */
  resume(tag: string): Promise<string>;
  delete(tag: string): Promise<string>;
  /** `file` may be empty: a name is then generated. */
  share(file: string): Promise<string>;
  /** Writes the contents of a request to the model. */
  debug(): Promise<string>;
}

/** `/ide`. Each method resolves to what the user reads, or throws an Error with a sentence. */
export interface CompanionService {
  status(): Promise<string>;
  enable(): Promise<string>;
  disable(): Promise<string>;
  install(signal: AbortSignal): Promise<string>;
}

/** `/extensions`. Each method but `list` takes the text after its name; all throw an Error with a sentence. */
export interface ExtensionService {
  list(): Promise<string>;
  update(text: string): Promise<CommandResult>;
  enable(text: string): Promise<CommandResult>;
  disable(text: string): Promise<CommandResult>;
  install(text: string): Promise<CommandResult>;
  link(text: string): Promise<CommandResult>;
  uninstall(text: string): Promise<CommandResult>;
  consent(text: string): Promise<CommandResult>;
  config(text: string): Promise<CommandResult>;
  reload(text: string): Promise<CommandResult>;
}

export interface CommandContext {
  agent: WorkspaceAgent;
  home: string;
  version: string;
  /** The user's file of trusted folders. */
  trustedFoldersFile: string;
  trustedFolder: boolean | undefined;
  /** Whether a user is at the terminal; commands they typed themselves may then run. */
  isAttended: boolean;
  /** Whether dialogs can be shown; absent means no. */
  hasScreen?: boolean;
  /** Cells of a row, where the answer is shown in a terminal. */
  columns?: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  signal: AbortSignal;
  /** The commands of this session, once they are open. */
  commands?: CommandList;
  /** For opening them. */
  listOptions?: CommandListOptions;
  services?: CommandServices;
}

export interface CommandList {
  readonly all: readonly SlashCommand[];
  /** Files that were skipped and names that were changed, as sentences. */
  readonly notices: readonly string[];
  find(text: string): FoundCommand | undefined;
  /** Reloads the custom commands and the skills. */
  reload(skills?: SkillOptions): Promise<void>;
}

type SkillOptions = NonNullable<WorkspaceAgentOptions['skills']>;

/** What the list of commands is made of beside the files of the sources. */
export interface CommandListOptions {
  readonly home: string;
  readonly skills: SkillOptions;
  /** Other agents whose commands are read. */
  readonly readFilesOf?: CommandFileOptions['readFilesOf'];
}

export interface FoundCommand {
  command: SlashCommand;
  /** Its whole name, such as `memory show`. */
  path: string;
  args: string;
}

export function info(content: string): CommandResult {
  return { type: 'message', messageType: 'info', content };
}

export function failure(content: string): CommandResult {
  return { type: 'message', messageType: 'error', content };
}
