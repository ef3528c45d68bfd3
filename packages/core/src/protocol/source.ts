/**
 * A source: a folder that provides content of its owner, such as commands, context files, hooks, policies and themes.
 * Loaders take a list of sources and do not depend on their kinds; one table defines what each kind may provide, and
 * where below the folder it is.
 */

/** The owner of a source; `builtin` is Castor itself, `system` the administrator. */
export type SourceKind = 'builtin' | 'system' | 'user' | 'project' | 'extension';

export interface Source {
  readonly kind: SourceKind;
  /** As users read and type it: `user`, `workspace`, or the name of an extension. */
  readonly name: string;
  /** The folder of its content. */
  readonly directory: string;
  /** False: none of its content is loaded or run. */
  readonly trusted: boolean;
  /** Names of its context files, where the source decides on them instead of the user's settings. */
  readonly contextFileNames?: readonly string[];
  /** Content that is not loaded although the source is trusted, such as an extension's commands in an untrusted folder. */
  readonly withheld?: readonly SourceContent[];
}

/** The values of an extension's settings, by its name, then by variable. They go to its own parts only. */
export type SourceValues = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The kinds of content a source can provide in files. */
export type SourceContent =
  | 'agents'
  | 'commands'
  | 'context'
  | 'hooks'
  | 'policies'
  | 'servers'
  | 'skills'
  | 'themes'
  /** The folder that several agents share. */
  | 'sharedSkills'
  /** Files of other agents, read where the user allows it. */
  | 'claudeSkills'
  | 'claudeCommands'
  | 'codexPrompts';

/**
 * The place of each kind of content, relative to the source's directory; absent: the source does not provide it in a
 * file of its own. Hooks, MCP servers and themes of the administrator, the user and a project are settings. A project's context
 * files are in the workspace and above it. Policies of a project are disabled, as in Gemini CLI.
 */
export const SOURCE_PLACES: Readonly<Record<SourceKind, Readonly<Partial<Record<SourceContent, string>>>>> = {
  builtin: { skills: 'skills' },
  system: { policies: 'policies' },
  user: {
    agents: 'agents',
    commands: 'commands',
    context: '.',
    policies: 'policies',
    skills: 'skills',
    sharedSkills: '../.agents/skills',
    claudeSkills: '../.claude/skills',
    claudeCommands: '../.claude/commands',
    codexPrompts: '../.codex/prompts',
  },
  project: {
    agents: 'agents',
    commands: 'commands',
    skills: 'skills',
    sharedSkills: '../.agents/skills',
    claudeSkills: '../.claude/skills',
    claudeCommands: '../.claude/commands',
  },
  extension: {
    agents: 'agents',
    commands: 'commands',
    context: '.',
    hooks: 'hooks/hooks.json',
    policies: 'policies',
    servers: 'gemini-extension.json',
    skills: 'skills',
    themes: 'gemini-extension.json',
  },
};

/** Whether a third party, neither the user nor the administrator, decides what a source of this kind contains. */
export function isForeign(kind: SourceKind): boolean {
  return kind === 'project' || kind === 'extension';
}

export function isProjectTrusted(sources: readonly Source[]): boolean {
  return sources.some(({ kind, trusted }) => kind === 'project' && trusted);
}
